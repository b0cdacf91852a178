package committer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
)

func TestRequestsAndResponsesSurviveARoundTrip(t *testing.T) {
	const caller = `"identity":{"api_key":"k","auth_token":"t","new":[1]},"context":{"header.Authorization":"Bearer x"}`
	const entry = `"id":["t"],"version":9223372036854775807,"branch":"b","manifest_path":"p","manifest_size":700,"e_tag":"e",` +
		`"metadata":{"a":"b"},"naming_scheme":"V1"`
	const version = `{"version":3,"manifest_path":"p","manifest_size":0,"e_tag":"e","timestamp_millis":1,"metadata":{"a":"b"},"new":null}`
	for _, tc := range []struct {
		into any
		text string
	}{
		{&committer.CreateTableVersionRequest{}, `{` + caller + `,` + entry + `,"new":{"x":1},"Version":7}`},
		{&committer.BatchCreateTableVersionsRequest{}, `{` + caller + `,"entries":[{` + entry + `,"new":1}],"newer":true}`},
		{&committer.ListTableVersionsRequest{}, `{` + caller + `,"id":["t"],"branch":"b","page_token":"x","limit":5,"descending":true,"new":1}`},
		{&committer.DescribeTableVersionRequest{}, `{` + caller + `,"id":["t"],"branch":"b","version":0,"new":1}`},
		{&committer.BatchDeleteTableVersionsRequest{}, `{` + caller + `,"id":["t"],"branch":"b","ranges":[{"start_version":1,"end_version":-1,"new":1}],"newer":1}`},
		{&committer.CreateTableVersionResponse{}, `{"transaction_id":"u","version":` + version + `,"context":{"a":"b"},"new":1}`},
		{&committer.BatchCreateTableVersionsResponse{}, `{"transaction_id":"u","versions":[` + version + `],"context":{"a":"b"},"new":1}`},
		{&committer.ListTableVersionsResponse{}, `{"versions":[` + version + `],"page_token":"x","context":{"a":"b"},"new":1}`},
		{&committer.DescribeTableVersionResponse{}, `{"version":` + version + `,"context":{"a":"b"},"new":1}`},
		{&committer.BatchDeleteTableVersionsResponse{}, `{"deleted_count":1,"transaction_id":"u","context":{"a":"b"},"new":1}`},
	} {
		t.Run(fmt.Sprintf("%T", tc.into), func(t *testing.T) {
			require.NoError(t, json.Unmarshal([]byte(tc.text), tc.into))
			again, err := json.Marshal(tc.into)
			require.NoError(t, err)
			require.JSONEq(t, tc.text, string(again))
		})
	}
}

func TestAFieldThatIsNullIsAbsent(t *testing.T) {
	var req committer.CreateTableVersionRequest
	require.NoError(t, json.Unmarshal([]byte(`{"id":null,"version":1,"branch":null,"manifest_size":null,"e_tag":null,"metadata":null,`+
		`"naming_scheme":null,"identity":null,"context":null}`), &req))
	require.Equal(t, committer.CreateTableVersionRequest{Version: 1}, req)
}

func TestEveryFieldThatCannotBeReadIsNamed(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`[]`, "invalid request: it is not a JSON object"},
		{`null`, "invalid request: it is not a JSON object"},
		{`{"version":9223372036854775808}`, "version: 9223372036854775808 is not an integer of 64 bits"},
		{`{"id":["other"],"version":1,"id":["t"]}`, "id: it is given twice"},
		{`{"version":1.5}`, "version: 1.5 is not an integer of 64 bits"},
		{`{"version":1e3}`, "version: 1e3 is not an integer of 64 bits"},
		{`{"version":"1"}`, `version: "1" is not an integer of 64 bits`},
		{`{"id":"t"}`, "id: it must be a list of strings"},
		{`{"manifest_size":"big","e_tag":7,"metadata":{"a":1},"manifest_path":{}}`,
			`manifest_path: it must be a string; manifest_size: "big" is not an integer of 64 bits; e_tag: it must be a string; ` +
				`metadata.a: it must be a string`},
		{`{"identity":{"api_key":12345}}`, "identity.api_key: it must be a string"},
		{`{"identity":"secret"}`, "identity: it is not a JSON object"},
		{`{"context":{"header.Authorization":12345}}`, "context.header.Authorization: it must be a string"},
		{`{"context":"secret"}`, "context: it must be an object whose values are strings"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			var req committer.CreateTableVersionRequest
			err := json.Unmarshal([]byte(tc.text), &req)
			require.ErrorContains(t, err, tc.want)
			require.ErrorIs(t, err, committer.ErrInvalid)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

func TestWhoAsksReachesHooksAndNothingElse(t *testing.T) {
	const secret = "s3cr3t"
	store := laid(1)
	var logged bytes.Buffer
	var seen []committer.Caller
	namespace, _ := inNamespace(store,
		committer.WithLogger(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		committer.WithHooks(committer.Hooks{Committed: func(ctx context.Context, _ committer.CommittedInfo) {
			caller, ok := committer.CallerFrom(ctx)
			require.True(t, ok)
			seen = append(seen, caller)
		}}))
	req := stage(store, 2, "mine")
	req.Identity = &committer.Identity{APIKey: secret, AuthToken: secret}
	req.Context = committer.RequestContext{"header.Authorization": secret}
	response := create(t, namespace, req)
	require.Equal(t, []committer.Caller{{Identity: req.Identity, Context: req.Context}}, seen)

	text, err := json.Marshal(response)
	require.NoError(t, err)
	require.NotContains(t, string(text), secret)
	require.NotEmpty(t, logged.String())
	require.NotContains(t, logged.String(), secret)
	_, attrs, err := store.Get(t.Context(), response.Version.ManifestPath)
	require.NoError(t, err)
	require.NotContains(t, attrs.Metadata, secret)
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		require.NotContains(t, fmt.Sprintf(format, req.Identity)+fmt.Sprintf(format, *req), secret, format)
	}
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("", "identity", *req.Identity, "context", req.Context)
	require.NotContains(t, logged.String(), secret)
}
