package own

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOptionsAreAListOrAnObject(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       map[string]string
	}{
		{"nothing", " \n", nil},
		{"one", "aws_region=eu-west-1", map[string]string{"aws_region": "eu-west-1"}},
		{
			"several, with spaces before names and the end of a file", "allow_http=true, AWS_REGION=x\n",
			map[string]string{"allow_http": "true", "AWS_REGION": "x"},
		},
		{"a value with = in it", "account_key=ab==,sas_token=?sv=1&sig=a%2Bb=", map[string]string{
			"account_key": "ab==", "sas_token": "?sv=1&sig=a%2Bb=",
		}},
		{"an empty value", "a=", map[string]string{"a": ""}},
		{
			"an object, whose values may have commas", ` {"aws_region": "x", "google_service_account_key": "{\"a\":1,\"b\":2}"}`,
			map[string]string{"aws_region": "x", "google_service_account_key": `{"a":1,"b":2}`},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseOptions(tc.text)
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestMalformedOptionsAreRefusedWithoutTheirValues(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"no value":                             {"a=1,SECRET", "item 2 is not name=value"},
		"a comma in a value":                   {"a=1,b=pass,SECRETword=", "item 3 is not name=value"},
		"a service account, not in an object":  {`google_service_account_key={"type":"SECRET","private_key":"SECRET=="}`, "item 2 is not name=value"},
		"no name":                              {"=SECRET", "item 1 is not name=value"},
		"an empty item":                        {"a=1,,b=SECRET", "item 2 is not name=value"},
		"a name that is a piece of a secret":   {"a=1,+/SECRET=", "item 2 is not name=value"},
		"a name twice":                         {"a=SECRET,a=1", "the option a is there twice"},
		"an object that is cut":                {`{"a": "SECRET"`, "no JSON object of texts"},
		"an object with a number":              {`{"a": 7777}`, "no JSON object of texts"},
		"an object with text behind":           {`{"a": "SECRET"} SECRET`, "no JSON object of texts"},
		"an object with an object":             {`{"a": {"b": "SECRET"}}`, "no JSON object of texts"},
		"an object in which a value has no \"": {`{"a": SECRET}`, "no JSON object of texts"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseOptions(tc.text)
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), "SECRET")
			require.NotContains(t, err.Error(), "7777")
		})
	}
}

func TestAFolderHasAnAddressForLance(t *testing.T) {
	for _, tc := range []struct{ location, key, want string }{
		{"s3://bucket", "name", "s3://bucket/name"},
		{"s3://bucket/", "name", "s3://bucket/name"},
		{"s3://bucket/a/b?region=x&prefix=p", "p/a/b/name", "s3://bucket/p/a/b/name"},
		{"gs://bucket/a", "a/name", "gs://bucket/a/name"},
		{"azblob://container/a", "a/name", "az://container/a/name"},
		{"abfss://c@account.dfs.core.windows.net/a", "a/name", "abfss://c@account.dfs.core.windows.net/a/name"},
		{"/mnt/tables", "name", "/mnt/tables/name"},
		{"/mnt/tables/", "name", "/mnt/tables/name"},
		{"file:///mnt/a%20b", "name", "file:///mnt/a%20b/name"},
	} {
		require.Equal(t, tc.want, (&Store{Location: tc.location}).uri(tc.key), tc.location)
	}
}

func TestAFolderOnDiskHasAPath(t *testing.T) {
	for location, want := range map[string]string{
		"/mnt/tables": "/mnt/tables/name", "tables/": "tables/name", "file:///mnt/a%20b/": "/mnt/a b/name",
		"FILE:///mnt": "/mnt/name", "s3://bucket/a": "", "az://container": "",
	} {
		require.Equal(t, want, (&Store{Location: location}).disk("name"), location)
	}
}

func TestLanceDBGetsTheOptionsOfTheQueryToo(t *testing.T) {
	s := &Store{Location: "s3://bucket/a?region=x&prefix=p", Options: map[string]string{"allow_http": "true"}}
	require.Equal(t, map[string]string{"region": "x", "allow_http": "true"}, s.StorageOptions())
}

func TestAnErrorOfLanceDBIsShownWithoutTheValuesOfOptions(t *testing.T) {
	s := &Store{Location: "s3://bucket?token=QUERYSECRET", Options: map[string]string{"aws_access_key_id": "AKIDSECRET", "allow_http": "true"}}
	err := s.Hide(errors.New("it is true: <Key>AKIDSECRET</Key><Token-0>QUERYSECRET</Token-0>"))
	require.EqualError(t, err, "it is true: <Key>…</Key><Token-0>…</Token-0>")
	require.NoError(t, s.Hide(nil))
}

func TestAProxyStandsOnlyInFrontOfWhatHasNoTLS(t *testing.T) {
	for _, tc := range []struct {
		name    string
		options map[string]string
		want    string
	}{
		{"AWS", nil, ""},
		{"an endpoint with TLS", map[string]string{"aws_endpoint": "https://minio:9000"}, ""},
		{"an endpoint without", map[string]string{"aws_endpoint": "http://minio:9000", "allow_http": "true"}, "http://minio:9000"},
		{
			"a bucket in the name of the host",
			map[string]string{"aws_endpoint": "http://minio:9000", "aws_virtual_hosted_style_request": "true"}, "",
		},
	} {
		require.Equal(t, tc.want, (&Store{Options: tc.options}).Endpoint(), tc.name)
	}
	s := &Store{Location: "az://container", Options: map[string]string{
		"azure_storage_endpoint": "http://127.0.0.1:10000/account", "allow_http": "true", "account_key": "http",
	}}
	require.Equal(t, &Store{Location: "az://container", Options: map[string]string{
		"azure_storage_endpoint": "http://127.0.0.1:7/account", "allow_http": "true", "account_key": "http",
	}}, s.Through("http://127.0.0.1:7"))
}

func TestLanceDBWritesToAllButEmulatorsOfGCS(t *testing.T) {
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	for _, tc := range []struct {
		location, options string
		want              bool
	}{
		{"gs://bucket", "", true},
		{"gs://bucket", "google_base_url=https://storage-xyz.p.googleapis.com", true},
		{"gs://bucket", "google_base_url=http://127.0.0.1:4443", false},
		{"GS://bucket?endpoint=http://127.0.0.1:4443", "", false},
		{"s3://bucket", "aws_endpoint=http://127.0.0.1:9000", true},
		{"az://container", "azure_storage_endpoint=http://127.0.0.1:10000", true},
		{"/mnt/tables", "", true},
		{"gs://bucket", "malformed", true}, // so that a test says so
	} {
		t.Setenv(EnvStore, tc.location)
		t.Setenv(EnvOptions, tc.options)
		require.Equal(t, tc.want, LanceDBWrites(), "%s %s", tc.location, tc.options)
	}
	t.Setenv(EnvStore, "gs://bucket")
	t.Setenv(EnvOptions, "")
	t.Setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:4443")
	require.False(t, LanceDBWrites())
}
