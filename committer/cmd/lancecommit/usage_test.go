package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/integration/fixtures"
)

func TestWrongUsageIsSaidInWordsOfTheCommandLine(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for args, says := range map[string]string{
		"latest": "TABLE is missing", "versions": "TABLE is missing", "show": "TABLE is missing", "commit": "TABLE is missing",
		"sweep": "TABLE is missing", "delete": "TABLE is missing", "delete T": "RANGE is missing", "doctor": "STORE is missing", "bench": "STORE is missing",
		"latest T T": "argument number 2 is too many: there is TABLE", "show T 1 2": "argument number 3 is too many: there is TABLE [N]",
		"quickstart a b": "argument number 2 is too many: there is [DIR]",
		"help nope":      `there is no command "nope"`, "help lates": `did you mean "latest"?`, "help latest nope": `there is no command "nope"`,
		"completion nope": `there is no command "nope"`, "completion bsh": `did you mean "bash"?`, "completion bash nope": "argument number 1 is too many: there is none",
		"help completion nope": `there is no command "nope"`,
		"show T -1":            "-1 is no flag, and no version: versions are numbers from 1",
		"delete T -1:3":        "-1:3 is no flag, and no version: versions are numbers from 1",
		"show T -- -1":         `"-1" is no version: they are numbers from 1`,
		"show T 0":             "1", "versions T --limit x": `"x" is no whole number`, "versions T --limit 99999999999999999999": "is out of range",
		"bench T --writers 1,x": `"x" is no whole number`, "doctor T --rounds x": `"x" is no whole number`, "latest T --json=x": "is neither true nor false",
		"delete T 99999999999999999999": "no version has a number above 9223372036854775807",
		"sweep T --older-than x":        "it is a time as 7d, 12h or 1h30m", "sweep T --older-than 999999999999d": "it is 106751d at the most", "bench T --for x": "it is a time as 7d, 12h or 1h30m",
	} {
		got := call(t, strings.Fields(strings.ReplaceAll(args, "T", table))...)
		if strings.Contains(says, "TABLE") { // the name of an argument, and no table
			got = call(t, strings.Fields(strings.ReplaceAll(args, "T", "t"))...)
		}
		require.Equal(t, exitInvalid, got.code, "%s: %s", args, got.err)
		require.Contains(t, got.err, says, args)
		require.Empty(t, got.out, args)
		for _, raw := range []string{"strconv", "time:", "arg(s)", "shorthand"} {
			require.NotContains(t, got.err, raw, args)
		}
	}
}

func TestHelpAndCompletionOfWhatThereIs(t *testing.T) {
	for _, args := range []string{"", "--version", "help", "help latest", "help completion bash", "completion", "completion bash", "help help"} {
		got := call(t, strings.Fields(args)...)
		require.Equal(t, exitOK, got.code, "%s: %s", args, got.err)
		require.NotEmpty(t, got.out, args)
	}
}

func TestAnArgumentTooManyIsNotRepeatedSinceItCanBeASecret(t *testing.T) {
	require.NotContains(t, call(t, "latest", "t", "s3://AKIA:SECRET@bucket/t").err, "SECRET")
}

func TestDaysAreADuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"7d": 168 * time.Hour, "0d": 0, "7d12h": 180 * time.Hour, "168h": 168 * time.Hour, "30s": 30 * time.Second, "0": 0, "106751d": 106751 * day,
	} {
		var s span
		require.NoError(t, s.Set(text), text)
		require.Equal(t, want, time.Duration(s), text)
	}
	for _, text := range []string{"", "d", "x", "7", "-7d", "7d-1h", "-1h", "1.5d", "7dd", "7 d", "106752d", "106751d24h", "99999999999d", "1w"} {
		require.Error(t, new(span).Set(text), text)
	}
	week, odd := span(7*day), span(36*time.Hour)
	require.Equal(t, "7d", week.String())
	require.Equal(t, "36h0m0s", odd.String())

	table := layFixture(t, fixtures.V2())
	require.Equal(t, exitOK, call(t, "sweep", table, "--older-than", "7d").code)
	require.Equal(t, exitInvalid, call(t, "sweep", table, "--older-than", "6d").code, "seven days at least")
	require.Contains(t, call(t, "sweep", "--help").out, "7d12h")
}
