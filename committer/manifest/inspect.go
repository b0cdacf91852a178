package manifest

import (
	"math/bits"
	"time"
)

// Info is what a manifest says about its table version.
type Info struct {
	Version   uint64    `json:"version"`          // 0 where the manifest has none; bit 63 marks a detached version
	Branch    string    `json:"branch,omitempty"` // as written; empty on main
	Timestamp time.Time `json:"timestamp,omitzero"`

	WriterLibrary string `json:"writer_library,omitempty"`
	WriterVersion string `json:"writer_version,omitempty"` // with prerelease and build, as in 2.0.0-rc.1+build.5
	ReaderFlags   uint64 `json:"reader_flags"`             // feature flags, a bit each
	WriterFlags   uint64 `json:"writer_flags"`

	TransactionFile   string `json:"transaction_file,omitempty"` // a name inside _transactions/
	InlineTransaction bool   `json:"inline_transaction"`         // the transaction is in the manifest file itself
	// TransactionID is the UUID of the transaction: the one inside an inline transaction, else that in the file's name.
	TransactionID string `json:"transaction_id,omitempty"`

	DataFormat DataFormat `json:"data_format,omitzero"` // absent in old manifests
	Fragments  int        `json:"fragments"`
	Fields     int        `json:"fields"` // of the schema, the nested ones included

	// Rows is the number of rows that are not deleted. It is 0 unless RowsKnown: early versions of Lance did not write
	// how many rows a fragment has, or how many are deleted.
	Rows      uint64 `json:"rows"`
	RowsKnown bool   `json:"rows_known"`

	TableMetadata map[string]string `json:"table_metadata,omitempty"`
}

// A DataFormat names the format of a table's data files, for instance "lance" in version "2.0".
type DataFormat struct {
	FileFormat string `json:"file_format"`
	Version    string `json:"version"`
}

// Inspect validates b as [Validate] does and returns what it says. Of a field that occurs more than once the last
// occurrence counts, as in protobuf. The result shares no memory with b.
func Inspect(b []byte) (Info, error) {
	var fr frame
	if err := fr.parse(b); err != nil {
		return Info{}, err
	}
	var (
		info   Info
		when   moment
		writer writerParts
		rows   rowCount
	)
	for f := range fields(fr.message) {
		switch f.num() {
		case numFields:
			info.Fields++
		case numFragments:
			info.Fragments++
			rows.add(f.bytes(fr.message))
		case numTimestamp:
			when.merge(f.bytes(fr.message))
		case numReaderFlags:
			info.ReaderFlags = f.varint(fr.message)
		case numWriterFlags:
			info.WriterFlags = f.varint(fr.message)
		case numWriterVersion:
			writer.merge(f.bytes(fr.message))
		case numDataFormat:
			info.DataFormat.merge(f.bytes(fr.message))
		case numTableMetadata:
			if info.TableMetadata == nil {
				info.TableMetadata = make(map[string]string)
			}
			key, value := entry(f.bytes(fr.message))
			info.TableMetadata[key] = value
		}
	}
	info.Version, info.Branch = fr.version, string(fr.branch)
	info.TransactionFile, info.InlineTransaction = string(fr.transactionFile), fr.hasTransaction()
	info.TransactionID = string(fr.transactionUUID())
	info.Timestamp = when.time()
	info.WriterLibrary, info.WriterVersion = writer.library, writer.semver()
	info.Rows, info.RowsKnown = rows.total()
	return info, nil
}

// A moment gathers a Timestamp. Occurrences of a nested message merge field by field, here and below.
type moment struct {
	present bool
	seconds int64
	nanos   int64
}

func (m *moment) merge(b []byte) {
	m.present = true
	for f := range fields(b) {
		switch f.num() {
		case 1:
			m.seconds = int64(f.varint(b))
		case 2:
			m.nanos = int64(int32(f.varint(b)))
		}
	}
}

func (m *moment) time() time.Time {
	if !m.present {
		return time.Time{}
	}
	return time.Unix(m.seconds, m.nanos).UTC()
}

// writerParts gathers a WriterVersion.
type writerParts struct{ library, version, prerelease, build string }

func (w *writerParts) merge(b []byte) {
	for f := range fields(b) {
		switch f.num() {
		case 1:
			w.library = string(f.bytes(b))
		case 2:
			w.version = string(f.bytes(b))
		case 3:
			w.prerelease = string(f.bytes(b))
		case 4:
			w.build = string(f.bytes(b))
		}
	}
}

func (w *writerParts) semver() string {
	s := w.version
	if w.prerelease != "" {
		s += "-" + w.prerelease
	}
	if w.build != "" {
		s += "+" + w.build
	}
	return s
}

func (d *DataFormat) merge(b []byte) {
	for f := range fields(b) {
		switch f.num() {
		case 1:
			d.FileFormat = string(f.bytes(b))
		case 2:
			d.Version = string(f.bytes(b))
		}
	}
}

// entry reads an entry of a map<string, string>. An absent half is empty.
func entry(b []byte) (key, value string) {
	for f := range fields(b) {
		switch f.num() {
		case 1:
			key = string(f.bytes(b))
		case 2:
			value = string(f.bytes(b))
		}
	}
	return key, value
}

// A rowCount adds up the rows of fragments.
type rowCount struct {
	physical, deleted uint64
	incomplete        bool
}

// add counts the fragment in b. Lance writes 0 for a count that it does not know.
func (r *rowCount) add(b []byte) {
	var physical, deleted uint64
	var deletions bool
	for f := range fields(b) {
		switch f.num() {
		case numPhysicalRows:
			physical = f.varint(b)
		case numDeletionFile:
			deletions = true
			file := f.bytes(b)
			for d := range fields(file) {
				if d.num() == numDeletedRows {
					deleted = d.varint(file)
				}
			}
		}
	}
	var overflow uint64
	r.physical, overflow = bits.Add64(r.physical, physical, 0)
	r.deleted += deleted // no more than physical, or never shown
	if physical == 0 || deletions && deleted == 0 || deleted > physical || overflow != 0 {
		r.incomplete = true
	}
}

func (r *rowCount) total() (rows uint64, known bool) {
	if r.incomplete {
		return 0, false
	}
	return r.physical - r.deleted, true
}
