package committer_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// Whatever a request says, it is executed or refused with a code, and nothing
// but the version that it asks for is written.
func FuzzCreateRequest(f *testing.F) {
	for _, text := range []string{
		`{"id":["t"],"version":2,"manifest_path":"_versions/` + stagedName(2, 1) + `"}`,
		`{"id":["t"],"version":2,"manifest_path":"db/t.lance/_versions/` + stagedName(2, 1) + `","metadata":{"a":"b"},"e_tag":"x"}`,
		`{"id":["t"],"version":2,"manifest_path":"s3://bucket/db/t.lance/_versions/x","manifest_size":0,"naming_scheme":"V1"}`,
		`{"id":["a","b"],"version":0,"branch":"main","manifest_path":"../x","identity":{"api_key":"k"},"context":{"a":"b"}}`,
		`{"id":["t"],"version":9223372036854775808,"branch":"a/b"}`, `[]`, `{`, `null`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var req committer.CreateTableVersionRequest
		if err := json.Unmarshal(text, &req); err != nil {
			return
		}
		again, err := json.Marshal(req)
		require.NoError(t, err)
		var second committer.CreateTableVersionRequest
		require.NoError(t, json.Unmarshal(again, &second), "what was read can be read again: %s", again)

		store := laid(1)
		stage(store, 2, "mine")
		namespace := committer.NewNamespace(addressed{store, []string{"s3://bucket/"}}, namespaceRoot, committer.KeepStaged())
		response, err := namespace.CreateTableVersion(t.Context(), &req)
		want := []string{naming.V2.Final(1), stagedName(2, 1)}
		if err == nil {
			require.EqualValues(t, 2, response.Version.Version)
			want = append(want, naming.V2.Final(2))
		} else {
			// Version 1 is there, and nothing says whether it came from a staged
			// manifest that is gone.
			if req.Version != 1 || !errors.Is(err, committer.ErrUnknownOutcome) {
				require.NotEqual(t, committer.CodeInternal, committer.Code(err), "%v", err)
			}
			require.NotZero(t, committer.HTTPStatus(err))
		}
		require.ElementsMatch(t, want, keys(t, store))
	})
}

// A token is one of ours, and then goes on where it should, or is refused.
func FuzzPageToken(f *testing.F) {
	store := laid(1, 2, 3, 4, 5)
	namespace := committer.NewNamespace(store, namespaceRoot)
	page := func(token string) (*committer.ListTableVersionsResponse, error) {
		limit := int64(2)
		return namespace.ListTableVersions(context.Background(), &committer.ListTableVersionsRequest{
			ID: tableID, Limit: &limit, PageToken: token,
		})
	}
	ours := map[string]int64{"": 5}
	for token, next := "", int64(5); next > 0; {
		f.Add(token)
		response, err := page(token)
		require.NoError(f, err)
		next -= int64(len(response.Versions))
		if token = response.PageToken; token == "" {
			break
		}
		ours[token] = next
	}
	f.Add("lc1.e30")
	f.Fuzz(func(t *testing.T, token string) {
		response, err := page(token)
		if next, known := ours[token]; known {
			require.NoError(t, err)
			require.Equal(t, next, response.Versions[0].Version)
			return
		}
		require.True(t, errors.Is(err, committer.ErrInvalid), "%q: %v", token, err)
	})
}
