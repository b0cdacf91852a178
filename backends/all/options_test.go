package all

import (
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/s3"
)

func TestBucketAndKeyOfALocation(t *testing.T) {
	for location, want := range map[string][2]string{
		"s3://bucket":             {"bucket", ""},
		"s3://bucket/":            {"bucket", ""},
		"S3://bucket/db/t.lance/": {"bucket", "db/t.lance"},
		"gs://bucket/db/t.lance":  {"bucket", "db/t.lance"},
		"az://box/t.lance":        {"box", "t.lance"},
		"azblob://box/t.lance":    {"box", "t.lance"},
		"abfss://box@acct.dfs.core.windows.net/db/t.lance": {"box", "db/t.lance"},
		"s3://bucket/t.lance?prefix=db":                    {"bucket", "db/t.lance"},
		"s3://bucket?prefix=db/":                           {"bucket", "db"},
		"s3://bucket/a b/ä/a+b/%41/100%/[x]/a~b/c^d":       {"bucket", "a%20b/%C3%A4/a+b/%41/100%/[x]/a~b/c^d"},
	} {
		at := at(t, location, nil)
		require.Equal(t, want, [2]string{at.bucket, at.key}, location)
	}
}

func TestLocationsInACloudThatAreRefused(t *testing.T) {
	for location, says := range map[string]string{
		"s3+ddb://bucket/t.lance":          "DynamoDB",
		"s3://":                            "no bucket",
		"s3:///t.lance":                    "no bucket",
		"s3://bucket/t.lance?key=1":        "one object",
		"s3://bucket/t#1":                  "fragment",
		"s3://bucket/a//b":                 "part",
		"s3://bucket/../b":                 "part",
		"s3://id:SECRET@bucket/t":          "credentials are given as options",
		"abfss://box/t":                    "malformed",
		"abfss://box@acct.example.com/t":   "abfss://container@account",
		"s3://bucket/t?region=a&region=b":  "twice",
		"s3://bucket/t?%zz":                "query",
		"gs://bucket/t?google_base_url=%0": "query",
	} {
		_, _, err := Open(t.Context(), location, nil)
		require.Error(t, err, location)
		require.ErrorContains(t, err, says, location)
		require.NotContains(t, err.Error(), "SECRET")
	}
}

func TestOptionsOfS3(t *testing.T) {
	at, err := parse("s3://bucket/t?region=eu-west-1&ssetype=aws:kms")
	require.NoError(t, err)
	require.NoError(t, at.configure(map[string]string{
		"aws_access_key_id": "id", "AWS_SECRET_ACCESS_KEY": "secret", "session_token": "token",
		"aws_endpoint": "http://127.0.0.1:9", "allow_http": "true", "aws_sse_kms_key_id": "k", "aws_sse_bucket_key_enabled": "true",
		"aws_request_payer": "requester", "aws_expected_bucket_owner": "42", "aws_checksum_algorithm": "SHA256",
	}))
	p, err := at.s3()
	require.NoError(t, err)
	require.Equal(t, s3.Config{
		Region: "eu-west-1", Endpoint: "http://127.0.0.1:9", AllowHTTP: true, AccessKeyID: "id", SecretAccessKey: "secret", SessionToken: "token",
		PathStyle: true,
	}, p.Config)
	require.Equal(t, s3.Encryption{Algorithm: "aws:kms", KMSKeyID: "k", BucketKey: true}, p.encryption)
	require.True(t, p.requesterPays)
	require.Equal(t, "42", p.owner)
	require.Equal(t, s3.ChecksumSHA256, p.checksum)
}

func TestOptionsThatAreRefused(t *testing.T) {
	for _, tc := range []struct {
		location string
		options  map[string]string
		says     string
	}{
		{"s3://b/t", map[string]string{"aws_acess_key_id": "SECRET"}, "did you mean aws_access_key_id?"},
		{"gs://b/t", map[string]string{"google_servce_account": "SECRET"}, "did you mean google_service_account?"},
		{"az://box/t", map[string]string{"azure_storage_acount_name": "SECRET"}, "did you mean azure_storage_account_name?"},
		{"s3://b/t", map[string]string{"google_service_account": "SECRET"}, "not known for the S3 bucket"},
		{"s3://b/t?region=a", map[string]string{"aws_region": "b"}, "are one"},
		{"s3://b/t?region=a", map[string]string{"region": "b"}, "twice"},
		{"s3://b/t", map[string]string{"allow_http": "SECRET"}, "neither true nor false"},
		{"s3://b/t", map[string]string{"aws_sse_customer_key_base64": "SECRET"}, "SSE-C"},
		{"s3://b/t", map[string]string{"aws_region": "r", "aws_endpoint": "http://SECRET@h"}, "HTTP"},
		{"s3://b/t?region=", nil, "the option region is empty"},
		{"s3://b/t?endpoint=", nil, "the option endpoint is empty"},
		{"gs://b/t", map[string]string{"google_service_account": ""}, "the option google_service_account is empty"},
		{"az://box/t", map[string]string{"sas_token": ""}, "the option sas_token is empty"},
		{"s3://b/t?region=r&endpoint=ftp://SECRET", nil, "https://"},
		{"s3://b/t?region=r&fips=true&endpoint=https://h", nil, "FIPS"},
		{"az://box/t", nil, "no storage account is given; set azure_storage_account_name, or AZURE_STORAGE_ACCOUNT_NAME"},
		{"az://box/t", map[string]string{"azure_client_id": "SECRET"}, "together"},
		{"az://box/t", map[string]string{"account_name": "acct", "account_key": "SECRET!"}, "base64"},
		{"abfss://box@acct.dfs.core.windows.net/t", map[string]string{"account_name": "other"}, "different accounts"},
	} {
		_, _, err := Open(t.Context(), tc.location, tc.options)
		require.ErrorIs(t, err, backends.ErrInvalid, "%v", tc)
		require.ErrorContains(t, err, tc.says)
		require.NotContains(t, err.Error(), "SECRET")
	}
	_, _, err := Open(t.Context(), t.TempDir(), map[string]string{"aws_region": "r"})
	require.ErrorIs(t, err, backends.ErrInvalid)
}

func TestAnOptionIsSuggestedOnlyWhereItIsLikeTheOneGiven(t *testing.T) {
	for name, want := range map[string]string{
		"foo": "", "fip": "fips", "x": "", "bucket": "", "timeout": "", "google_service_account": "",
		"regoin": "region", "acess_key": "", "aws_secret_key": "", "aws_secret_acces_key": "aws_secret_access_key", "endpont": "endpoint",
	} {
		_, _, err := Open(t.Context(), "s3://b/t", map[string]string{name: "SECRET"})
		require.ErrorIs(t, err, backends.ErrInvalid)
		if want == "" {
			require.NotContains(t, err.Error(), "did you mean", name)
			continue
		}
		require.ErrorContains(t, err, "; did you mean "+want+"?")
	}
}

func TestAnOptionWhoseNameAndValueAreSwappedIsNotShown(t *testing.T) {
	const aws = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYab" // without '/' and '+' a secret key is like a name
	for _, name := range []string{aws, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "0c5e9f2a", "secretsecret"} {
		for value, known := range map[string]string{
			"aws_secret_access_key": "", "AWS_SECRET_ACCESS_KEY": "aws_secret_access_key", "aws_secret_acess_key": "aws_secret_access_key",
			"google_service_account_key": "", "azure_storage_account_key": "", "sas_token": "", "token": "", "role_arn": "", "prefix": "",
		} {
			if known == "" {
				known = value
			}
			query := "?" + url.QueryEscape(name) + "=" + value
			for _, tc := range []struct {
				location string
				options  map[string]string
			}{
				{"s3://b/t", map[string]string{name: value}},
				{"gs://b/t", map[string]string{name: value}},
				{"az://box/t", map[string]string{name: value}},
				{t.TempDir(), map[string]string{name: value}},
				{"s3://b/t" + query, nil},
				{"s3://b/t" + query, map[string]string{strings.ToUpper(name): "other"}},
			} {
				_, _, err := Open(t.Context(), tc.location, tc.options)
				require.ErrorIs(t, err, backends.ErrInvalid)
				require.ErrorContains(t, err, "name and value seem to be swapped (write "+known+"=VALUE)")
				require.NotContains(t, strings.ToLower(err.Error()), strings.ToLower(name))
			}
		}
	}
	for _, name := range []string{"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "two words", "a+b"} {
		_, _, err := Open(t.Context(), "s3://b/t", map[string]string{name: "x"})
		require.ErrorContains(t, err, "are name and value swapped?")
		require.NotContains(t, strings.ToLower(err.Error()), strings.ToLower(name))
	}
	_, _, err := Open(t.Context(), "s3://b/t", map[string]string{"aws_regon": "eu-west-1"})
	require.ErrorContains(t, err, "the option aws_regon is not known", "what is only mistyped is shown")
}

func TestASchemeOfAnotherProgramIsAnsweredWithTheOneToWrite(t *testing.T) {
	for location, says := range map[string]string{
		"gcs://b/t": "write gs://", "s3a://b/t": "write s3://", "wasbs://b/t": "write az://", "abfs://b/t": "write abfss://",
		"https://host/b": "its endpoint", "ftp://b/t": "there are s3://",
	} {
		_, _, err := Open(t.Context(), location, nil)
		require.ErrorIs(t, err, backends.ErrUnsupported)
		require.ErrorContains(t, err, says)
	}
}

func TestTheDocumentationListsEveryOption(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	listed := make(map[string]bool)
	for _, word := range strings.FieldsFunc(string(doc), func(r rune) bool {
		return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}) {
		listed[word] = true
	}
	var missing []string
	for _, o := range everyOption() {
		for _, name := range o.names {
			if !listed[name] {
				missing = append(missing, name)
			}
		}
	}
	require.Empty(t, missing, "of %d words", len(slices.Collect(maps.Keys(listed))))
}

func TestEachKindOfStoreOpens(t *testing.T) {
	for location, options := range map[string]map[string]string{
		"s3://bucket/t":  {"aws_region": "us-east-1", "aws_access_key_id": "id", "aws_secret_access_key": "secret"},
		"gs://bucket/t":  {"google_base_url": "http://127.0.0.1:1", "allow_http": "true"},
		"az://box/t":     {"azure_storage_use_emulator": "true"},
		"azblob://box/t": {"account_name": "acct", "sas_token": "sv=2024&sig=abc"},
		"abfss://box@acct.dfs.core.windows.net/t": {"anonymous": "true"},
	} {
		store, key, err := Open(t.Context(), location, options)
		require.NoError(t, err, location)
		require.Equal(t, "t", key)
		require.NoError(t, store.Close())
	}
}
