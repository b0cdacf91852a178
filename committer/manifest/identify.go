package manifest

// An Identity is which version of which branch a manifest is, and by which transaction.
type Identity struct {
	Version uint64
	Branch  string // as written; empty on main

	// transaction is a part of the manifest.
	transaction []byte
}

// TransactionID returns the UUID of the transaction, as [Info] has it. It reads the bytes of the manifest, which must
// not have changed.
func (i Identity) TransactionID() string { return string(i.transaction) }

// Identify is [Inspect] for who only asks which version a manifest is. It validates b as [Validate] does, and allocates
// nothing but the name of a branch.
func Identify(b []byte) (Identity, error) {
	fr, err := parse(b)
	if err != nil {
		return Identity{}, err
	}
	var id Identity
	var transaction transactionPlace
	for f := range fields(fr.message) {
		switch f.num {
		case numVersion:
			id.Version = f.varint
		case numTransactionFile:
			transaction.file = f.bytes
		case numBranch:
			id.Branch = string(f.bytes)
		case numTransactionSection:
			transaction.inline, transaction.section = true, f.varint
		}
	}
	id.transaction = transaction.uuid(b)
	return id, nil
}
