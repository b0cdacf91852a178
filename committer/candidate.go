package committer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/naming"
)

// A candidate is a manifest that is to become a version.
type candidate struct {
	version uint64
	body    []byte
	// id belongs to one call and is stored with the manifest.
	id     callID
	sha256 digest
	// ours makes the id the identity of the commit. Without it equal bytes are
	// the same commit, whoever wrote them.
	ours bool
	// says is which version the manifest says that it is.
	says manifest.Identity
	// staged and keep are stored with the manifest: where it was staged, and
	// the caller's metadata.
	staged string
	keep   map[string]string
	// wanted is the scheme for a chain that has none, zero for the table's.
	wanted naming.Scheme

	// scheme and key are set when the scheme of the chain is known.
	scheme naming.Scheme
	key    string
}

// newCandidate checks a manifest before anything is sent.
func (t *Table) newCandidate(version uint64, body []byte) (candidate, error) {
	if err := naming.CheckVersion(version); err != nil {
		return candidate{}, invalid(err)
	}
	says, err := manifest.Identify(body)
	if err != nil {
		return candidate{}, invalid(err)
	}
	if says.Version != version {
		return candidate{}, invalid(fmt.Errorf("the manifest says version %d, it was to be committed as %d", says.Version, version))
	}
	if naming.IsMain(says.Branch) != (t.branch == "") || t.branch != "" && says.Branch != t.branch {
		return candidate{}, invalid(fmt.Errorf("the manifest says branch %s, it was to be committed to %s",
			branchText(says.Branch), branchText(t.branch)))
	}
	return candidate{version: version, body: body, id: newID(), sha256: sha256.Sum256(body), says: says}, nil
}

func branchText(name string) string {
	if naming.IsMain(name) {
		return naming.MainBranch
	}
	return fmt.Sprintf("%q", name)
}

// refuse adds the latest version to the text of a refusal, where it can be had.
// That costs a LIST when the end of the chain is not known.
func (t *Table) refuse(ctx context.Context, refusal error) error {
	if _, err := t.ready(ctx); err != nil {
		return refusal
	}
	chain, err := t.end(ctx)
	if err != nil {
		return refusal
	}
	return t.withLatest(refusal, chain.end)
}

// at fixes the object of the candidate by the scheme of the chain, zero for one
// that has none.
func (t *Table) at(c candidate, chain naming.Scheme) candidate {
	c.scheme = cmp.Or(chain, c.wanted, t.scheme)
	c.key = t.key(c.scheme, c.version)
	return c
}

// metadata is what is stored beside the candidate.
func (c candidate) metadata() (string, error) {
	if c.staged == "" && len(c.keep) == 0 {
		return encodePlain(c.id, c.sha256), nil
	}
	return record{ID: string(c.id[:]), SHA256: c.sha256.String(), Staged: c.staged, Metadata: c.keep}.encode()
}

// found returns the version that the candidate is once it is committed.
func (c candidate) found(attrs backends.Attrs) Version {
	return newVersion(c.key, naming.Name{Version: c.version, Scheme: c.scheme}, attrs)
}

// created returns the version that the candidate is by the answer to its own
// PUT, which does not repeat what is stored beside it.
func (t *Table) created(c candidate, attrs backends.Attrs) Version {
	v := c.found(attrs)
	v.staged = c.staged
	if t.store.Capabilities().Metadata {
		v.Metadata = c.keep
	}
	return v
}
