package all

// without are options of gocloud and of Lance that cannot have an effect here,
// by kind of store, and those of all under "". Each is refused with the reason and
// with what to do in its place. None is read from the environment, where those
// that the SDKs know are in use.
var without = map[kind][]option{
	s3Kind: {
		none("takes a role of AWS; name the role in a profile of the AWS configuration and the profile in aws_profile, or set AWS_ROLE_ARN "+
			"and AWS_WEB_IDENTITY_TOKEN_FILE in the environment, or give a client of your own to s3.New",
			"role", "role_arn", "aws_role_arn", "role_session_name", "aws_role_session_name", "role_external_id", "role_duration",
			"web_identity_token_file", "aws_web_identity_token_file", "endpoint_url_sts", "aws_endpoint_url_sts"),
		none("limits how often the SDK repeats requests; a create is sent once here, and reads are repeated within a time; leave it out",
			"rate_limiter_capacity"),
		none("chooses how Lance commits; a commit here is always one create with If-None-Match; leave it out",
			"copy_if_not_exists", "aws_copy_if_not_exists", "conditional_put", "aws_conditional_put"),
		none("is where credentials come from; the SDK reads AWS_EC2_METADATA_SERVICE_ENDPOINT, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, "+
			"AWS_CONTAINER_CREDENTIALS_FULL_URI and AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE in the environment; set them there",
			"metadata_endpoint", "aws_metadata_endpoint", "imdsv1_fallback", "aws_imdsv1_fallback",
			"container_credentials_relative_uri", "aws_container_credentials_relative_uri",
			"container_credentials_full_uri", "aws_container_credentials_full_uri",
			"container_authorization_token_file", "aws_container_authorization_token_file"),
		refusedOn("leaves the body out of the signature; manifests are always signed here; leave it out", "unsigned_payload", "aws_unsigned_payload"),
		none("says what the name of the bucket says already, which ends in --x-s3; leave it out", "s3_express", "aws_s3_express"),
		none("names the bucket, which the location does; leave it out", "bucket", "aws_bucket", "bucket_name", "aws_bucket_name"),
		custom(ignored, "disable_tagging", "aws_disable_tagging").bySDK(),
	},
	gcsKind: {
		none("is for signing URLs, which nothing here does; leave it out, and name credentials in google_service_account",
			"private_key_path"),
		none("is another cloud than googleapis.com; set GOOGLE_CLOUD_UNIVERSE_DOMAIN in the environment, which the SDK reads, "+
			"or give a client of your own to gcs.New", "universe_domain"),
		refusedOn("asks for the gRPC API; commits go through the JSON API; leave it out, or give a client of your own to gcs.New", "grpc", "zonal"),
		none("names the bucket, which the location does; leave it out", "bucket", "google_bucket", "bucket_name", "google_bucket_name"),
	},
	azureKind: {
		refusedOn("reads through a content delivery network, whose answers can be old, and a commit must see what is there; "+
			"leave it out, and name the service itself", "cdn"),
		none("is where the identity of the machine comes from; set AZURE_FEDERATED_TOKEN_FILE, AZURE_AUTHORITY_HOST, AZURE_CLIENT_ID and "+
			"AZURE_TENANT_ID in the environment, which the SDK reads, or give a credential to azure.Open",
			"azure_federated_token_file", "federated_token_file", "azure_storage_authority_host", "azure_authority_host", "authority_host",
			"azure_msi_endpoint", "azure_identity_endpoint", "identity_endpoint", "msi_endpoint",
			"azure_object_id", "object_id", "azure_msi_resource_id", "msi_resource_id"),
		none("is for Microsoft Fabric, which nothing here has been proven on; name its blob service in azure_storage_endpoint",
			"azure_use_fabric_endpoint", "use_fabric_endpoint", "azure_fabric_token_service_url", "fabric_token_service_url",
			"azure_fabric_workload_host", "fabric_workload_host", "azure_fabric_session_token", "fabric_session_token",
			"azure_fabric_cluster_identifier", "fabric_cluster_identifier"),
		none("names the container, which the location does; leave it out", "azure_container_name", "container_name"),
		custom(ignored, "azure_disable_tagging", "disable_tagging").bySDK(),
	},
	"": {
		none("bounds the time to connect, which is part of timeout here; leave it out, or set timeout", "connect_timeout"),
		none("sets up Lance's HTTP client, and this one is the SDK's; leave it out",
			"user_agent", "randomize_addresses", "pool_idle_timeout", "pool_max_idle_per_host", "http1_only", "http2_only",
			"http2_keep_alive_interval", "http2_keep_alive_timeout", "http2_keep_alive_while_idle", "http2_max_frame_size"),
		none("is where the SDK reads HTTPS_PROXY and NO_PROXY in the environment; set them there",
			"proxy_url", "proxy_ca_certificate", "proxy_excludes"),
		refusedOn("would let everybody on the way read and change the table; put the certificate of the authority into SSL_CERT_FILE",
			"allow_invalid_certificates"),
		none("says how often Lance repeats requests; how often a commit is tried is said by committer.WithRetry; leave it out",
			"client_max_retries", "client_retry_timeout", "download_retry_count"),
	},
}

// none returns an option that is refused with a reason.
func none(why string, names ...string) option { return custom(refused(why), names...).bySDK() }
