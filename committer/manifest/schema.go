package manifest

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// A kind is the form in which a known field is read.
type kind uint8

const (
	unknown kind = iota
	varint       // every integer, bool and enum
	varints      // repeated integers, packed or not
	seconds      // of a Timestamp
	nanos        // of a Timestamp
	text         // string: UTF-8
	blob         // bytes
	nested       // a message, or an entry of a map
)

// wireTypes are how the kinds are written. Repeated integers can also be written one by one.
var wireTypes = [...]protowire.Type{
	varint: protowire.VarintType, seconds: protowire.VarintType, nanos: protowire.VarintType,
	varints: protowire.BytesType, text: protowire.BytesType, blob: protowire.BytesType, nested: protowire.BytesType,
}

// A known is a field that Lance's readers decode.
type known struct {
	name string
	kind kind
	of   *message // of kind nested
}

// A message lists the known fields of a protobuf message by their numbers. A field that is not listed only has to be
// well-formed, so that manifests of later Lance versions pass.
type message []known

func (m *message) lookup(num protowire.Number) *known {
	if m == nil || int(num) >= len(*m) {
		return &unlisted
	}
	return &(*m)[num]
}

var unlisted known

// fault describes a field by its number, its name where it is known, and its place.
func (m *message) fault(f field, format string, args ...any) error {
	label := fmt.Sprintf("field %d", f.num())
	if name := m.lookup(f.num()).name; name != "" {
		label += " (" + name + ")"
	}
	return fmt.Errorf("%s at byte %d "+format, append([]any{label, f.at}, args...)...)
}

// Field numbers of the Manifest message that this package reads or writes.
const (
	numFields             = 1
	numFragments          = 2
	numVersion            = 3
	numIndexSection       = 6
	numTimestamp          = 7
	numReaderFlags        = 9
	numWriterFlags        = 10
	numTransactionFile    = 12
	numWriterVersion      = 13
	numDataFormat         = 15
	numTableMetadata      = 19
	numBranch             = 20
	numTransactionSection = 21
)

// table.proto, message Manifest. 17 was used once and is reserved.
var manifestMessage = message{
	numFields:             {"fields", nested, &schemaField},
	numFragments:          {"fragments", nested, &dataFragment},
	numVersion:            {"version", varint, nil},
	4:                     {"version_aux_data", varint, nil},
	5:                     {"schema_metadata", nested, &bytesEntry},
	numIndexSection:       {"index_section", varint, nil},
	numTimestamp:          {"timestamp", nested, &timestamp},
	8:                     {"tag", text, nil},
	numReaderFlags:        {"reader_feature_flags", varint, nil},
	numWriterFlags:        {"writer_feature_flags", varint, nil},
	11:                    {"max_fragment_id", varint, nil},
	numTransactionFile:    {"transaction_file", text, nil},
	numWriterVersion:      {"writer_version", nested, &writerVersion},
	14:                    {"next_row_id", varint, nil},
	numDataFormat:         {"data_format", nested, &dataStorageFormat},
	16:                    {"config", nested, &stringEntry},
	18:                    {"base_paths", nested, &basePath},
	numTableMetadata:      {"table_metadata", nested, &stringEntry},
	numBranch:             {"branch", text, nil},
	numTransactionSection: {"transaction_section", varint, nil},
}

var (
	stringEntry       = message{1: {"key", text, nil}, 2: {"value", text, nil}}
	bytesEntry        = message{1: {"key", text, nil}, 2: {"value", blob, nil}}
	timestamp         = message{1: {"seconds", seconds, nil}, 2: {"nanos", nanos, nil}}
	dataStorageFormat = message{1: {"file_format", text, nil}, 2: {"version", text, nil}}
	writerVersion     = message{
		1: {"library", text, nil}, 2: {"version", text, nil}, 3: {"prerelease", text, nil}, 4: {"build_metadata", text, nil},
	}
	basePath = message{
		1: {"id", varint, nil}, 2: {"name", text, nil}, 3: {"is_dataset_root", varint, nil}, 4: {"path", text, nil},
	}
)

// file.proto, message Field. 11 was used once and is reserved.
var schemaField = message{
	1:  {"type", varint, nil},
	2:  {"name", text, nil},
	3:  {"id", varint, nil},
	4:  {"parent_id", varint, nil},
	5:  {"logical_type", text, nil},
	6:  {"nullable", varint, nil},
	7:  {"encoding", varint, nil},
	8:  {"dictionary", nested, &message{1: {"offset", varint, nil}, 2: {"length", varint, nil}}},
	9:  {"extension_name", text, nil},
	10: {"metadata", nested, &bytesEntry},
	12: {"unenforced_primary_key", varint, nil},
	13: {"unenforced_primary_key_position", varint, nil},
	14: {"unenforced_clustering_key", varint, nil},
	15: {"unenforced_clustering_key_position", varint, nil},
}

// Field numbers of DataFragment and DeletionFile from which rows are counted.
const (
	numDeletionFile = 3
	numPhysicalRows = 4
	numDeletedRows  = 4
)

// table.proto, message DataFragment and what it holds.
var (
	dataFragment = message{
		1:               {"id", varint, nil},
		2:               {"files", nested, &dataFile},
		numDeletionFile: {"deletion_file", nested, &deletionFile},
		numPhysicalRows: {"physical_rows", varint, nil},
		5:               {"inline_row_ids", blob, nil},
		6:               {"external_row_ids", nested, &externalFile},
		7:               {"inline_last_updated_at_versions", blob, nil},
		8:               {"external_last_updated_at_versions", nested, &externalFile},
		9:               {"inline_created_at_versions", blob, nil},
		10:              {"external_created_at_versions", nested, &externalFile},
		11:              {"overlays", nested, &dataOverlayFile},
	}
	dataFile = message{
		1: {"path", text, nil},
		2: {"fields", varints, nil},
		3: {"column_indices", varints, nil},
		4: {"file_major_version", varint, nil},
		5: {"file_minor_version", varint, nil},
		6: {"file_size_bytes", varint, nil},
		7: {"base_id", varint, nil},
	}
	deletionFile = message{
		1:              {"file_type", varint, nil},
		2:              {"read_version", varint, nil},
		3:              {"id", varint, nil},
		numDeletedRows: {"num_deleted_rows", varint, nil},
		7:              {"base_id", varint, nil},
	}
	externalFile    = message{1: {"path", text, nil}, 2: {"offset", varint, nil}, 3: {"size", varint, nil}}
	dataOverlayFile = message{
		1: {"data_file", nested, &dataFile},
		2: {"shared_offset_bitmap", blob, nil},
		3: {"committed_version", varint, nil},
		4: {"field_coverage", nested, &message{1: {"offset_bitmaps", blob, nil}}},
	}
)

// table.proto, message IndexSection: what index_section points to.
var (
	indexSection  = message{1: {"indices", nested, &indexMetadata}}
	indexMetadata = message{
		1:  {"uuid", nested, &message{1: {"uuid", blob, nil}}},
		2:  {"fields", varints, nil},
		3:  {"name", text, nil},
		4:  {"dataset_version", varint, nil},
		5:  {"fragment_bitmap", blob, nil},
		6:  {"index_details", nested, &message{1: {"type_url", text, nil}, 2: {"value", blob, nil}}},
		7:  {"index_version", varint, nil},
		8:  {"created_at", varint, nil},
		9:  {"base_id", varint, nil},
		10: {"files", nested, &message{1: {"path", text, nil}, 2: {"size_bytes", varint, nil}}},
		11: {"covering_fields", varints, nil},
	}
)
