package backends_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

func TestABodyIsReadWholeWhateverSizeTheStoreSaid(t *testing.T) {
	const body = "the bytes of an object"
	for name, said := range map[string]int64{
		"its size": int64(len(body)), "less": 1, "nothing": -1, "more": 1 << 10, "more than any memory": 1 << 62,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := backends.ReadBody(strings.NewReader(body), said)
			require.NoError(t, err)
			require.Equal(t, body, string(got))
		})
	}
}

func TestABodyOfTheSizeThatTheStoreSaidIsNotCopied(t *testing.T) {
	body := strings.Repeat("x", 1<<20)
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		_, _ = backends.ReadBody(strings.NewReader(body), int64(len(body)))
	}), 3.0, "the reader, the buffer and its memory")
}
