package committer

// Responses of the operations of a [Namespace], as in the Lance Namespace
// specification (release 0.11.1).

// A TableVersion describes a version in a response.
type TableVersion struct {
	Version int64 `json:"version"`
	// ManifestPath is the manifest's key in the store, and not a URL.
	ManifestPath string `json:"manifest_path"`
	// ManifestSize is its length in bytes.
	ManifestSize int64  `json:"manifest_size"`
	ETag         string `json:"e_tag,omitempty"`
	// TimestampMillis is when the manifest was written by the store's clock,
	// in milliseconds since 1970; zero where the store does not say.
	TimestampMillis int64 `json:"timestamp_millis,omitempty"`
	// Metadata is what was given when the version was created. Listings have
	// none.
	Metadata map[string]string `json:"metadata,omitempty"`
	Unknown  UnknownFields     `json:"-"`
}

// UnmarshalJSON reads a version with its unknown fields.
func (v *TableVersion) UnmarshalJSON(data []byte) error {
	type plain TableVersion
	return decodeFields(data, (*plain)(v), &v.Unknown)
}

// MarshalJSON writes a version with its unknown fields.
func (v TableVersion) MarshalJSON() ([]byte, error) {
	type plain TableVersion
	return encodeFields(plain(v), v.Unknown)
}

// tableVersion writes a version as the specification has it.
func tableVersion(v Version) TableVersion {
	tv := TableVersion{
		Version: int64(v.Number), ManifestPath: v.Key, ManifestSize: v.Size, ETag: v.ETag, Metadata: v.Metadata,
	}
	if !v.Modified.IsZero() {
		tv.TimestampMillis = v.Modified.UnixMilli()
	}
	return tv
}

// A CreateTableVersionResponse describes the version that is now there.
type CreateTableVersionResponse struct {
	// TransactionID is the UUID of the manifest's transaction, empty where it
	// has none.
	TransactionID string            `json:"transaction_id,omitempty"`
	Version       *TableVersion     `json:"version,omitempty"`
	Context       map[string]string `json:"context,omitempty"`
	Unknown       UnknownFields     `json:"-"`
}

// UnmarshalJSON reads a response with its unknown fields.
func (r *CreateTableVersionResponse) UnmarshalJSON(data []byte) error {
	type plain CreateTableVersionResponse
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a response with its unknown fields.
func (r CreateTableVersionResponse) MarshalJSON() ([]byte, error) {
	type plain CreateTableVersionResponse
	return encodeFields(plain(r), r.Unknown)
}

// A BatchCreateTableVersionsResponse has the versions in the order of the
// request's entries.
type BatchCreateTableVersionsResponse struct {
	TransactionID string            `json:"transaction_id,omitempty"`
	Versions      []TableVersion    `json:"versions"`
	Context       map[string]string `json:"context,omitempty"`
	Unknown       UnknownFields     `json:"-"`
}

// UnmarshalJSON reads a response with its unknown fields.
func (r *BatchCreateTableVersionsResponse) UnmarshalJSON(data []byte) error {
	type plain BatchCreateTableVersionsResponse
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a response with its unknown fields.
func (r BatchCreateTableVersionsResponse) MarshalJSON() ([]byte, error) {
	type plain BatchCreateTableVersionsResponse
	return encodeFields(plain(r), r.Unknown)
}

// A ListTableVersionsResponse is a page of versions, newest first.
type ListTableVersionsResponse struct {
	Versions []TableVersion `json:"versions"`
	// PageToken asks for the next page. It is empty on the last one.
	PageToken string            `json:"page_token,omitempty"`
	Context   map[string]string `json:"context,omitempty"`
	Unknown   UnknownFields     `json:"-"`
}

// UnmarshalJSON reads a response with its unknown fields.
func (r *ListTableVersionsResponse) UnmarshalJSON(data []byte) error {
	type plain ListTableVersionsResponse
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a response with its unknown fields.
func (r ListTableVersionsResponse) MarshalJSON() ([]byte, error) {
	type plain ListTableVersionsResponse
	return encodeFields(plain(r), r.Unknown)
}

// A DescribeTableVersionResponse describes one version.
type DescribeTableVersionResponse struct {
	Version *TableVersion     `json:"version"`
	Context map[string]string `json:"context,omitempty"`
	Unknown UnknownFields     `json:"-"`
}

// UnmarshalJSON reads a response with its unknown fields.
func (r *DescribeTableVersionResponse) UnmarshalJSON(data []byte) error {
	type plain DescribeTableVersionResponse
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a response with its unknown fields.
func (r DescribeTableVersionResponse) MarshalJSON() ([]byte, error) {
	type plain DescribeTableVersionResponse
	return encodeFields(plain(r), r.Unknown)
}

// A BatchDeleteTableVersionsResponse says how many versions were deleted. Those
// that were kept are in Context under [ContextKept].
type BatchDeleteTableVersionsResponse struct {
	DeletedCount  int64             `json:"deleted_count"`
	TransactionID string            `json:"transaction_id,omitempty"`
	Context       map[string]string `json:"context,omitempty"`
	Unknown       UnknownFields     `json:"-"`
}

// UnmarshalJSON reads a response with its unknown fields.
func (r *BatchDeleteTableVersionsResponse) UnmarshalJSON(data []byte) error {
	type plain BatchDeleteTableVersionsResponse
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a response with its unknown fields.
func (r BatchDeleteTableVersionsResponse) MarshalJSON() ([]byte, error) {
	type plain BatchDeleteTableVersionsResponse
	return encodeFields(plain(r), r.Unknown)
}
