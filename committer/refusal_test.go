package committer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
)

func TestARefusalNamesWhatCannotBeReadAndWhatIsWrong(t *testing.T) {
	for _, tc := range []struct {
		name, request string
		fields        []string
		latest        bool
	}{
		{
			"everything", `{"id":["a","b"],"version":1.5,"manifest_path":"/etc/passwd","naming_scheme":"v9","manifest_size":1,"metadata":{"a":null},"branch":".."}`,
			[]string{"version", "metadata.a", "id", "branch", "manifest_path", "manifest_size", "naming_scheme"}, false,
		},
		{"an id of a child namespace alone", `{"id":["a","b"],"version":1,"manifest_path":"_versions/x","e_tag":7}`, []string{"e_tag", "id"}, false},
		{"what is missing", `{"id":["t"],"e_tag":7}`, []string{"e_tag", "version", "manifest_path"}, true},
		{"one field", `{"id":["t"],"version":"2","manifest_path":"_versions/x"}`, []string{"version"}, true},
		{"what was read is right", `{"id":["t"],"version":2,"manifest_path":"_versions/x","new":"\ud800"}`, []string{"new"}, true},
		{"the id", `{"id":"t","version":0,"manifest_path":"_versions/x"}`, []string{"id", "version"}, false},
		{"the branch", `{"id":["t"],"version":0,"manifest_path":"_versions/x","branch":7}`, []string{"branch", "version"}, false},
		{"a field in a list", `{"id":["t",7],"version":0,"manifest_path":"_versions/x"}`, []string{"id[1]", "version"}, false},
		{"no object", `[]`, []string{""}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := laid(1, 2)
			namespace, log := inNamespace(store)
			var req committer.CreateTableVersionRequest
			decoding := json.Unmarshal([]byte(tc.request), &req)
			require.Error(t, decoding)
			err := namespace.Refuse(t.Context(), &req, decoding)
			var wrong *committer.InvalidRequestError
			require.ErrorAs(t, err, &wrong)
			var fields []string
			for _, f := range wrong.Fields {
				fields = append(fields, f.Field)
			}
			require.Equal(t, tc.fields, fields)
			require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
			if tc.latest {
				require.ErrorContains(t, err, "; the latest version is 2")
			} else {
				require.NotContains(t, err.Error(), "latest")
			}
			for _, request := range log.Take() {
				require.Regexp(t, "^(LIST|HEAD|GET) ", request, "nothing is written")
			}
		})
	}
}

func TestARequestThatIsNoJSONIsRefusedWithoutItsText(t *testing.T) {
	store := laid(1, 2)
	var req committer.CreateTableVersionRequest
	decoding := json.Unmarshal([]byte(`{"identity":s3cr3t`), &req)
	err := committer.NewNamespace(store, root, committer.AtTable()).Refuse(t.Context(), &req, decoding)
	require.EqualError(t, err, "create table version: invalid input: the request is not JSON at byte 13; the latest version is 2")
	require.ErrorIs(t, err, committer.ErrInvalid)

	namespace, log := inNamespace(store)
	err = namespace.Refuse(t.Context(), &req, decoding)
	require.EqualError(t, err, "create table version: invalid input: the request is not JSON at byte 13")
	require.Empty(t, log.Take(), "nobody knows which table it is about")

	req.ID = tableID // from the route
	require.ErrorContains(t, namespace.Refuse(t.Context(), &req, decoding), "; the latest version is 2")
	require.ErrorIs(t, namespace.Refuse(t.Context(), nil, decoding), committer.ErrInvalid)
	require.ErrorContains(t, committer.NewNamespace(store, "a/..").Refuse(t.Context(), &req, errors.New("any")), "a/..")
	require.ErrorContains(t, namespace.Refuse(t.Context(), &req, fmt.Errorf("%w: mine", committer.ErrInvalid)), "mine; the latest")
}

func TestAMalformedIDDoesNotHideOtherFields(t *testing.T) {
	namespace, _ := inNamespace(laid(1))
	zero := int64(0)
	for _, id := range [][]string{nil, {""}, {"a", "b"}, {"a/b"}} {
		_, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: id, Branch: "..", Version: &zero})
		for _, field := range []string{"id: ", "branch: ", "version: "} {
			require.ErrorContains(t, err, field, "%q", id)
		}
		require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
		_, err = namespace.ListTableVersions(t.Context(), &committer.ListTableVersionsRequest{ID: id, Branch: "..", Limit: &zero})
		for _, field := range []string{"id: ", "branch: ", "limit: "} {
			require.ErrorContains(t, err, field, "%q", id)
		}
	}
	_, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: []string{"a", "b"}})
	require.Equal(t, committer.CodeUnsupported, committer.Code(err), "alone it is no fault of the request")
}
