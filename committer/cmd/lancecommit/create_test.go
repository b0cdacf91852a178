package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/file"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/integration/fixtures"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// requestFor asks for the version that a chain has staged.
func requestFor(fixture fixtures.Table, chain fixtures.Chain) *committer.CreateTableVersionRequest {
	return &committer.CreateTableVersionRequest{
		ID: []string{fixture.Name}, Version: int64(chain.Next.Number), Branch: chain.Branch, ManifestPath: chain.Staged,
	}
}

// createWith runs create with a request on standard input, and reads what it
// printed into answer.
func createWith(t *testing.T, request any, answer any, args ...string) result {
	t.Helper()
	body, ok := request.([]byte)
	if !ok {
		var err error
		body, err = json.Marshal(request)
		require.NoError(t, err)
	}
	got := callWith(t, body, append([]string{"create"}, args...)...)
	require.NoError(t, json.Unmarshal([]byte(got.out), answer), got.out+got.err)
	return got
}

func TestCreateMakesWhatLanceDBStagedAVersion(t *testing.T) {
	for _, fixture := range []fixtures.Table{fixtures.V1(), fixtures.V2(), fixtures.Branch()} {
		table := layFixture(t, fixture)
		for _, chain := range fixture.Chains() {
			var first, again committer.CreateTableVersionResponse
			got := createWith(t, requestFor(fixture, chain), &first, "--root", filepath.Dir(table))
			require.Equal(t, exitOK, got.code, got.err)
			require.Empty(t, got.err)
			require.Equal(t, chain.Final(), first.Version.ManifestPath)
			require.NotEmpty(t, first.TransactionID)
			require.NoFileExists(t, filepath.Join(filepath.Dir(table), chain.Staged))
			got = createWith(t, requestFor(fixture, chain), &again, "--root", filepath.Dir(table))
			require.Equal(t, exitOK, got.code, got.err)
			require.Equal(t, first, again)
		}
	}
}

func TestCreateOnATableByItsOwnLocation(t *testing.T) {
	fixture := fixtures.V2()
	table := layFixture(t, fixture)
	var response committer.CreateTableVersionResponse
	got := createWith(t, map[string]any{"version": 3, "manifest_path": "_versions/" + filepath.Base(fixture.Main.Staged)}, &response,
		"--table", table, "--keep-staged")
	require.Equal(t, exitOK, got.code, got.err)
	require.EqualValues(t, 3, response.Version.Version)
	require.FileExists(t, filepath.Join(filepath.Dir(table), fixture.Main.Staged))
}

func TestTheIDOfACreate(t *testing.T) {
	fixture := fixtures.V2()
	for _, tc := range []struct {
		name string
		body []string // nil leaves it out
		args []string
		code int
		want int // the specification's, -1 for success
	}{
		{"in the request", []string{"quickstart"}, nil, exitOK, -1},
		{"in the route", nil, []string{"--id", "quickstart"}, exitOK, -1},
		{"in both", []string{"quickstart"}, []string{"--id", "quickstart"}, exitOK, -1},
		{"another in the body", []string{"other"}, []string{"--id", "quickstart"}, exitInvalid, 13},
		{"a child namespace", nil, []string{"--id", "a$b", "--delimiter", "$"}, exitUnsupported, 0},
		{"a child namespace by another delimiter", nil, []string{"--id", "a.b", "--delimiter", "."}, exitUnsupported, 0},
		{"an empty delimiter", nil, []string{"--id", "quickstart", "--delimiter", ""}, exitInvalid, 13},
		{"the delimiter alone", nil, []string{"--id", "$"}, exitInvalid, 13},
		{"nowhere", nil, nil, exitInvalid, 13},
		{"a table that is not there", []string{"other"}, nil, exitUnsupported, 0}, // the catalog may know it
	} {
		t.Run(tc.name, func(t *testing.T) {
			table := layFixture(t, fixture)
			req := requestFor(fixture, fixture.Main)
			req.ID = tc.body
			if tc.name == "a table that is not there" {
				req.ManifestPath = "_versions/x"
			}
			var answer struct{ Code *int }
			got := createWith(t, req, &answer, append([]string{"--root", filepath.Dir(table)}, tc.args...)...)
			require.Equal(t, tc.code, got.code, got.err)
			if tc.want < 0 {
				require.Nil(t, answer.Code)
				return
			}
			require.NotNil(t, answer.Code)
			require.Equal(t, tc.want, *answer.Code, got.out)
			require.NotEmpty(t, got.err)
			require.Equal(t, 2, finals(t, table))
		})
	}
}

func TestARefusedCreateSaysTheLatestVersion(t *testing.T) {
	fixture := fixtures.V2()
	for version, want := range map[string]struct{ code, exit int }{
		"4": {14, exitConflict}, "2": {14, exitConflict}, "1": {14, exitConflict},
		"0": {13, exitInvalid}, "-1": {13, exitInvalid}, "9223372036854775808": {13, exitInvalid}, `"3"`: {13, exitInvalid},
	} {
		table := layFixture(t, fixture)
		staged := filepath.Join(filepath.Dir(table), fixture.Main.Staged)
		number := uint64(4)
		fmt.Sscan(version, &number)
		require.NoError(t, os.WriteFile(staged, testmanifest.New(number, "", "mine"), 0o666))
		var body committer.ErrorBody
		request := fmt.Appendf(nil, `{"id":["quickstart"],"version":%s,"manifest_path":%q}`, version, fixture.Main.Staged)
		got := createWith(t, request, &body, "--root", filepath.Dir(table))
		require.Equal(t, want.exit, got.code, got.err)
		require.Equal(t, want.code, body.Code)
		require.Contains(t, body.Error, "the latest version is 2", version)
		require.Equal(t, "/v1/table/quickstart/version/create", body.Instance)
		require.Contains(t, got.err, body.Error)
		require.FileExists(t, staged)
		require.Equal(t, 2, finals(t, table))
	}
}

func TestCreateRefusesAStagedManifestThatWouldBreakTheTable(t *testing.T) {
	valid := testmanifest.New(3, "", "mine")
	beyond := append([]byte(nil), valid...)
	beyond[len(beyond)-15] = 1
	for name, body := range map[string][]byte{
		"empty":                   nil,
		"truncated":               valid[:len(valid)-5],
		"wrong magic":             append(valid[:len(valid)-1:len(valid)-1], 'X'),
		"position beyond the end": beyond,
		"100 MB of zeros":         make([]byte, 100<<20),
		"another version inside":  testmanifest.New(4, "", "mine"),
		"another branch inside":   testmanifest.New(3, "exp/one", "mine"),
	} {
		t.Run(name, func(t *testing.T) {
			fixture := fixtures.V2()
			table := layFixture(t, fixture)
			staged := filepath.Join(filepath.Dir(table), fixture.Main.Staged)
			require.NoError(t, os.WriteFile(staged, body, 0o666))
			var answer committer.ErrorBody
			got := createWith(t, requestFor(fixture, fixture.Main), &answer, "--root", filepath.Dir(table))
			require.Equal(t, exitInvalid, got.code, got.err)
			require.Equal(t, committer.CodeInvalidInput, answer.Code)
			require.Contains(t, answer.Error, fixture.Main.Staged, "it says which manifest")
			require.FileExists(t, staged)
			require.Equal(t, 2, finals(t, table))
		})
	}
}

// seed is the request that the specification shows, with every field set.
const seed = `{"naming_scheme":"V2","metadata":{"key":"metadata"},"manifest_path":"manifest_path",
	"identity":{"api_key":"api_key","auth_token":"auth_token"},"manifest_size":0,"context":{"key":"context"},
	"id":["id","id"],"e_tag":"e_tag","version":0,"branch":"branch"}`

func TestTheExampleOfTheSpecificationIsToldEveryWrongField(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	var body committer.ErrorBody
	got := createWith(t, []byte(seed), &body, "--root", filepath.Dir(table))
	require.Equal(t, exitInvalid, got.code)
	for _, field := range []string{"id: ", "version: ", "manifest_path: ", "manifest_size: "} {
		require.Contains(t, body.Error, field)
	}
	require.Equal(t, "/v1/table/id$id/version/create", body.Instance)
	got = createWith(t, []byte(seed), &body, "--table", table)
	require.Equal(t, exitInvalid, got.code)
	for _, field := range []string{"version: ", "manifest_size: "} {
		require.Contains(t, body.Error, field)
	}
	for _, secret := range []string{"api_key", "auth_token"} {
		require.NotContains(t, got.out+got.err, secret)
	}
}

func TestCreateIsGivenARequest(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	var body committer.ErrorBody
	for _, text := range []string{"", "no JSON", `{"version":3`, `[]`, `{"version":3}{}`} {
		got := createWith(t, []byte(text), &body, "--root", filepath.Dir(table))
		require.Equal(t, exitInvalid, got.code, text)
		require.Equal(t, committer.CodeInvalidInput, body.Code)
	}
	got := createWith(t, nil, &body, "--root", filepath.Dir(table), filepath.Join(t.TempDir(), "absent.json"))
	require.Equal(t, exitInvalid, got.code)
}

func TestWhereARequestIsNoJSONIsSaid(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for text, says := range map[string]string{
		"": "there is no request in standard input", " \n": "there is no request in standard input", `{"id":["images"],}`: "the request is not JSON at byte 18",
		"{}{}": "the request is not JSON at byte 3", "{} \n x": "the request is not JSON at byte 6", `{"identity":s3cr3t`: "the request is not JSON at byte 13",
		`{"version":3`: "the request is not JSON at byte 12", "\ufeff{}": "the request is not JSON at byte 1", "no": "the request is not JSON at byte 2",
	} {
		for _, id := range [][]string{nil, {"--id", "quickstart"}, {"--id", "quickstart", "--delimiter", ""}} {
			var body committer.ErrorBody
			got := createWith(t, []byte(text), &body, append([]string{"--root", filepath.Dir(table)}, id...)...)
			require.Equal(t, exitInvalid, got.code, text)
			require.Equal(t, committer.CodeInvalidInput, body.Code)
			require.Contains(t, body.Error, "create table version: invalid input: "+says, text)
			require.NotContains(t, got.out+got.err, "s3cr3t")
		}
	}
	empty := write(t, nil)
	require.Contains(t, call(t, "create", "--root", filepath.Dir(table), empty).err, "there is no request in "+empty)
}

func TestARefusedCreateSaysOnlyOnceThatItIsInvalid(t *testing.T) {
	got := callWith(t, []byte(`{"version":3,"manifest_path":"_versions/x"}`), "create", "--root", filepath.Dir(layFixture(t, fixtures.V2())), "--id", "$")
	require.Contains(t, got.err, "invalid request: id: the id")
	require.NotContains(t, got.err, "invalid input")
}

func TestWhatWaitingCannotDecideIsNotToBeRunAgainUntilItIs(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for version, says := range map[int]string{2: "the version does not say where it was staged", 1: "the version is gone"} {
		if version == 1 {
			require.NoError(t, os.Remove(filepath.Join(table, "_versions", naming.V2.Final(1))))
		}
		got := callWith(t, fmt.Appendf(nil, `{"version":%d,"manifest_path":"_versions/mistyped"}`, version), "create", "--table", table)
		require.Equal(t, exitUnknown, got.code, got.err)
		require.Contains(t, got.err, says)
		require.Contains(t, got.err, "or the path is mistyped")
		require.NotContains(t, got.err, "until it says")
	}
}

func TestWrongUsageOfCreateIsAnsweredInJSONAsAnyOtherRequest(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for _, tc := range []struct{ args, says, instance string }{
		{"", "one of --root and --table", ""},
		{"--id images", "one of --root and --table", "/v1/table/images/version/create"},
		{"--root a --table b", "--root and --table exclude each other", ""},
		{"--root a --delimiter .", "--delimiter is for --id", ""},
		{"--root a b c", "argument number 2 is too many", ""},
		{"--root a --bogus", "unknown flag: --bogus", ""},
		{"--id images --bogus", "unknown flag: --bogus", "/v1/table/images/version/create"},
		{"--root a --keep-staged=x", "--keep-staged", ""},
		{"--root", "--root", ""},
		{"--table T --storage-option x", "NAME=VALUE", ""},
	} {
		args := strings.Fields(strings.Replace(tc.args, "T", table, 1))
		for _, flag := range [][]string{nil, {"--json"}} {
			if len(args) > 0 && args[len(args)-1] == "--root" && flag != nil {
				continue // it would be the value
			}
			var body committer.ErrorBody
			got := createWith(t, []byte("{}"), &body, append(args[:len(args):len(args)], flag...)...)
			require.Equal(t, exitInvalid, got.code, tc.args)
			require.Equal(t, committer.CodeInvalidInput, body.Code, tc.args)
			require.Contains(t, body.Error, tc.says)
			require.Equal(t, tc.instance, body.Instance, tc.args)
			require.Contains(t, got.err, tc.says)
			require.Equal(t, flag != nil, json.Valid([]byte(got.err)), got.err)
		}
	}
	require.Contains(t, call(t, "create", "--help").out, "Usage:", "to ask for help is no wrong usage")
}

func TestCreateInATableThatIsNotThere(t *testing.T) {
	fixture := fixtures.V2()
	at := filepath.Join(t.TempDir(), "absent?.lance")
	var body committer.ErrorBody
	got := createWith(t, requestFor(fixture, fixture.Main), &body, "--table", at)
	require.Equal(t, exitNotFound, got.code)
	require.Equal(t, committer.CodeTableNotFound, body.Code)
	require.Contains(t, body.Error, at)
	require.NoDirExists(t, at)
}

func TestCreateByAURLOfTheStore(t *testing.T) {
	fixture := fixtures.V2()
	table := layFixture(t, fixture)
	req := requestFor(fixture, fixture.Main)
	req.ManifestPath = "file://" + filepath.ToSlash(filepath.Join(filepath.Dir(table), fixture.Main.Staged))
	var response committer.CreateTableVersionResponse
	got := createWith(t, req, &response, "--root", filepath.Dir(table))
	require.Equal(t, exitOK, got.code, got.err)
	require.True(t, strings.HasSuffix(response.Version.ManifestPath, naming.V2.Final(3)))
}

func TestARefusedCreateNamesEveryWrongField(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for _, tc := range []struct {
		request string
		args    []string
		fields  []string
	}{
		{
			`{"id":["a","b"],"version":1.5,"manifest_path":"/etc/passwd","naming_scheme":"v9"}`, nil,
			[]string{"id: ", "version: 1.5 ", "manifest_path: ", "naming_scheme: "},
		},
		{
			`{"id":["other"],"version":1.5,"manifest_path":"/etc/passwd"}`, []string{"--id", "quickstart"},
			[]string{"id: ", `the table ["quickstart"]`, `its body ["other"]`, "version: 1.5 ", "manifest_path: "},
		},
		{`{"id":["quickstart"],"version":0}`, []string{"--id", "quickstart", "--delimiter", ""}, []string{"id: ", "version: 0 ", "manifest_path: "}},
		{"{\"id\":[\"quickstart\"],\"version\":3,\"manifest_path\":\"_versions/x\",\"metadata\":{\"a\":\"\xff\"}}", nil, []string{"metadata.a: it is not UTF-8"}},
		{`{"id":["quickstart"],"version":0,"manifest_path":"_versions/x","metadata":{"a":null}}`, nil, []string{"metadata.a: ", "version: 0 "}},
	} {
		var body committer.ErrorBody
		got := createWith(t, []byte(tc.request), &body, append([]string{"--root", filepath.Dir(table)}, tc.args...)...)
		require.Equal(t, exitInvalid, got.code, tc.request)
		require.Equal(t, committer.CodeInvalidInput, body.Code)
		for _, field := range tc.fields {
			require.Contains(t, body.Error, field, tc.request)
		}
		require.Equal(t, 2, finals(t, table))
	}
}

func TestTheAnswerToARefusedCreateSaysWhichTableWasAskedFor(t *testing.T) {
	table := layFixture(t, fixtures.V2())
	for _, tc := range []struct {
		request string
		args    []string
		want    string
	}{
		{`{"id":["quickstart"]}`, nil, "/v1/table/quickstart/version/create"},
		{`{"id":["a","b c"]}`, nil, "/v1/table/a$b%20c/version/create"},
		{`{}`, []string{"--id", "quickstart"}, "/v1/table/quickstart/version/create"},
		{`{}`, []string{"--id", "a.b", "--delimiter", "."}, "/v1/table/a$b/version/create"},
		{`{"id":["other"]}`, []string{"--id", "quickstart"}, "/v1/table/quickstart/version/create"},
		{`{"id":["other"]}`, []string{"--id", "quickstart", "--delimiter", ""}, "/v1/table/quickstart/version/create"},
		{`{"id":7}`, []string{"--id", "quickstart"}, "/v1/table/quickstart/version/create"},
		{`no JSON`, []string{"--id", "quickstart"}, "/v1/table/quickstart/version/create"},
		{`{}`, []string{"--id", "$"}, "/v1/table/$/version/create"},
		{`{}`, nil, ""},
	} {
		var body committer.ErrorBody
		got := createWith(t, []byte(tc.request), &body, append([]string{"--root", filepath.Dir(table)}, tc.args...)...)
		require.Equal(t, exitInvalid, got.code, got.err)
		require.Equal(t, tc.want, body.Instance, "%s %s", tc.request, tc.args)
	}
	var body committer.ErrorBody
	createWith(t, nil, &body, "--root", filepath.Dir(table), "--id", "quickstart", filepath.Join(t.TempDir(), "absent.json"))
	require.Equal(t, "/v1/table/quickstart/version/create", body.Instance, "also where there is no request")
}

func TestShowPrintsTheMetadataOfAVersion(t *testing.T) {
	fixture := fixtures.V2()
	table := layFixture(t, fixture)
	require.Regexp(t, `(?m)^metadata +-$`, call(t, "show", table).out)
	store, err := file.Open(table)
	require.NoError(t, err)
	defer store.Close()
	if !store.Capabilities().Metadata {
		t.Skip("the file system of the test keeps no extended attributes")
	}
	req := requestFor(fixture, fixture.Main)
	req.Metadata = map[string]string{"run": "7", "a b": "x,y", "lines": "1\n2\x1b[31m", "empty": ""}
	var response committer.CreateTableVersionResponse
	got := createWith(t, req, &response, "--root", filepath.Dir(table))
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, req.Metadata, response.Version.Metadata)
	require.Equal(t, req.Metadata, parse[versionJSON](t, call(t, "show", table, "3", "--json")).Metadata)
	require.Regexp(t, `(?m)^metadata +"a b"="x,y", empty="", lines="1\\n2\\x1b\[31m", run=7$`, call(t, "show", table, "3").out)
}
