package committer

// Requests of the operations of a [Namespace], with every field of the Lance
// Namespace specification (release 0.11.1) under its JSON name. A field that is
// null or missing has its zero value.

// A CreateTableVersionRequest asks that a staged manifest become a version.
type CreateTableVersionRequest struct {
	Identity *Identity      `json:"identity,omitempty"`
	Context  RequestContext `json:"context,omitempty"`
	// ID is the table: one part, the name of a table of the namespace.
	ID []string `json:"id,omitempty"`
	// Version is the number of the version, 1 or more.
	Version int64 `json:"version"`
	// Branch is empty or "main" for the table's own root.
	Branch string `json:"branch,omitempty"`
	// ManifestPath is the staged manifest: a key of the store, a URL below
	// the store's own, or a path relative to the table that begins with
	// "_versions/" or "tree/". It must lie inside the table.
	ManifestPath string `json:"manifest_path"`
	// ManifestSize is the length of the staged manifest in bytes. It is
	// checked where it is given.
	ManifestSize *int64 `json:"manifest_size,omitempty"`
	// ETag is that of the staged manifest. It is checked where it is given,
	// with or without quotes; the MD5 of the bytes in hexadecimal digits is
	// as good.
	ETag string `json:"e_tag,omitempty"`
	// Metadata is kept with the version where the store keeps metadata, up to
	// about 1.3 KB of JSON.
	Metadata map[string]string `json:"metadata,omitempty"`
	// NamingScheme is "V1", "V2" or empty. It counts only for a table that has
	// no versions yet.
	NamingScheme string        `json:"naming_scheme,omitempty"`
	Unknown      UnknownFields `json:"-"`
}

// UnmarshalJSON reads a request with its unknown fields.
func (r *CreateTableVersionRequest) UnmarshalJSON(data []byte) error {
	type plain CreateTableVersionRequest
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a request with its unknown fields.
func (r CreateTableVersionRequest) MarshalJSON() ([]byte, error) {
	type plain CreateTableVersionRequest
	return encodeFields(plain(r), r.Unknown)
}

// entry is what the request asks for, without who asks.
func (r *CreateTableVersionRequest) entry() *CreateTableVersionEntry {
	return &CreateTableVersionEntry{
		ID: r.ID, Version: r.Version, Branch: r.Branch, ManifestPath: r.ManifestPath, ManifestSize: r.ManifestSize,
		ETag: r.ETag, Metadata: r.Metadata, NamingScheme: r.NamingScheme,
	}
}

// A CreateTableVersionEntry is one version of a [BatchCreateTableVersionsRequest].
// Its fields are those of [CreateTableVersionRequest].
type CreateTableVersionEntry struct {
	ID           []string          `json:"id"`
	Version      int64             `json:"version"`
	Branch       string            `json:"branch,omitempty"`
	ManifestPath string            `json:"manifest_path"`
	ManifestSize *int64            `json:"manifest_size,omitempty"`
	ETag         string            `json:"e_tag,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	NamingScheme string            `json:"naming_scheme,omitempty"`
	Unknown      UnknownFields     `json:"-"`
}

// UnmarshalJSON reads an entry with its unknown fields.
func (e *CreateTableVersionEntry) UnmarshalJSON(data []byte) error {
	type plain CreateTableVersionEntry
	return decodeFields(data, (*plain)(e), &e.Unknown)
}

// MarshalJSON writes an entry with its unknown fields.
func (e CreateTableVersionEntry) MarshalJSON() ([]byte, error) {
	type plain CreateTableVersionEntry
	return encodeFields(plain(e), e.Unknown)
}

// A BatchCreateTableVersionsRequest asks for versions of several tables at once.
type BatchCreateTableVersionsRequest struct {
	Identity *Identity                 `json:"identity,omitempty"`
	Context  RequestContext            `json:"context,omitempty"`
	Entries  []CreateTableVersionEntry `json:"entries"`
	Unknown  UnknownFields             `json:"-"`
}

// UnmarshalJSON reads a request with its unknown fields.
func (r *BatchCreateTableVersionsRequest) UnmarshalJSON(data []byte) error {
	type plain BatchCreateTableVersionsRequest
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a request with its unknown fields.
func (r BatchCreateTableVersionsRequest) MarshalJSON() ([]byte, error) {
	type plain BatchCreateTableVersionsRequest
	return encodeFields(plain(r), r.Unknown)
}

// A ListTableVersionsRequest asks for a page of a table's versions.
type ListTableVersionsRequest struct {
	Identity *Identity      `json:"identity,omitempty"`
	Context  RequestContext `json:"context,omitempty"`
	ID       []string       `json:"id,omitempty"`
	Branch   string         `json:"branch,omitempty"`
	// PageToken is that of the response before, empty for the first page.
	PageToken string `json:"page_token,omitempty"`
	// Limit is the most versions that a response has. Absent means 1,000,
	// which is also the most.
	Limit *int64 `json:"limit,omitempty"`
	// Descending changes nothing: the newest version always comes first.
	Descending bool          `json:"descending,omitempty"`
	Unknown    UnknownFields `json:"-"`
}

// UnmarshalJSON reads a request with its unknown fields.
func (r *ListTableVersionsRequest) UnmarshalJSON(data []byte) error {
	type plain ListTableVersionsRequest
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a request with its unknown fields.
func (r ListTableVersionsRequest) MarshalJSON() ([]byte, error) {
	type plain ListTableVersionsRequest
	return encodeFields(plain(r), r.Unknown)
}

// A DescribeTableVersionRequest asks for one version.
type DescribeTableVersionRequest struct {
	Identity *Identity      `json:"identity,omitempty"`
	Context  RequestContext `json:"context,omitempty"`
	ID       []string       `json:"id,omitempty"`
	Branch   string         `json:"branch,omitempty"`
	// Version is the number, nil for the latest.
	Version *int64        `json:"version,omitempty"`
	Unknown UnknownFields `json:"-"`
}

// UnmarshalJSON reads a request with its unknown fields.
func (r *DescribeTableVersionRequest) UnmarshalJSON(data []byte) error {
	type plain DescribeTableVersionRequest
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a request with its unknown fields.
func (r DescribeTableVersionRequest) MarshalJSON() ([]byte, error) {
	type plain DescribeTableVersionRequest
	return encodeFields(plain(r), r.Unknown)
}

// A BatchDeleteTableVersionsRequest asks that ranges of versions be deleted.
type BatchDeleteTableVersionsRequest struct {
	Identity *Identity      `json:"identity,omitempty"`
	Context  RequestContext `json:"context,omitempty"`
	ID       []string       `json:"id,omitempty"`
	Branch   string         `json:"branch,omitempty"`
	Ranges   []VersionRange `json:"ranges"`
	Unknown  UnknownFields  `json:"-"`
}

// UnmarshalJSON reads a request with its unknown fields.
func (r *BatchDeleteTableVersionsRequest) UnmarshalJSON(data []byte) error {
	type plain BatchDeleteTableVersionsRequest
	return decodeFields(data, (*plain)(r), &r.Unknown)
}

// MarshalJSON writes a request with its unknown fields.
func (r BatchDeleteTableVersionsRequest) MarshalJSON() ([]byte, error) {
	type plain BatchDeleteTableVersionsRequest
	return encodeFields(plain(r), r.Unknown)
}
