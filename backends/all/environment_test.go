package all

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/azure"
	"github.com/lancecommit/lancecommit/backends/gcs"
	"github.com/lancecommit/lancecommit/backends/s3"
)

// env is an environment, or options.
type env = map[string]string

// at reads a location with options.
func at(t *testing.T, location string, options env) *place {
	at, err := parse(location)
	require.NoError(t, err)
	require.NoError(t, at.configure(options))
	return at
}

// set sets the environment for the test.
func set(t *testing.T, variables env) {
	for name, value := range variables {
		t.Setenv(name, value)
	}
}

func TestTheEnvironmentOfS3(t *testing.T) {
	for name, tc := range map[string]struct {
		env, options env
		want         s3.Config
	}{
		"nothing": {nil, nil, s3.Config{}},
		"an endpoint": {
			env{"AWS_ENDPOINT": "http://h", "AWS_ALLOW_HTTP": "true"}, nil,
			s3.Config{Endpoint: "http://h", AllowHTTP: true, PathStyle: true},
		},
		"one in AWS's words":         {env{"AWS_ENDPOINT_URL": "https://h"}, nil, s3.Config{Endpoint: "https://h", PathStyle: true}},
		"one for S3 counts more":     {env{"AWS_ENDPOINT_URL": "https://x", "AWS_ENDPOINT_URL_S3": "https://h"}, nil, s3.Config{Endpoint: "https://h", PathStyle: true}},
		"virtual hosts":              {env{"AWS_ENDPOINT": "https://h", "AWS_VIRTUAL_HOSTED_STYLE_REQUEST": "true"}, nil, s3.Config{Endpoint: "https://h"}},
		"one that AWS is to ignore":  {env{"AWS_ENDPOINT_URL": "https://h", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}, nil, s3.Config{}},
		"an empty variable":          {env{"AWS_ENDPOINT": "", "AWS_ALLOW_HTTP": ""}, nil, s3.Config{}},
		"an option overrides":        {env{"AWS_ENDPOINT": "https://x"}, env{"endpoint": "https://h"}, s3.Config{Endpoint: "https://h", PathStyle: true}},
		"an option turns off":        {env{"AWS_ALLOW_HTTP": "true"}, env{"allow_http": "false"}, s3.Config{}},
		"nobody":                     {env{"AWS_SKIP_SIGNATURE": "true"}, nil, s3.Config{Anonymous: true}},
		"a key of the options":       {env{"AWS_SKIP_SIGNATURE": "true"}, env{"aws_access_key_id": "i", "aws_secret_access_key": "s"}, s3.Config{AccessKeyID: "i", SecretAccessKey: "s"}},
		"a profile of the options":   {env{"AWS_SKIP_SIGNATURE": "true"}, env{"aws_profile": "p"}, s3.Config{Profile: "p"}},
		"a signature in the options": {env{"AWS_SKIP_SIGNATURE": "true"}, env{"aws_skip_signature": "false"}, s3.Config{}},
		"what the SDK reads itself": {
			env{"AWS_ACCESS_KEY_ID": "i", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t", "AWS_REGION": "r", "AWS_PROFILE": "p"}, nil, s3.Config{},
		},
		"names without a cloud": {env{"ENDPOINT": "https://x", "ALLOW_HTTP": "true", "TOKEN": "x", "REGION": "x"}, nil, s3.Config{}},
	} {
		t.Run(name, func(t *testing.T) {
			set(t, tc.env)
			p, err := at(t, "s3://bucket/t", tc.options).s3()
			require.NoError(t, err)
			require.Equal(t, tc.want, p.Config)
		})
	}
}

func TestWritesOfS3AreAsTheEnvironmentSays(t *testing.T) {
	set(t, env{
		"AWS_SERVER_SIDE_ENCRYPTION": "aws:kms", "AWS_SSE_KMS_KEY_ID": "k", "AWS_SSE_BUCKET_KEY_ENABLED": "true",
		"AWS_REQUEST_PAYER": "true", "AWS_CHECKSUM_ALGORITHM": "SHA256",
	})
	p, err := at(t, "s3://bucket/t", nil).s3()
	require.NoError(t, err)
	require.Equal(t, s3.Encryption{Algorithm: "aws:kms", KMSKeyID: "k", BucketKey: true}, p.encryption)
	require.True(t, p.requesterPays)
	require.Equal(t, s3.ChecksumSHA256, p.checksum)
}

// What is signed on the wire shows that credentials are not mixed.
func TestAKeyOfTheOptionsGoesWithoutTheTokenOfTheEnvironment(t *testing.T) {
	set(t, env{"AWS_ACCESS_KEY_ID": "ENVIRONMENT", "AWS_SECRET_ACCESS_KEY": "x", "AWS_SESSION_TOKEN": "TOKEN", "AWS_REGION": "eu-west-1"})
	var asked []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r)
		w.WriteHeader(404)
	}))
	defer server.Close()
	set(t, env{"AWS_ENDPOINT_URL": strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "AWS_ALLOW_HTTP": "true"})
	for _, tc := range []struct {
		options      env
		signed, with string
	}{
		{nil, "Credential=ENVIRONMENT/", "TOKEN"},
		{env{"aws_access_key_id": "OPTION", "aws_secret_access_key": "s"}, "Credential=OPTION/", ""},
		{env{"anonymous": "true"}, "", ""},
	} {
		asked = nil
		store, _, err := Open(t.Context(), "s3://bucket/t", tc.options)
		require.NoError(t, err)
		_, err = store.Head(t.Context(), "k")
		require.Error(t, err)
		require.NoError(t, store.Close())
		require.NotEmpty(t, asked)
		require.Equal(t, "/bucket/k", asked[0].URL.Path, "path style, though the host has a name")
		require.Equal(t, tc.with, asked[0].Header.Get("x-amz-security-token"))
		require.Contains(t, asked[0].Header.Get("Authorization"), tc.signed)
		require.Equal(t, tc.signed == "", asked[0].Header.Get("Authorization") == "")
	}
}

func TestTheEnvironmentOfGCS(t *testing.T) {
	for name, tc := range map[string]struct {
		env, options env
		want         gcs.Config
	}{
		"nothing":                      {nil, nil, gcs.Config{}},
		"a file":                       {env{"GOOGLE_SERVICE_ACCOUNT": "f"}, nil, gcs.Config{ServiceAccountPath: "f"}},
		"a file by its other name":     {env{"GOOGLE_SERVICE_ACCOUNT_PATH": "f"}, nil, gcs.Config{ServiceAccountPath: "f"}},
		"a key":                        {env{"GOOGLE_SERVICE_ACCOUNT_KEY": "k"}, nil, gcs.Config{ServiceAccountKey: "k"}},
		"a key and a file":             {env{"GOOGLE_SERVICE_ACCOUNT_KEY": "k", "GOOGLE_SERVICE_ACCOUNT": "f"}, nil, gcs.Config{ServiceAccountKey: "k"}},
		"nobody":                       {env{"GOOGLE_SKIP_SIGNATURE": "1", "GOOGLE_SERVICE_ACCOUNT": "f"}, nil, gcs.Config{Anonymous: true}},
		"not nobody":                   {env{"GOOGLE_SKIP_SIGNATURE": "0", "GOOGLE_SERVICE_ACCOUNT": "f"}, nil, gcs.Config{ServiceAccountPath: "f"}},
		"an endpoint":                  {env{"GOOGLE_BASE_URL": "https://h"}, nil, gcs.Config{Endpoint: "https://h"}},
		"a file of the options":        {env{"GOOGLE_SERVICE_ACCOUNT_KEY": "k"}, env{"service_account": "f"}, gcs.Config{ServiceAccountPath: "f"}},
		"other options":                {env{"GOOGLE_SERVICE_ACCOUNT_KEY": "k"}, env{"google_application_credentials": "f"}, gcs.Config{CredentialsFile: "f"}},
		"what the SDK reads itself":    {env{"GOOGLE_APPLICATION_CREDENTIALS": "f"}, nil, gcs.Config{}},
		"an emulator gets nothing":     {env{"GOOGLE_SERVICE_ACCOUNT_KEY": "k"}, env{"endpoint": "HTTP://h"}, gcs.Config{Endpoint: "HTTP://h"}},
		"the SDK's emulator, too":      {env{"GOOGLE_SERVICE_ACCOUNT": "f", "STORAGE_EMULATOR_HOST": "h:1"}, nil, gcs.Config{}},
		"but what the options give it": {nil, env{"endpoint": "http://h", "service_account": "f"}, gcs.Config{Endpoint: "http://h", ServiceAccountPath: "f"}},
	} {
		t.Run(name, func(t *testing.T) {
			set(t, tc.env)
			c, err := at(t, "gs://bucket/t", tc.options).gcs()
			require.NoError(t, err)
			require.Equal(t, tc.want, *c)
		})
	}
}

func TestTheEnvironmentOfAzure(t *testing.T) {
	const mine, there = "abfss://box@mine.dfs.core.windows.net/t", "https://mine.blob.core.windows.net"
	key := azure.Config{Account: "mine", AccountKey: "k"}
	for name, tc := range map[string]struct {
		location     string
		env, options env
		want         azure.Config
	}{
		"a key":                    {"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_ACCOUNT_KEY": "k"}, nil, key},
		"a key by its other name":  {"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_ACCESS_KEY": "k"}, nil, key},
		"the az tool's names":      {"az://box/t", env{"AZURE_STORAGE_ACCOUNT": "mine", "AZURE_STORAGE_KEY": "k"}, nil, key},
		"Lance's names count more": {"az://box/t", env{"AZURE_STORAGE_ACCOUNT": "x", "AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_KEY": "x", "AZURE_STORAGE_ACCOUNT_KEY": "k"}, nil, key},
		"a SAS token":              {"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_SAS_TOKEN": "s"}, nil, azure.Config{Account: "mine", SASToken: "s"}},
		"Lance's name for it":      {"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_SAS_KEY": "s"}, nil, azure.Config{Account: "mine", SASToken: "s"}},
		"a key and a SAS token":    {"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_ACCOUNT_KEY": "k", "AZURE_STORAGE_SAS_TOKEN": "s"}, nil, key},
		"nobody":                   {"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_ACCOUNT_KEY": "k", "AZURE_SKIP_SIGNATURE": "true"}, nil, azure.Config{Account: "mine", Anonymous: true}},
		"an endpoint":              {"az://box/t", env{"AZURE_STORAGE_ENDPOINT": "http://h", "AZURE_ALLOW_HTTP": "true"}, nil, azure.Config{Endpoint: "http://h", AllowHTTP: true}},
		"an emulator":              {"az://box/t", env{"AZURE_STORAGE_USE_EMULATOR": "true"}, nil, azure.Config{UseEmulator: true}},
		"a part of an identity":    {"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_CLIENT_ID": "c", "AZURE_STORAGE_SAS_TOKEN": "s"}, nil, azure.Config{Account: "mine", SASToken: "s"}},

		"a key of the options": {
			"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_SAS_TOKEN": "s", "AZURE_STORAGE_ACCOUNT_KEY": "x"},
			env{"account_key": "k"}, key,
		},
		"a SAS token of the options": {
			"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_ACCOUNT_KEY": "x"},
			env{"sas_token": "s"}, azure.Config{Account: "mine", SASToken: "s"},
		},
		"an account of the options": {
			"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "other", "AZURE_STORAGE_ACCOUNT_KEY": "x", "AZURE_STORAGE_ENDPOINT": "https://x"},
			env{"account_name": "mine"}, azure.Config{Account: "mine"},
		},
		"the same account": {
			"az://box/t", env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_ACCOUNT_KEY": "k", "AZURE_STORAGE_ENDPOINT": "https://h"},
			env{"account_name": "mine"}, azure.Config{Account: "mine", AccountKey: "k", Endpoint: "https://h"},
		},
		"a key without an account": {"az://box/t", env{"AZURE_STORAGE_ACCOUNT_KEY": "k"}, env{"account_name": "mine"}, key},
		"the account of the location": {
			mine, env{"AZURE_STORAGE_ACCOUNT": "other", "AZURE_STORAGE_KEY": "x", "AZURE_STORAGE_SAS_TOKEN": "x", "AZURE_STORAGE_ENDPOINT": "https://x"}, nil,
			azure.Config{Account: "mine", Endpoint: there},
		},
		"a key for the location": {
			mine, env{"AZURE_STORAGE_ACCOUNT": "mine", "AZURE_STORAGE_KEY": "k", "AZURE_STORAGE_ENDPOINT": "https://x"}, nil,
			azure.Config{Account: "mine", AccountKey: "k", Endpoint: there},
		},

		"a connection string": {
			"az://box/t", env{connectionString: "DefaultEndpointsProtocol=https;AccountName=mine;AccountKey=a/b+c==;EndpointSuffix=core.usgovcloudapi.net"}, nil,
			azure.Config{Account: "mine", AccountKey: "a/b+c==", Endpoint: "https://mine.blob.core.usgovcloudapi.net"},
		},
		"one with a SAS token": {
			"az://box/t", env{connectionString: "BlobEndpoint=https://h/;QueueEndpoint=https://q;SharedAccessSignature=sv=1&sig=a%3D;"}, nil,
			azure.Config{SASToken: "sv=1&sig=a%3D", Endpoint: "https://h/"},
		},
		"one of the emulator": {"az://box/t", env{connectionString: "UseDevelopmentStorage=true"}, nil, azure.Config{UseEmulator: true}},
		"one of Azurite": {
			"az://box/t", env{connectionString: "AccountName=devstoreaccount1;AccountKey=k;BlobEndpoint=http://127.0.0.1:1/devstoreaccount1"}, nil,
			azure.Config{Account: "devstoreaccount1", AccountKey: "k", Endpoint: "http://127.0.0.1:1/devstoreaccount1", UseEmulator: true},
		},
		"one for the location":            {mine, env{connectionString: "AccountName=mine;AccountKey=k"}, nil, azure.Config{Account: "mine", AccountKey: "k", Endpoint: there}},
		"one of another account":          {mine, env{connectionString: "AccountName=other;AccountKey=x"}, nil, azure.Config{Account: "mine", Endpoint: there}},
		"one beside a key":                {"az://box/t", env{connectionString: "AccountName=other;AccountKey=x", "AZURE_STORAGE_ACCOUNT": "mine", "AZURE_STORAGE_KEY": "k"}, nil, key},
		"one beside the account's key":    {"az://box/t", env{connectionString: "AccountName=mine;SharedAccessSignature=x", "AZURE_STORAGE_ACCOUNT": "mine", "AZURE_STORAGE_KEY": "k"}, nil, key},
		"one beside options":              {"az://box/t", env{connectionString: "AccountName=mine;SharedAccessSignature=x"}, env{"account_name": "mine", "account_key": "k"}, key},
		"one beside a variable's account": {"az://box/t", env{connectionString: "AccountName=mine;AccountKey=k", "AZURE_STORAGE_ACCOUNT": "mine"}, nil, azure.Config{Account: "mine", AccountKey: "k", Endpoint: there}},
	} {
		t.Run(name, func(t *testing.T) {
			set(t, tc.env)
			p, err := at(t, tc.location, tc.options).azure()
			require.NoError(t, err)
			require.Equal(t, tc.want, p.Config)
		})
	}
}

func TestAnIdentityOfTheEnvironmentIsTakenWhole(t *testing.T) {
	set(t, env{
		"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_CLIENT_ID": "c", "AZURE_STORAGE_CLIENT_SECRET": "s",
		"AZURE_STORAGE_TENANT_ID": "00000000-0000-0000-0000-000000000000", "AZURE_STORAGE_SAS_TOKEN": "x",
	})
	p, err := at(t, "az://box/t", nil).azure()
	require.NoError(t, err)
	require.NotNil(t, p.Credential)
	require.Empty(t, p.SASToken)
	_, err = at(t, "az://box/t", env{"azure_client_id": "c"}).azure()
	require.ErrorContains(t, err, "together", "the secret of the environment is not for this client")
}

func TestAnEnvironmentThatIsRefused(t *testing.T) {
	for location, cases := range map[string][]struct {
		env  env
		says string
	}{
		"s3://bucket/t": {
			{env{"AWS_ENDPOINT": "https://SECRET", "AWS_ENDPOINT_URL": "https://h"}, "AWS_ENDPOINT and AWS_ENDPOINT_URL mean the same"},
			{env{"AWS_ALLOW_HTTP": "SECRET"}, "the environment variable AWS_ALLOW_HTTP is neither true nor false"},
			{env{"AWS_SSE_CUSTOMER_KEY_BASE64": "SECRET"}, "SSE-C"},
			{env{"AWS_ENDPOINT": "http://SECRET", "AWS_REGION": "r"}, "allow HTTP"},
			{env{"AWS_ENDPOINT_URL_S3": "ftp://SECRET", "AWS_REGION": "r"}, "https://"},
		},
		"gs://bucket/t": {
			{env{"GOOGLE_SERVICE_ACCOUNT": "SECRET", "GOOGLE_SERVICE_ACCOUNT_PATH": "f"}, "mean the same"},
			{env{"GOOGLE_SERVICE_ACCOUNT_KEY": "SECRET"}, "not JSON"},
		},
		"az://box/t": {
			{env{"AZURE_STORAGE_ACCOUNT_KEY": "SECRET"}, "no storage account is given"},
			{env{"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_ACCOUNT_KEY": "SECRET!"}, "base64"},
			{env{connectionString: "SECRET"}, "AZURE_STORAGE_CONNECTION_STRING is malformed"},
			{env{connectionString: "AccountKey=SECRET"}, "neither AccountName nor BlobEndpoint"},
		},
	} {
		for _, tc := range cases {
			t.Run(location+" "+tc.says, func(t *testing.T) {
				set(t, tc.env)
				_, _, err := Open(t.Context(), location, nil)
				require.ErrorIs(t, err, backends.ErrInvalid)
				require.ErrorContains(t, err, tc.says)
				require.NotContains(t, err.Error(), "SECRET")
			})
		}
	}
}

func TestTheDocumentationListsTheVariables(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for _, options := range [][]option{new(s3Place).options(), gcsOptions(new(gcs.Config)), new(azurePlace).options()} {
		for _, o := range options {
			for _, variable := range slices.Concat(o.variables...) {
				if !slices.Contains(o.names, strings.ToLower(variable)) || o.credentials != "" {
					require.Contains(t, string(doc), strings.ReplaceAll(variable, "AUTHORITY_ID", "TENANT_ID"))
				}
			}
		}
	}
	require.Contains(t, string(doc), connectionString)
}
