package manifest_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A place is a known field: the section that it is in, and the field numbers that lead to it.
type place struct {
	section string
	name    string
	path    []protowire.Number
}

func in(section, name string, path ...protowire.Number) place { return place{section, name, path} }

// file writes the field, and nothing else, into the place.
func (p place) file(field []byte) []byte {
	for i := len(p.path) - 2; i >= 0; i-- {
		field = data(p.path[i], field)
	}
	switch p.section {
	case "index section":
		return file(section(field), number(6, 0))
	case "transaction":
		return file(section(field, data(100)), number(21, 0))
	default:
		return file(nil, field)
	}
}

func (p place) num() protowire.Number { return p.path[len(p.path)-1] }

// requireFault asks for an error that names the field and its fault.
func (p place) requireFault(t *testing.T, field []byte, fault string) {
	t.Helper()
	requireVerdict(t, p.file(field), "("+p.name+") at byte ")
	requireVerdict(t, p.file(field), fault)
}

func TestNumbersAreVarints(t *testing.T) {
	for _, p := range []place{
		in("manifest", "version", 3), in("manifest", "version_aux_data", 4), in("manifest", "index_section", 6),
		in("manifest", "reader_feature_flags", 9), in("manifest", "writer_feature_flags", 10), in("manifest", "max_fragment_id", 11),
		in("manifest", "next_row_id", 14), in("manifest", "transaction_section", 21),
		in("manifest", "seconds", 7, 1), in("manifest", "nanos", 7, 2),
		in("manifest", "id", 18, 1), in("manifest", "is_dataset_root", 18, 3),
		in("manifest", "type", 1, 1), in("manifest", "id", 1, 3), in("manifest", "parent_id", 1, 4), in("manifest", "nullable", 1, 6),
		in("manifest", "encoding", 1, 7), in("manifest", "offset", 1, 8, 1), in("manifest", "length", 1, 8, 2),
		in("manifest", "unenforced_primary_key", 1, 12), in("manifest", "unenforced_primary_key_position", 1, 13),
		in("manifest", "unenforced_clustering_key", 1, 14), in("manifest", "unenforced_clustering_key_position", 1, 15),
		in("manifest", "id", 2, 1), in("manifest", "physical_rows", 2, 4),
		in("manifest", "file_major_version", 2, 2, 4), in("manifest", "file_minor_version", 2, 2, 5),
		in("manifest", "file_size_bytes", 2, 2, 6), in("manifest", "base_id", 2, 2, 7),
		in("manifest", "file_type", 2, 3, 1), in("manifest", "read_version", 2, 3, 2), in("manifest", "id", 2, 3, 3),
		in("manifest", "num_deleted_rows", 2, 3, 4), in("manifest", "base_id", 2, 3, 7),
		in("manifest", "offset", 2, 6, 2), in("manifest", "size", 2, 6, 3), in("manifest", "size", 2, 8, 3), in("manifest", "size", 2, 10, 3),
		in("manifest", "committed_version", 2, 11, 3),
		in("index section", "dataset_version", 1, 4), in("index section", "index_version", 1, 7), in("index section", "created_at", 1, 8),
		in("index section", "base_id", 1, 9), in("index section", "size_bytes", 1, 10, 2),
		in("transaction", "read_version", 1),
	} {
		t.Run(p.section+" "+p.name, func(t *testing.T) {
			p.requireFault(t, text(p.num(), "x"), " has wire type 2, want varint")
		})
	}
}

func TestRepeatedNumbersAreVarintsOrPacked(t *testing.T) {
	for _, p := range []place{
		in("manifest", "fields", 2, 2, 2), in("manifest", "column_indices", 2, 2, 3),
		in("index section", "fields", 1, 2), in("index section", "covering_fields", 1, 11),
	} {
		t.Run(p.section+" "+p.name, func(t *testing.T) {
			requireVerdict(t, p.file(number(p.num(), 1)), "")
			requireVerdict(t, p.file(text(p.num(), "\x01\x80\x01")), "")
			p.requireFault(t, text(p.num(), "\x01\x80"), " packs a varint that is cut off")
			p.requireFault(t, group(p.num()), " has wire type 3, want bytes")
		})
	}
}

func TestStringsAreUTF8(t *testing.T) {
	for _, p := range []place{
		in("manifest", "tag", 8), in("manifest", "transaction_file", 12), in("manifest", "branch", 20),
		in("manifest", "library", 13, 1), in("manifest", "version", 13, 2), in("manifest", "prerelease", 13, 3), in("manifest", "build_metadata", 13, 4),
		in("manifest", "file_format", 15, 1), in("manifest", "version", 15, 2),
		in("manifest", "key", 5, 1), in("manifest", "key", 16, 1), in("manifest", "value", 16, 2), in("manifest", "key", 19, 1), in("manifest", "value", 19, 2),
		in("manifest", "name", 18, 2), in("manifest", "path", 18, 4),
		in("manifest", "name", 1, 2), in("manifest", "logical_type", 1, 5), in("manifest", "extension_name", 1, 9), in("manifest", "key", 1, 10, 1),
		in("manifest", "path", 2, 2, 1), in("manifest", "path", 2, 6, 1), in("manifest", "path", 2, 8, 1), in("manifest", "path", 2, 10, 1),
		in("manifest", "path", 2, 11, 1, 1),
		in("index section", "name", 1, 3), in("index section", "type_url", 1, 6, 1), in("index section", "path", 1, 10, 1),
		in("transaction", "uuid", 2), in("transaction", "tag", 3), in("transaction", "key", 4, 1), in("transaction", "value", 4, 2),
	} {
		t.Run(p.section+" "+p.name, func(t *testing.T) {
			requireVerdict(t, p.file(text(p.num(), "café")), "")
			p.requireFault(t, text(p.num(), badUTF8), " is not UTF-8")
			p.requireFault(t, number(p.num(), 1), " has wire type 0, want bytes")
		})
	}
}

func TestBytesAreAnything(t *testing.T) {
	for _, p := range []place{
		in("manifest", "value", 5, 2), in("manifest", "value", 1, 10, 2),
		in("manifest", "inline_row_ids", 2, 5), in("manifest", "inline_last_updated_at_versions", 2, 7), in("manifest", "inline_created_at_versions", 2, 9),
		in("manifest", "shared_offset_bitmap", 2, 11, 2), in("manifest", "offset_bitmaps", 2, 11, 4, 1),
		in("index section", "uuid", 1, 1, 1), in("index section", "fragment_bitmap", 1, 5), in("index section", "value", 1, 6, 2),
	} {
		t.Run(p.section+" "+p.name, func(t *testing.T) {
			requireVerdict(t, p.file(text(p.num(), badUTF8)), "")
			p.requireFault(t, number(p.num(), 1), " has wire type 0, want bytes")
		})
	}
}

func TestNestedMessagesDecode(t *testing.T) {
	for _, p := range []place{
		in("manifest", "fields", 1), in("manifest", "fragments", 2), in("manifest", "schema_metadata", 5), in("manifest", "timestamp", 7),
		in("manifest", "writer_version", 13), in("manifest", "data_format", 15), in("manifest", "config", 16), in("manifest", "base_paths", 18),
		in("manifest", "table_metadata", 19), in("manifest", "dictionary", 1, 8), in("manifest", "metadata", 1, 10),
		in("manifest", "files", 2, 2), in("manifest", "deletion_file", 2, 3), in("manifest", "external_row_ids", 2, 6),
		in("manifest", "external_last_updated_at_versions", 2, 8), in("manifest", "external_created_at_versions", 2, 10),
		in("manifest", "overlays", 2, 11), in("manifest", "data_file", 2, 11, 1), in("manifest", "field_coverage", 2, 11, 4),
		in("index section", "indices", 1), in("index section", "uuid", 1, 1), in("index section", "index_details", 1, 6), in("index section", "files", 1, 10),
		in("transaction", "transaction_properties", 4),
	} {
		t.Run(p.section+" "+p.name, func(t *testing.T) {
			requireVerdict(t, p.file(data(p.num())), "")
			p.requireFault(t, text(p.num(), "\x08"), " does not decode: field 1")
			p.requireFault(t, number(p.num(), 1), " has wire type 0, want bytes")
			p.requireFault(t, group(p.num()), " has wire type 3, want bytes")
		})
	}
}
