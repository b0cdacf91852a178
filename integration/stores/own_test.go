package stores_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/integration/servers"
	"github.com/lancecommit/lancecommit/integration/stores/own"
)

// A run is one of this test binary, by somebody who names a store.
type run struct {
	location string
	options  map[string]string
	tests    string // a pattern, as for go test -run
}

// output runs the tests, and returns what they wrote.
func (r run) output(t *testing.T) (text string, passed bool) {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	options := ""
	if r.options != nil {
		object, err := json.Marshal(r.options)
		require.NoError(t, err)
		options = string(object)
	}
	command := exec.CommandContext(withDeadline(t), executable, "-test.v", "-test.run="+r.tests)
	command.Env = append(os.Environ(), own.EnvStore+"="+r.location, own.EnvOptions+"="+options, servers.EnvChoose+"=")
	written, err := command.CombinedOutput()
	text = string(written)
	for name, value := range r.options {
		// Endpoints and accounts are in the errors of a connection.
		if strings.Contains(name, "key") {
			require.NotContains(t, text, value, name)
		}
	}
	return text, err == nil
}

// eachLocation runs a test on a folder that holds a bystander, in each place
// that can be named.
func eachLocation(t *testing.T, test func(t *testing.T, bucket backends.Store, location string, options map[string]string)) {
	t.Run("disk", func(t *testing.T) {
		folder := t.TempDir()
		test(t, openAt(t, folder, nil), folder, nil)
	})
	eachServer(t, func(t *testing.T, server *servers.Server) {
		bucket := server.URI(server.Bucket(t))
		test(t, openAt(t, bucket, optionsOf(server)), bucket+"/some/folder", optionsOf(server))
	})
}

func TestTheStoreOfTheEnvironmentIsLeftAsItWas(t *testing.T) {
	eachLocation(t, func(t *testing.T, bucket backends.Store, location string, options map[string]string) {
		ctx := withDeadline(t)
		bystanders := []string{"some/folder/db/t.lance/_versions/1.manifest", "some/folder2/x", "z"}
		for _, key := range bystanders {
			_, err := bucket.PutIfAbsent(ctx, key, []byte("bystander"), backends.PutOptions{})
			require.NoError(t, err)
		}
		text, passed := run{location, options, "^(TestTheNamesAndBodies|TestRequests|TestALostReply|TestAStagedCreateOnTheWire)/^own$"}.output(t)
		require.True(t, passed, text)
		require.Equal(t, 4, strings.Count(text, "/own ("), "tests on the store that is named:\n%s", text)
		require.Contains(t, text, "in the folder "+own.Prefix)

		require.ElementsMatch(t, bystanders, allKeys(t, bucket, ""))
		for _, key := range bystanders {
			body, _, err := bucket.Get(ctx, key)
			require.NoError(t, err)
			require.Equal(t, "bystander", string(body))
		}
	})
}

// allKeys lists all objects below a prefix.
func allKeys(t *testing.T, store backends.Store, prefix string) (keys []string) {
	page, err := store.List(t.Context(), backends.ListInput{Prefix: prefix})
	require.NoError(t, err)
	require.Empty(t, page.Token)
	for _, object := range page.Objects {
		keys = append(keys, object.Key)
	}
	for _, folder := range page.Prefixes {
		keys = append(keys, allKeys(t, store, folder)...)
	}
	return keys
}

func TestAStoreOfTheEnvironmentThatCannotBeUsedIsAFailure(t *testing.T) {
	eachServer(t, func(t *testing.T, server *servers.Server) {
		bucket := server.URI(server.Bucket(t))
		for _, tc := range []struct {
			name, location, secret string
			want                   []string
		}{
			{"a bucket that is not there", server.URI("no-such-bucket"), "", []string{"status 404", "the store is not there"}},
			{"a wrong secret", bucket, secretOf[server.Kind], []string{"status 403"}},
		} {
			options := optionsOf(server)
			if tc.secret != "" {
				options[tc.secret] = wrongSecret
			} else if tc.name == "a wrong secret" {
				continue // the server has none
			}
			text, passed := run{tc.location, options, "^TestTheNamesAndBodies/^own$"}.output(t)
			require.False(t, passed, tc.name)
			for _, want := range append(tc.want, own.EnvStore+" cannot be used: list", "--- FAIL: TestTheNamesAndBodiesAreTheSameInEveryStore/own") {
				require.Contains(t, text, want, tc.name)
			}
		}
	})
}

func TestWithoutALocationThereIsNoTestOfIt(t *testing.T) {
	text, passed := run{"", map[string]string{"malformed": ""}, "^TestTheNamesAndBodies/(disk|own)$"}.output(t)
	require.True(t, passed, text)
	require.Contains(t, text, "/disk (")
	require.NotContains(t, text, "/own")
}
