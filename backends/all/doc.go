// Package all opens a store by its location: a path or a URL. It links every
// backend; a program that knows its store opens that backend's own package.
//
// # Locations
//
//	a path, or file:///folder                a folder on disk, which must be there
//	s3://bucket/folder                       S3, or a server that speaks its protocol
//	gs://bucket/folder                       Google Cloud Storage
//	az://container/folder                    Azure Blob Storage; azblob:// is the same
//	abfss://container@account.dfs.core.windows.net/folder
//
// The folder is the key that [Open] returns. A character that a URL cannot have
// is encoded in the key itself, as Lance does it: s3://bucket/a b is the key
// "a%20b", so that both see one table. A file URL is decoded. What Lance would
// read as another folder is refused: control characters, white space at an end,
// and dots that lead elsewhere, also as %2e.
//
// A path that looks like a URL with its scheme mistyped, as s3:/bucket/folder, is
// refused; a folder of that name is ./s3:/bucket/folder.
//
// # Options
//
// Options stand in the query of a location or beside it, by Lance's names for
// storage options or by gocloud's names for parameters, in any case. Names on a
// line mean the same. Those that cannot have an effect are refused with the
// reason. A folder on disk takes none.
//
// All clouds:
//
//	prefix=FOLDER (put in front of the folder of the location)
//	timeout (the most time that a call of the store takes, as 30s or 1m 30s; a create
//	    that is ended so has an unknown outcome, which a commit looks at)
//	key (refused: it would be one object)
//	connect_timeout (refused: a part of timeout)
//	user_agent, randomize_addresses, pool_idle_timeout, pool_max_idle_per_host, http1_only, http2_only,
//	    http2_keep_alive_interval, http2_keep_alive_timeout, http2_keep_alive_while_idle, http2_max_frame_size
//	    (refused: they set up Lance's HTTP client)
//	proxy_url, proxy_ca_certificate, proxy_excludes (refused: HTTPS_PROXY and NO_PROXY in the environment)
//	allow_invalid_certificates (refused when true: SSL_CERT_FILE in the environment)
//	client_max_retries, client_retry_timeout, download_retry_count (refused: committer.WithRetry)
//
// S3:
//
//	aws_region, region, aws_default_region, default_region
//	aws_endpoint, aws_endpoint_url, endpoint, endpoint_url (path style, unless virtual hosted)
//	aws_access_key_id, access_key_id
//	aws_secret_access_key, secret_access_key
//	aws_session_token, aws_token, session_token, token
//	aws_profile, profile
//	aws_skip_signature, skip_signature, anonymous
//	allow_http, aws_allow_http
//	aws_virtual_hosted_style_request, virtual_hosted_style_request
//	use_path_style, s3forcepathstyle
//	aws_server_side_encryption, server_side_encryption, ssetype (AES256, aws:kms, aws:kms:dsse)
//	aws_sse_kms_key_id, sse_kms_key_id, kmskeyid
//	aws_sse_bucket_key_enabled, sse_bucket_key_enabled
//	aws_sse_customer_key_base64, sse_customer_key_base64 (refused: Lance could not read it)
//	aws_request_payer, request_payer (true, or requester)
//	aws_expected_bucket_owner, expected_bucket_owner
//	aws_checksum_algorithm, checksum_algorithm (SHA256, MD5, none)
//	request_checksum_calculation, response_checksum_validation (when_supported, to AWS only, or when_required)
//	dualstack; fips; accelerate; disable_https; hostname_immutable (path style)
//	awssdk; aws_disable_tagging, disable_tagging (ignored)
//	role, role_arn, aws_role_arn, role_session_name, aws_role_session_name, role_external_id, role_duration,
//	    web_identity_token_file, aws_web_identity_token_file, endpoint_url_sts, aws_endpoint_url_sts
//	    (refused: a role is taken by a profile, or by AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE in the environment)
//	metadata_endpoint, aws_metadata_endpoint, imdsv1_fallback, aws_imdsv1_fallback,
//	    container_credentials_relative_uri, aws_container_credentials_relative_uri,
//	    container_credentials_full_uri, aws_container_credentials_full_uri,
//	    container_authorization_token_file, aws_container_authorization_token_file
//	    (refused: the SDK has variables of the environment for them)
//	rate_limiter_capacity (refused: creates are sent once, reads are repeated within a time)
//	copy_if_not_exists, aws_copy_if_not_exists, conditional_put, aws_conditional_put
//	    (refused: a commit is always one create with If-None-Match)
//	unsigned_payload, aws_unsigned_payload (refused when true: manifests are signed)
//	s3_express, aws_s3_express, bucket, aws_bucket, bucket_name, aws_bucket_name (refused: the location says it)
//
// Google Cloud Storage:
//
//	google_service_account_key, service_account_key (the JSON itself)
//	google_service_account, service_account, google_service_account_path, service_account_path
//	google_application_credentials, application_credentials
//	google_skip_signature, skip_signature, anonymous
//	google_base_url, base_url, google_endpoint, endpoint (an http endpoint is an emulator)
//	google_kms_key_name, kms_key_name
//	google_user_project, user_project (requester pays)
//	allow_http
//	access_id ("-" is anonymous; others are refused: they sign URLs)
//	private_key_path (refused: it signs URLs)
//	universe_domain (refused: GOOGLE_CLOUD_UNIVERSE_DOMAIN in the environment)
//	grpc, zonal (refused when true: commits go through the JSON API)
//	bucket, google_bucket, bucket_name, google_bucket_name (refused: the location says it)
//
// Azure Blob Storage:
//
//	azure_storage_account_name, account_name, storage_account
//	azure_storage_account_key, azure_storage_access_key, azure_storage_master_key, account_key, access_key, master_key
//	azure_storage_token, bearer_token, token (of Microsoft Entra ID; it is not renewed)
//	azure_storage_sas_token, azure_storage_sas_key, sas_token, sas_key
//	domain, protocol (make the endpoint PROTOCOL://ACCOUNT.DOMAIN)
//	azure_storage_endpoint, azure_endpoint, endpoint
//	azure_storage_use_emulator, use_emulator, localemu
//	azure_skip_signature, skip_signature, anonymous
//	allow_http, azure_allow_http
//	azure_storage_client_id, azure_client_id, client_id
//	azure_storage_client_secret, azure_client_secret, client_secret
//	azure_storage_tenant_id, azure_storage_authority_id, azure_tenant_id, azure_authority_id, tenant_id, authority_id
//	azure_use_azure_cli, use_azure_cli
//	azure_encryption_scope, encryption_scope
//	azure_disable_tagging, disable_tagging (ignored)
//	cdn (refused when true: answers of a content delivery network can be old)
//	azure_federated_token_file, federated_token_file, azure_storage_authority_host, azure_authority_host, authority_host,
//	    azure_msi_endpoint, azure_identity_endpoint, identity_endpoint, msi_endpoint, azure_object_id, object_id,
//	    azure_msi_resource_id, msi_resource_id (refused: the SDK has variables of the environment for them)
//	azure_use_fabric_endpoint, use_fabric_endpoint, azure_fabric_token_service_url, fabric_token_service_url,
//	    azure_fabric_workload_host, fabric_workload_host, azure_fabric_session_token, fabric_session_token,
//	    azure_fabric_cluster_identifier, fabric_cluster_identifier (refused: not proven on Microsoft Fabric)
//	azure_container_name, container_name (refused: the location says it)
//
// # Environment
//
// What no option gives comes from the environment, by the variables that Lance
// reads too: an option whose name begins with aws_, azure_ or google_, in upper
// case. Those that tell where a store is and who asks are
//
//	AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT, AWS_ENDPOINT_URL (path style, unless AWS_VIRTUAL_HOSTED_STYLE_REQUEST)
//	AWS_ALLOW_HTTP, AWS_SKIP_SIGNATURE
//	AWS_REGION, AWS_DEFAULT_REGION
//	AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE
//
//	GOOGLE_SERVICE_ACCOUNT, GOOGLE_SERVICE_ACCOUNT_PATH, GOOGLE_SERVICE_ACCOUNT_KEY, GOOGLE_APPLICATION_CREDENTIALS
//	GOOGLE_SKIP_SIGNATURE, GOOGLE_BASE_URL, GOOGLE_ENDPOINT, STORAGE_EMULATOR_HOST
//
//	AZURE_STORAGE_ACCOUNT_NAME, or AZURE_STORAGE_ACCOUNT
//	AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_ACCESS_KEY, AZURE_STORAGE_MASTER_KEY, or AZURE_STORAGE_KEY
//	AZURE_STORAGE_TOKEN
//	AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_SAS_KEY
//	AZURE_STORAGE_CLIENT_ID, AZURE_STORAGE_CLIENT_SECRET, AZURE_STORAGE_TENANT_ID
//	AZURE_CLIENT_ID, AZURE_CLIENT_SECRET, AZURE_TENANT_ID
//	AZURE_USE_AZURE_CLI, AZURE_SKIP_SIGNATURE
//	AZURE_STORAGE_ENDPOINT, AZURE_ENDPOINT, AZURE_STORAGE_USE_EMULATOR, AZURE_ALLOW_HTTP
//	AZURE_STORAGE_CONNECTION_STRING, where nothing else names credentials or an endpoint
//
// Variables on a line behind "or" count less. Two that mean the same and differ
// are [backends.ErrInvalid]. An empty one counts as none.
//
// Credentials are never mixed. Where an option names any, none come from the
// environment, so that a session token there is not sent with a key of the
// options. Of several kinds in the environment one is taken: for Azure nobody
// (AZURE_SKIP_SIGNATURE), then the token, the account key, a client's secret, the
// SAS token and the az tool. A key, a SAS token and an endpoint of the environment are left
// out where the options or the location name another account than it does.
//
// All else comes from where the SDK of the cloud looks for it: more variables,
// files of the user, the machine.
package all
