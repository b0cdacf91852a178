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

// Identify is [Inspect] for callers that only ask which version a manifest is. It validates b as [Validate] does, and
// allocates nothing but the name of a branch.
func Identify(b []byte) (Identity, error) {
	var fr frame
	if err := fr.parse(b); err != nil {
		return Identity{}, err
	}
	return Identity{Version: fr.version, Branch: string(fr.branch), transaction: fr.transactionUUID()}, nil
}
