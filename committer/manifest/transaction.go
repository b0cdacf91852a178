package manifest

import (
	"bytes"
	"errors"
	"fmt"
)

// numFirstOperation is the number of the first operation of a Transaction, append. Lower ones are of the envelope.
const numFirstOperation = 100

// numUUID is the number of a Transaction's uuid.
const numUUID = 2

// transaction.proto, message Transaction: what transaction_section points to. A reader decodes all of it when it opens
// the table. Fields in which Lance versions differ, and operations that are newer, stay unlisted.
var transaction = message{
	1:       {"read_version", varint, nil},
	numUUID: {"uuid", text, nil},
	3:       {"tag", text, nil},
	4:       {"transaction_properties", nested, &stringEntry},

	numFirstOperation: {"append", nested, &message{1: {"fragments", nested, &dataFragment}}},
	101: {"delete", nested, &message{
		1: {"updated_fragments", nested, &dataFragment}, 2: {"deleted_fragment_ids", varints, nil}, 3: {"predicate", text, nil},
	}},
	102: {"overwrite", nested, &message{
		1: {"fragments", nested, &dataFragment}, 2: {"schema", nested, &schemaField}, 3: {"schema_metadata", nested, &bytesEntry},
		4: {"config_upsert_values", nested, &stringEntry}, 5: {"initial_bases", nested, &basePath},
	}},
	103: {"create_index", nested, &message{
		1: {"new_indices", nested, &indexMetadata}, 2: {"removed_indices", nested, &indexMetadata},
	}},
	104: {"rewrite", nested, &message{
		1: {"old_fragments", nested, &dataFragment}, 2: {"new_fragments", nested, &dataFragment},
		3: {"groups", nested, &message{1: {"old_fragments", nested, &dataFragment}, 2: {"new_fragments", nested, &dataFragment}}},
	}},
	105: {"merge", nested, &message{
		1: {"fragments", nested, &dataFragment}, 2: {"schema", nested, &schemaField}, 3: {"schema_metadata", nested, &bytesEntry},
	}},
	106: {"restore", nested, &message{1: {"version", varint, nil}}},
	107: {"reserve_fragments", nested, &message{1: {"num_fragments", varint, nil}}},
	108: {"update", nested, &message{
		1: {"removed_fragment_ids", varints, nil}, 2: {"updated_fragments", nested, &dataFragment},
		3: {"new_fragments", nested, &dataFragment},
	}},
	109: {"project", nested, &message{1: {"schema", nested, &schemaField}}},
	110: {"update_config", nested, &message{}},
	111: {"data_replacement", nested, &message{
		1: {"replacements", nested, &message{1: {"fragment_id", varint, nil}, 2: {"new_file", nested, &dataFile}}},
	}},
	113: {"clone", nested, &message{
		1: {"is_shallow", varint, nil}, 2: {"ref_name", text, nil}, 3: {"ref_version", varint, nil}, 4: {"ref_path", text, nil},
		5: {"branch_name", text, nil},
	}},
	114: {"update_bases", nested, &message{1: {"new_bases", nested, &basePath}}},
}

// checkTransaction holds a Transaction, which starts at a byte of b and ends with it, to its rules, and notes its UUID. It
// must have an operation: Lance refuses to open a table whose inline transaction has none.
func (f *frame) checkTransaction(b []byte, at int) error {
	if err := transaction.check(b, at, maxDepth); err != nil {
		return fmt.Errorf("does not decode: %w", err)
	}
	hasOperation := false
	for at < len(b) {
		in, err := transaction.read(b, at, maxDepth)
		if err != nil {
			return err
		}
		if in.num() == numUUID {
			f.uuid = in.bytes(b)
		}
		hasOperation = hasOperation || in.num() >= numFirstOperation
		at = in.end
	}
	if !hasOperation {
		return errors.New("is of no use: the transaction has no operation")
	}
	return nil
}

// hasTransaction reports whether the transaction is in the manifest itself, and the name of a file does not count.
func (f *frame) hasTransaction() bool { return f.transact.end != 0 }

// transactionUUID returns the part of the manifest that is the UUID of its transaction.
func (f *frame) transactionUUID() []byte {
	if !f.hasTransaction() {
		return fileUUID(f.transactionFile)
	}
	return f.uuid
}

// fileUUID returns the UUID in the name of a transaction file, {read_version}-{uuid}.txn.
func fileUUID(name []byte) []byte {
	name, isTransaction := bytes.CutSuffix(name, []byte(".txn"))
	_, uuid, ok := bytes.Cut(name, []byte("-"))
	if !isTransaction || !ok {
		return nil
	}
	return uuid
}
