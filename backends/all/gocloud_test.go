package all

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/azure"
	"github.com/lancecommit/lancecommit/backends/gcs"
	"github.com/lancecommit/lancecommit/backends/s3"
)

func TestParametersOfGocloudForS3(t *testing.T) {
	const own, vpc = "https://h", "https://bucket.vpce-1.s3.eu-west-1.vpce.amazonaws.com"
	for name, tc := range map[string]struct {
		options env
		checks  s3.Checksum
		says    string
	}{
		"checksums when required":                {env{"request_checksum_calculation": "when_required"}, s3.ChecksumNone, ""},
		"both when required":                     {env{"request_checksum_calculation": "WHEN_REQUIRED", "response_checksum_validation": "when_required"}, s3.ChecksumNone, ""},
		"both when supported":                    {env{"request_checksum_calculation": "when_supported", "response_checksum_validation": "when_supported"}, s3.ChecksumAuto, ""},
		"in a VPC":                               {env{"request_checksum_calculation": "when_supported", "endpoint": vpc}, s3.ChecksumAuto, ""},
		"when required, on a server":             {env{"request_checksum_calculation": "when_required", "response_checksum_validation": "when_required", "endpoint": own}, s3.ChecksumNone, ""},
		"answers when required, on a server":     {env{"response_checksum_validation": "when_required", "endpoint": own}, s3.ChecksumAuto, ""},
		"when required, and one that is named":   {env{"request_checksum_calculation": "when_required", "checksum_algorithm": "MD5"}, s3.ChecksumMD5, ""},
		"answers only, when required":            {env{"response_checksum_validation": "when_required"}, 0, "set both"},
		"when supported, on a server":            {env{"request_checksum_calculation": "when_supported", "endpoint": own}, 0, "other servers refuse"},
		"answers when supported, on a server":    {env{"response_checksum_validation": "when_supported", "endpoint": own}, 0, "for AWS"},
		"when supported, and one that is named":  {env{"request_checksum_calculation": "when_supported", "checksum_algorithm": "MD5"}, 0, "contradict"},
		"answers when supported, requests not":   {env{"request_checksum_calculation": "when_required", "response_checksum_validation": "when_supported"}, 0, "leave it out"},
		"another word":                           {env{"request_checksum_calculation": "SECRET"}, 0, "is none of when_supported, when_required"},
		"a host that stays, without a server":    {env{"hostname_immutable": "true"}, 0, "set aws_endpoint"},
		"a host that stays, and one that is not": {env{"hostname_immutable": "true", "endpoint": own, "virtual_hosted_style_request": "true"}, 0, "contradict"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NotContains(t, name, "SECRET")
			p, err := at(t, "s3://bucket/t", tc.options).s3()
			if tc.says != "" {
				require.ErrorIs(t, err, backends.ErrInvalid)
				require.ErrorContains(t, err, tc.says)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.checks, p.checksum)
		})
	}
	p, err := at(t, "s3://bucket/t?hostname_immutable=true&endpoint=https://h", nil).s3()
	require.NoError(t, err)
	require.True(t, p.PathStyle)
}

// What is on the wire shows that the words have their effect.
func TestAWriteThatAWSWouldNotRequireAChecksumOfHasNoneWhenAskedSo(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer server.Close()
	for want, options := range map[string]env{
		"":            {"request_checksum_calculation": "when_required"},
		"Content-Md5": {"checksum_algorithm": "MD5"},
	} {
		options["endpoint"], options["allow_http"], options["region"] = server.URL, "true", "r"
		options["access_key_id"], options["secret_access_key"] = "id", "secret"
		store, _, err := Open(t.Context(), "s3://bucket/t", options)
		require.NoError(t, err)
		_, _ = store.PutIfAbsent(t.Context(), "k", []byte("body"), backends.PutOptions{})
		require.NoError(t, store.Close())
		require.NotNil(t, got)
		for name := range got {
			isChecksum := name == "Content-Md5" || strings.HasPrefix(name, "X-Amz-Checksum") || name == "X-Amz-Sdk-Checksum-Algorithm"
			require.Equal(t, name == want, isChecksum, name)
		}
	}
}

func TestParametersOfGocloudForGCS(t *testing.T) {
	c, err := at(t, "gs://bucket/t?access_id=-", nil).gcs()
	require.NoError(t, err)
	require.Equal(t, gcs.Config{Anonymous: true}, *c)
	t.Setenv("GOOGLE_SERVICE_ACCOUNT", "f")
	c, err = at(t, "gs://bucket/t?access_id=-", nil).gcs()
	require.NoError(t, err)
	require.Equal(t, gcs.Config{Anonymous: true}, *c, "the environment's credentials are not for nobody")
	_, err = at(t, "gs://bucket/t?grpc=false&zonal=false", nil).gcs()
	require.NoError(t, err)
}

func TestParametersOfGocloudForAzure(t *testing.T) {
	const mine = "abfss://box@mine.dfs.core.windows.net/t"
	for name, tc := range map[string]struct {
		location     string
		env, options env
		want         azure.Config
		says         string
	}{
		"another cloud": {
			"az://box/t", nil, env{"storage_account": "mine", "domain": "blob.core.usgovcloudapi.net"},
			azure.Config{Account: "mine", Endpoint: "https://mine.blob.core.usgovcloudapi.net"}, "",
		},
		"the account of the environment, and not its endpoint": {
			"az://box/t", env{"AZURE_STORAGE_ACCOUNT": "mine", "AZURE_STORAGE_KEY": "k", "AZURE_STORAGE_ENDPOINT": "https://x"},
			env{"domain": "blob.core.chinacloudapi.cn", "protocol": "https"},
			azure.Config{Account: "mine", AccountKey: "k", Endpoint: "https://mine.blob.core.chinacloudapi.cn"}, "",
		},
		"an emulator":         {"az://box/t", nil, env{"localemu": "true", "domain": "localhost:1", "protocol": "http"}, azure.Config{UseEmulator: true, Endpoint: "http://localhost:1"}, ""},
		"an emulator's TLS":   {"az://box/t", nil, env{"localemu": "true", "protocol": "https"}, azure.Config{UseEmulator: true, Endpoint: "https://127.0.0.1:10000"}, ""},
		"HTTP that is meant":  {"az://box/t", nil, env{"account_name": "mine", "protocol": "http", "allow_http": "true"}, azure.Config{Account: "mine", Endpoint: "http://mine.blob.core.windows.net", AllowHTTP: true}, ""},
		"no CDN":              {"az://box/t", nil, env{"account_name": "mine", "cdn": "false"}, azure.Config{Account: "mine"}, ""},
		"HTTP":                {"az://box/t", nil, env{"account_name": "mine", "protocol": "http"}, azure.Config{}, "allow_http=true"},
		"a CDN":               {"az://box/t", nil, env{"account_name": "mine", "cdn": "true"}, azure.Config{}, "can be old"},
		"no account":          {"az://box/t", nil, env{"domain": "h"}, azure.Config{}, "set azure_storage_account_name"},
		"an endpoint, too":    {"az://box/t", nil, env{"account_name": "mine", "domain": "h", "endpoint": "https://h"}, azure.Config{}, "leave one out"},
		"a location with one": {mine, nil, env{"domain": "h"}, azure.Config{}, "leave them out"},
		"a path":              {"az://box/t", nil, env{"account_name": "mine", "domain": "h/SECRET"}, azure.Config{}, "is no host"},
		"a user":              {"az://box/t", nil, env{"account_name": "mine", "domain": "SECRET@h"}, azure.Config{}, "is no host"},
		"another protocol":    {"az://box/t", nil, env{"account_name": "mine", "protocol": "SECRET"}, azure.Config{}, "is none of https, http"},
	} {
		t.Run(name, func(t *testing.T) {
			set(t, tc.env)
			p, err := at(t, tc.location, tc.options).azure()
			if tc.says != "" {
				require.ErrorIs(t, err, backends.ErrInvalid)
				require.ErrorContains(t, err, tc.says)
				require.NotContains(t, err.Error(), "SECRET")
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, p.Config)
		})
	}
}

func TestATokenOfAzureIsSent(t *testing.T) {
	var got string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		w.WriteHeader(404)
	}))
	defer server.Close()
	p, err := at(t, "az://box/t", env{"account_name": "mine", "azure_storage_token": "TOKEN"}).azure()
	require.NoError(t, err)
	opts := &container.ClientOptions{}
	opts.Transport = server.Client()
	client, err := container.NewClient(server.URL+"/box", p.Credential, opts)
	require.NoError(t, err)
	store, err := azure.New(client, azure.Options{})
	require.NoError(t, err)
	_, err = store.Head(t.Context(), "k")
	require.Error(t, err)
	require.Equal(t, "Bearer TOKEN", got)
	server.Client().CloseIdleConnections()
}

func TestATokenOfAzureIsOneOfTheKindsOfCredentials(t *testing.T) {
	tokenOf := func(p *azurePlace) string {
		if p.Credential == nil {
			return ""
		}
		token, err := p.Credential.GetToken(t.Context(), policy.TokenRequestOptions{})
		require.NoError(t, err)
		return token.Token
	}
	p, err := at(t, "az://box/t", env{"account_name": "mine", "token": "T", "bearer_token": "T"}).azure()
	require.NoError(t, err)
	require.Equal(t, "T", tokenOf(p))
	set(t, env{"AZURE_STORAGE_TOKEN": "E", "AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_ACCOUNT_KEY": "k", connectionString: "AccountName=mine;AccountKey=k"})
	p, err = at(t, "az://box/t", nil).azure()
	require.NoError(t, err)
	require.Equal(t, "E", tokenOf(p))
	require.Empty(t, p.AccountKey, "of the kinds in the environment one is taken")
	p, err = at(t, "az://box/t", env{"account_key": "k"}).azure()
	require.NoError(t, err)
	require.Empty(t, tokenOf(p), "the options' key goes without the token of the environment")
	p, err = at(t, "az://box/t", env{"token": "T"}).azure()
	require.NoError(t, err)
	require.Equal(t, "T", tokenOf(p))
	require.Empty(t, p.AccountKey)
	for _, other := range []env{
		{"token": "SECRET", "use_azure_cli": "true"}, {"token": "SECRET", "client_id": "c", "client_secret": "s", "tenant_id": "t"},
	} {
		_, err = at(t, "az://box/t", other).azure()
		require.ErrorContains(t, err, "give one of")
	}
	_, _, err = Open(t.Context(), "az://box/t", env{"token": "SECRET", "account_key": "k"})
	require.ErrorContains(t, err, "give one of")
	require.NotContains(t, err.Error(), "SECRET")
}

func TestAnOptionThatCannotHaveAnEffectIsRefusedWithTheReason(t *testing.T) {
	of := map[kind]string{s3Kind: "s3://bucket/t", gcsKind: "gs://bucket/t", azureKind: "az://box/t"}
	for kind, location := range of {
		for _, o := range slices.Concat(without[kind], without[""]) {
			for _, name := range o.names {
				_, _, err := Open(t.Context(), location, env{name: "true", "anonymous": "true"})
				if strings.HasSuffix(name, "disable_tagging") { // is ignored
					if err != nil {
						require.NotContains(t, err.Error(), name)
					}
					continue
				}
				require.ErrorIs(t, err, backends.ErrInvalid, name)
				require.ErrorContains(t, err, "the option "+name+" ", location)
				require.NotContains(t, err.Error(), "not known")
				if o.flag {
					_, _, err := Open(t.Context(), location, env{name: "false", "anonymous": "true"})
					if err != nil {
						require.NotContains(t, err.Error(), name, "turned off it asks for what is done")
					}
				}
			}
			require.Empty(t, o.variables, "what an SDK reads in the environment must not be refused there")
		}
	}
}

// These are gocloud's parameters as its documentation lists them, and some of Lance's.
func TestEveryParameterOfGocloudIsKnown(t *testing.T) {
	for location, names := range map[string]string{
		"s3://bucket/t": "region anonymous profile role role_session_name role_external_id role_duration web_identity_token_file endpoint " +
			"hostname_immutable dualstack fips rate_limiter_capacity request_checksum_calculation response_checksum_validation awssdk " +
			"ssetype kmskeyid accelerate use_path_style s3ForcePathStyle disable_https prefix key timeout connect_timeout",
		"gs://bucket/t": "anonymous access_id private_key_path universe_domain grpc zonal prefix key timeout connect_timeout",
		"az://box/t":    "domain protocol cdn localemu storage_account prefix key timeout connect_timeout azure_storage_token",
	} {
		for name := range strings.FieldsSeq(names) {
			store, _, err := Open(t.Context(), location, env{name: "SECRET"})
			if err != nil {
				require.NotContains(t, err.Error(), "not known", name)
				continue
			}
			require.NoError(t, store.Close())
		}
	}
}

func TestAnEndpointWithoutTLSIsAnsweredWithTheOptionToSet(t *testing.T) {
	for location, variable := range map[string]string{
		"s3://bucket/t?region=r&endpoint=http://SECRET":              "AWS_ALLOW_HTTP",
		"s3://bucket/t?region=r&endpoint=HTTP://SECRET":              "AWS_ALLOW_HTTP",
		"az://box/t?account_name=mine&endpoint=http://SECRET":        "AZURE_ALLOW_HTTP",
		"az://box/t?account_name=mine&anonymous=true&protocol=http#": "AZURE_ALLOW_HTTP",
	} {
		_, _, err := Open(t.Context(), location, nil)
		require.ErrorIs(t, err, backends.ErrInvalid)
		require.ErrorContains(t, err, "allow_http=true, or "+variable+"=true in the environment")
		require.NotContains(t, err.Error(), "SECRET")
	}
}
