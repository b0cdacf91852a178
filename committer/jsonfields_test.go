package committer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// everyRequest returns a request of each operation, and a response.
func everyRequest() []any {
	return []any{
		new(committer.CreateTableVersionRequest), new(committer.BatchCreateTableVersionsRequest), new(committer.ListTableVersionsRequest),
		new(committer.DescribeTableVersionRequest), new(committer.BatchDeleteTableVersionsRequest), new(committer.CreateTableVersionEntry),
		new(committer.DescribeTableVersionResponse),
	}
}

// unclean are texts in JSON that encoding/json changes silently.
var unclean = map[string]string{
	"a byte that is no UTF-8":     "t\xff",
	"a sequence that is cut":      "t\xe2\x82",
	"a surrogate in UTF-8":        "\xed\xa0\x80",
	"a high half alone":           `\ud800`,
	"a high half and a letter":    `\ud83dx`,
	"a high half and an escape":   `\ud83d\n`,
	"a high half and another":     `\ud83d\ud83d`,
	"a low half alone":            `\uDE00`,
	"the halves in wrong order":   `\ude00\ud83d`,
	"a half behind a backslash":   `\\\ud800`,
	"a half behind a whole":       `\ud83d\ude00\ude00`,
	"a half in capitals, at last": `x\uDBFF`,
}

func TestTextThatCannotBeKeptAsItIsIsRefusedWhereverItIs(t *testing.T) {
	for name, text := range unclean {
		for _, tc := range []struct{ request, field string }{
			{`{"id":["a","%s"]}`, "id[1]"},
			{`{"branch":"%s"}`, "branch"},
			{`{"manifest_path":"%s"}`, "manifest_path"},
			{`{"e_tag":"%s"}`, "e_tag"},
			{`{"metadata":{"a":"","b":"%s"}}`, "metadata.b"},
			{`{"context":{"a":"%s"}}`, "context.a"},
			{`{"identity":{"auth_token":"%s"}}`, "identity.auth_token"},
			{`{"identity":{"new":"%s"}}`, "identity.new"},
			{`{"version":"%s"}`, "version"},
			{`{"new":[{"deep":"%s"}]}`, "new"},
			{`{"new":{"%s":1}}`, "new"},
		} {
			t.Run(name+" in "+tc.field, func(t *testing.T) {
				var req committer.CreateTableVersionRequest
				err := json.Unmarshal(fmt.Appendf(nil, tc.request, text), &req)
				var wrong *committer.InvalidRequestError
				require.ErrorAs(t, err, &wrong)
				require.Len(t, wrong.Fields, 1)
				require.Equal(t, tc.field, wrong.Fields[0].Field)
				require.Regexp(t, "^it (is not UTF-8|has half of a surrogate pair, which is no character)$", wrong.Fields[0].Reason)
			})
		}
		for _, into := range everyRequest() {
			for _, object := range []string{`{"%s":1}`, `{ "id" : ["t"] , "%s" : 1 }`, `{"new":"%s"}`} {
				err := json.Unmarshal(fmt.Appendf(nil, object, text), into)
				require.ErrorIs(t, err, committer.ErrInvalid, "%s in %s of %T", name, object, into)
			}
		}
		for _, at := range []string{"metadata", "context"} {
			err := json.Unmarshal(fmt.Appendf(nil, `{"%s":{"%s":"x"}}`, at, text), new(committer.CreateTableVersionRequest))
			require.ErrorContains(t, err, "invalid request: "+at+".", name)
			require.ErrorContains(t, err, "its name ", name)
		}
	}
}

func TestTextThatIsUnusualAndRightIsKept(t *testing.T) {
	var req committer.CreateTableVersionRequest
	require.NoError(t, json.Unmarshal([]byte(`{"id":["\ud83d\ude00","\\ud800","`+"\ufffd"+`","\ufffd","\u0000"],"metadata":{"\u00e4":"ä􏿿"}}`), &req))
	require.Equal(t, []string{"😀", `\ud800`, "\ufffd", "\ufffd", "\x00"}, req.ID)
	require.Equal(t, map[string]string{"ä": "ä􏿿"}, req.Metadata)
}

func TestNothingIsCommittedIntoATableOfAnotherName(t *testing.T) {
	store := laid(1)
	namespace, log := inNamespace(store)
	lay := stageAs(store, "db/t\ufffd.lance", "", 1, "mine")
	var req committer.CreateTableVersionRequest
	err := json.Unmarshal(fmt.Appendf(nil, "{\"id\":[\"t\xff\"],\"version\":1,\"manifest_path\":%q}", lay.ManifestPath), &req)
	require.ErrorContains(t, err, "id[0]: it is not UTF-8")

	req = *stage(store, 2, "mine")
	for want, metadata := range map[string]map[string]string{"a": {"a": "\xff\xfe"}, `"\xff"`: {"\xff": "a"}} {
		req.Metadata = metadata
		_, err = namespace.CreateTableVersion(t.Context(), &req)
		require.ErrorIs(t, err, committer.ErrInvalid)
		require.ErrorContains(t, err, "metadata: the entry "+want+" is not UTF-8", "also where the request did not come as JSON")
	}
	require.NotContains(t, keys(t, store), naming.V2.Final(2))
	for _, request := range log.Take() {
		require.NotRegexp(t, "^(PUT|DELETE)", request)
	}
}

func TestMapsAndListsOfTextHaveNothingElse(t *testing.T) {
	for _, at := range []string{"metadata", "context"} {
		for value, want := range map[string]string{
			`{"a":null}`:                   ".a: it must be a string",
			`{"a":"x","b":1}`:              ".b: it must be a string",
			`{"a":["x"]}`:                  ".a: it must be a string",
			`{"a":"x","a":"x"}`:            ".a: it is given twice",
			`{"a":"x","\u0061":"y"}`:       ".a: it is given twice",
			`{"\u0000":1}`:                 `."\x00": it must be a string`,
			`["a"]`:                        ": it must be an object whose values are strings",
			`"a"`:                          ": it must be an object whose values are strings",
			`{"b":1,"a":null,"a":"twice"}`: ".a: it is given twice; " + at + ".b: it must be a string",
		} {
			var req committer.CreateTableVersionRequest
			err := json.Unmarshal(fmt.Appendf(nil, `{"version":7,"%s":%s}`, at, value), &req)
			require.EqualError(t, err, "invalid request: "+at+want, value)
			require.Nil(t, req.Metadata)
			require.Nil(t, req.Context)
			require.EqualValues(t, 7, req.Version, "what can be read is read")
		}
	}
	for value, want := range map[string]string{
		`["t",null]`: "id[1]: it must be a string", `[1]`: "id[0]: it must be a string", `["t",["u"],{}]`: "id[1]: it must be a string; id[2]: it must be a string",
	} {
		err := json.Unmarshal([]byte(`{"id":`+value+`}`), new(committer.CreateTableVersionRequest))
		require.EqualError(t, err, "invalid request: "+want)
	}
	var response committer.DescribeTableVersionResponse
	require.EqualError(t, json.Unmarshal([]byte(`{"version":{"metadata":{"a":null}}}`), &response),
		"invalid request: version.metadata.a: it must be a string")
}

func TestAFieldInAListIsNamedByItsPlace(t *testing.T) {
	for _, tc := range []struct {
		into       any
		text, want string
	}{
		{
			&committer.BatchCreateTableVersionsRequest{}, `{"entries":[{"version":1},{},{"version":1.5,"id":["a",7]},null,{"metadata":{"a":1}},7]}`,
			`entries[2].id[1]: it must be a string; entries[2].version: 1.5 is not an integer of 64 bits; ` +
				`entries[3]: it is not a JSON object; entries[4].metadata.a: it must be a string; entries[5]: it is not a JSON object`,
		},
		{&committer.BatchCreateTableVersionsRequest{}, `{"entries":{}}`, "entries: it must be a list of objects"},
		{
			&committer.BatchDeleteTableVersionsRequest{},
			`{"branch":1,"ranges":[{"start_version":1,"end_version":2},{"start_version":"x"},{"end_version":1.5},{"start_version":null,"end_version":3}]}`,
			`branch: it must be a string; ranges[1].start_version: "x" is not an integer of 64 bits; ranges[1].end_version: it is missing; ` +
				`ranges[2].end_version: 1.5 is not an integer of 64 bits; ranges[2].start_version: it is missing; ranges[3].start_version: it is missing`,
		},
	} {
		require.EqualError(t, json.Unmarshal([]byte(tc.text), tc.into), "invalid request: "+tc.want)
	}
}

func TestTheFieldsThatAreNamedAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"a list":         `{"ranges":[` + strings.Repeat("{},", 10_000) + `{}]}`,
		"a map":          `{"context":{` + strings.Repeat(`"a":1,`, 10_000) + `"b":1}}`,
		"names":          `{` + strings.Repeat(`"a":1,`, 10_000) + `"b":1}`,
		"names of names": `{"` + strings.Repeat("a", 10_000) + `":"\ud800"}`,
	} {
		err := json.Unmarshal([]byte(text), new(committer.BatchDeleteTableVersionsRequest))
		var wrong *committer.InvalidRequestError
		require.ErrorAs(t, err, &wrong, name)
		require.Less(t, len(err.Error()), 10_000, name)
		if name != "names of names" {
			require.Len(t, wrong.Fields, 101, name)
			require.True(t, strings.HasSuffix(err.Error(), "; and more"), name)
		}
	}
}

func TestUnknownFieldsSurviveByteForByte(t *testing.T) {
	const unknown = `"new":{"a":1.0,"a":1e3,"b":null,"c":"\u00e9\/\ud83d\ude00\\ud800 <é>"},"newer":[-0,12345678901234567890]`
	for _, into := range everyRequest() {
		require.NoError(t, json.Unmarshal([]byte(`{`+unknown+`}`), into))
		again, err := into.(json.Marshaler).MarshalJSON()
		require.NoError(t, err)
		require.True(t, bytes.HasSuffix(again, []byte(unknown+`}`)), "%s", again)
	}
}
