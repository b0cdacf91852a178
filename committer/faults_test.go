package committer_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
)

// send reads a request as a server does and executes it.
func send(ctx context.Context, n *committer.Namespace, into committer.Request, text string) error {
	err := json.Unmarshal([]byte(text), into)
	if err != nil {
		return n.Refuse(ctx, into, err)
	}
	switch req := into.(type) {
	case *committer.CreateTableVersionRequest:
		_, err = n.CreateTableVersion(ctx, req)
	case *committer.BatchCreateTableVersionsRequest:
		_, err = n.BatchCreateTableVersions(ctx, req)
	case *committer.ListTableVersionsRequest:
		_, err = n.ListTableVersions(ctx, req)
	case *committer.DescribeTableVersionRequest:
		_, err = n.DescribeTableVersion(ctx, req)
	case *committer.BatchDeleteTableVersionsRequest:
		_, err = n.BatchDeleteTableVersions(ctx, req)
	}
	return err
}

func TestEveryOperationNamesEveryWrongField(t *testing.T) {
	type (
		create      = committer.CreateTableVersionRequest
		batchCreate = committer.BatchCreateTableVersionsRequest
		list        = committer.ListTableVersionsRequest
		describe    = committer.DescribeTableVersionRequest
		batchDelete = committer.BatchDeleteTableVersionsRequest
	)
	const entry = `{"id":["a","b"],"version":0,"branch":"..","manifest_path":"","manifest_size":0,"naming_scheme":"v9"}`
	const token = "lc1.eyJhZnRlciI6MSwiY2hlY2siOiIwMDAwMDAwMDAwMDAwMDAwIn0" // of another chain
	for _, tc := range []struct {
		name string
		into committer.Request
		text string
		want string
	}{
		{"create", &create{}, entry, "id branch version manifest_path manifest_size naming_scheme"},
		{"create, one cannot be read", &create{}, `{"id":["a","b"],"version":"x","branch":"..","manifest_size":0}`,
			"version id branch manifest_path manifest_size"},

		{"list", &list{}, `{"id":["t"],"branch":"..","page_token":"x","limit":0}`, "branch page_token limit"},
		{"list, the table is not known", &list{}, `{"page_token":"x"}`, "id page_token"},
		{"list, a child namespace", &list{}, `{"id":["a","b"],"page_token":"x"}`, "id page_token"},
		{"list, a token of another chain", &list{}, `{"id":["t"],"limit":0,"page_token":"` + token + `"}`, "page_token limit"},
		{"list, whose token it is cannot be told", &list{}, `{"id":["t"],"branch":"..","page_token":"` + token + `"}`, "branch"},
		{"list, nor where the branch cannot be read", &list{}, `{"id":["t"],"branch":7,"limit":0,"page_token":"` + token + `"}`, "branch limit"},
		{"list, one cannot be read", &list{}, `{"id":["t"],"branch":"..","page_token":"x","limit":"x"}`, "limit branch page_token"},

		{"describe", &describe{}, `{"branch":"..","version":0}`, "id branch version"},
		{"describe, one cannot be read", &describe{}, `{"id":7,"branch":"..","version":0}`, "id branch version"},

		{"batch delete", &batchDelete{}, `{"id":["t"],"branch":"..","ranges":[{"start_version":-1,"end_version":-2}]}`,
			"branch ranges[0].start_version ranges[0].end_version"},
		{"batch delete, one range is empty, another too wide", &batchDelete{},
			`{"id":["t"],"ranges":[{"start_version":3,"end_version":3},{"start_version":0,"end_version":2000000}]}`, "ranges[0].end_version ranges"},
		{"batch delete, no ranges", &batchDelete{}, `{"branch":".."}`, "id branch ranges"},
		{"batch delete, one cannot be read", &batchDelete{}, `{"id":["t"],"branch":7,"ranges":[{"start_version":3,"end_version":3}]}`,
			"branch ranges[0].end_version"},
		{"batch delete, a range cannot be read", &batchDelete{},
			`{"id":["t"],"branch":"..","ranges":[{"start_version":"x","end_version":3},{"start_version":-1,"end_version":3},{"start_version":0,"end_version":2000000}]}`,
			"ranges[0].start_version branch ranges[1].start_version ranges"},

		{"batch create", &batchCreate{}, `{"entries":[` + entry + `]}`,
			"entries[0].id entries[0].branch entries[0].version entries[0].manifest_path entries[0].manifest_size entries[0].naming_scheme"},
		{"batch create, nothing", &batchCreate{}, `{}`, "entries"},
		{"batch create, several entries", &batchCreate{}, `{"entries":[{"id":["t"],"version":2,"manifest_path":"_versions/x"},{"id":["t"]}]}`,
			"entries entries[1].version entries[1].manifest_path"},
		{"batch create, one cannot be read", &batchCreate{}, `{"entries":[{"id":["t"],"version":1.5,"manifest_size":1}]}`,
			"entries[0].version entries[0].manifest_path entries[0].manifest_size"},
		{"batch create, one of several cannot be read", &batchCreate{}, `{"entries":[{"id":["t"],"version":2,"manifest_path":"_versions/x","e_tag":7},7]}`,
			"entries[0].e_tag entries[1] entries"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			namespace, _ := inNamespace(laid(1, 2))
			err := send(t.Context(), namespace, tc.into, tc.text)
			var wrong *committer.InvalidRequestError
			require.ErrorAs(t, err, &wrong)
			var fields []string
			for _, f := range wrong.Fields {
				fields = append(fields, f.Field)
			}
			require.Equal(t, tc.want, strings.Join(fields, " "), err.Error())
			require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
		})
	}
}

func TestWhatOnlyAsksForMoreThanThereIsIsNoMalformedRequest(t *testing.T) {
	const good = `"version":2,"manifest_path":"_versions/x"`
	for _, tc := range []struct {
		into committer.Request
		text string
		want []string
	}{
		{&committer.CreateTableVersionRequest{}, `{"id":["a","b"],` + good + `}`, []string{"id: "}},
		{&committer.ListTableVersionsRequest{}, `{"id":["a","b"]}`, []string{"id: "}},
		{&committer.DescribeTableVersionRequest{}, `{"id":["a","b"]}`, []string{"id: "}},
		{&committer.BatchDeleteTableVersionsRequest{}, `{"id":["a","b"],"ranges":[{"start_version":0,"end_version":-1}]}`, []string{"id: "}},
		{&committer.BatchCreateTableVersionsRequest{}, `{"entries":[{"id":["a","b"],` + good + `}]}`, []string{"entries[0].id: "}},
		{&committer.BatchCreateTableVersionsRequest{}, `{"entries":[{"id":["t"],` + good + `},{"id":["a","b"],` + good + `}]}`,
			[]string{"entries: ", "; entries[1].id: "}},
	} {
		namespace, log := inNamespace(laid(1))
		err := send(t.Context(), namespace, tc.into, tc.text)
		require.ErrorIs(t, err, committer.ErrUnsupported, tc.text)
		require.NotErrorIs(t, err, committer.ErrInvalid, tc.text)
		for _, text := range tc.want {
			require.ErrorContains(t, err, text)
		}
		require.Empty(t, log.Take(), "nothing was asked of the store")
	}
}

func TestARefusedWriteOrDeleteThatCannotBeReadNamesTheLatestVersion(t *testing.T) {
	for text, into := range map[string]committer.Request{
		`{"id":["t"],"version":"x"}`:               &committer.CreateTableVersionRequest{},
		`{"entries":[{"id":["t"],"version":"x"}]}`: &committer.BatchCreateTableVersionsRequest{},
		`{"id":["t"],"ranges":"x"}`:                &committer.BatchDeleteTableVersionsRequest{},
	} {
		namespace, _ := inNamespace(laid(1, 2))
		require.ErrorContains(t, send(t.Context(), namespace, into, text), "; the latest version is 2", text)
		unknown := strings.Replace(text, `["t"]`, `7`, 1)
		require.NotContains(t, send(t.Context(), namespace, into, unknown).Error(), "latest", unknown)
	}
	namespace, log := inNamespace(laid(1, 2))
	require.NotContains(t, send(t.Context(), namespace, &committer.ListTableVersionsRequest{}, `{"id":["t"],"limit":"x"}`).Error(), "latest")
	require.Empty(t, log.Take())
	require.ErrorIs(t, namespace.Refuse(t.Context(), (*committer.ListTableVersionsRequest)(nil), nil), committer.ErrInvalid)
}

func TestAKeyWithAQuestionMarkIsShownWhole(t *testing.T) {
	namespace, _ := inNamespace(laid(1))
	for _, path := range []string{"a?b.lance/_versions/x", "a#b.lance/_versions/x", "/a?b/x", "what?"} {
		err := send(t.Context(), namespace, &committer.CreateTableVersionRequest{}, `{"id":["t"],"version":2,"manifest_path":"`+path+`"}`)
		require.ErrorContains(t, err, path)
	}
}

func TestARefusalSaysOnlyOnceThatTheRequestIsInvalid(t *testing.T) {
	const invalid = "invalid request: "
	namespace, _ := inNamespace(laid(1))
	for text, want := range map[string]string{
		`{"version":2,"manifest_path":"_versions/x"}`:                                                                  invalid + "id: it is missing",
		`{"id":["a/b"],"version":2,"manifest_path":"_versions/x"}`:                                                     invalid + `id: "a/b" has a '/'`,
		`{"id":["t"],"version":2,"manifest_path":"_versions/../x"}`:                                                    `manifest_path: "_versions/../x" is not the key of an object: the key`,
		`{"id":["t"],"version":2,"manifest_path":"_versions/x","metadata":{"a":"` + strings.Repeat("x", 1<<16) + `"}}`: "metadata: ",
		`{"id":["t"],"version":0,"manifest_path":"_versions/x"}`:                                                       "version: 0 is no version, or it is missing: they are numbers from 1",
		`{"id":["t"],"version":-4,"manifest_path":"_versions/x"}`:                                                      "version: -4 is no version: they are numbers from 1",
		`{"id":["invalid input: x/"],"version":2,"manifest_path":"_versions/x"}`:                                       `id: "invalid input: x/" has`,
	} {
		err := send(t.Context(), namespace, &committer.CreateTableVersionRequest{}, text)
		require.ErrorIs(t, err, committer.ErrInvalid, text)
		require.ErrorContains(t, err, want)
		rest := strings.Replace(err.Error(), invalid, "", 1)
		require.NotContains(t, rest, invalid, text)
		require.NotContains(t, strings.ReplaceAll(rest, `"invalid input: x/"`, ""), "invalid input", text)
	}
}
