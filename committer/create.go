package committer

import (
	"context"
	"errors"
	"fmt"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/naming"
)

// CreateTableVersion makes a staged manifest a version of a table, unless that
// version is there already. It is the operation CreateTableVersion of the Lance
// Namespace specification, with the certainty of [Table.Commit]: the staged
// bytes are checked and committed by one conditional PUT, and the staged object
// is removed once that is proven, best effort, and not before.
//
// The same request can be sent again until its answer is known. It succeeds when
// the version has the bytes of the staged manifest, and also when the staged
// manifest is gone and the version says that it came from there. A staged
// manifest stays where it is when the version says that it came from another.
//
// The staged manifest must lie in the table, say the version and the branch, and
// have the size and ETag of the request. Data and transaction files must be in
// place before. A branch that has no ref yet is accepted for the first version
// of its chain, which has the number of the version that it forks from; the
// request does not say the parent, so nobody checks that it has that version.
//
// Errors: those of [Table.Commit], [ErrStagedChanged], [ErrUnsupported],
// [ErrTableNotFound], [ErrNamespaceNotFound]. A malformed request is an
// [*InvalidRequestError] that names every wrong field. [ErrUnknownOutcome] is
// also the answer when the staged manifest is gone and nothing says whether the
// version came from it. It is [ErrUndecidable] then: no time that passes decides
// that, and to stage the same bytes there again and to repeat the request does,
// while the version is there.
//
// It costs a GET beside a LIST, a PUT and a DELETE, without the LIST while the
// end of the chain is known, after the checks of a handle's first call.
func (n *Namespace) CreateTableVersion(
	ctx context.Context, req *CreateTableVersionRequest,
) (*CreateTableVersionResponse, error) {
	if req == nil {
		return nil, errNoRequest
	}
	v, transaction, err := n.create(withCaller(ctx, req.Identity, req.Context), req.entry())
	if err != nil {
		return nil, fmt.Errorf("create table version: %w", err)
	}
	created := tableVersion(v)
	return &CreateTableVersionResponse{TransactionID: transaction, Version: &created}, nil
}

// BatchCreateTableVersions is CreateTableVersion for one entry. Several entries
// are [ErrUnsupported], or an [*InvalidRequestError] where fields of them are
// wrong, and nothing is written: no store creates several objects at once, and
// without that some of the tables could get their version and others not.
func (n *Namespace) BatchCreateTableVersions(
	ctx context.Context, req *BatchCreateTableVersionsRequest,
) (*BatchCreateTableVersionsResponse, error) {
	const failed = "batch create table versions: %w"
	if req == nil {
		return nil, errNoRequest
	}
	if n.broken != nil {
		return nil, fmt.Errorf(failed, n.broken)
	}
	if len(req.Entries) != 1 {
		var wrong faults
		n.readBatch(&wrong, req)
		return nil, fmt.Errorf(failed, wrong.err())
	}
	v, transaction, err := n.create(withCaller(ctx, req.Identity, req.Context), &req.Entries[0])
	if err != nil {
		return nil, fmt.Errorf(failed, inEntry(0, err))
	}
	return &BatchCreateTableVersionsResponse{TransactionID: transaction, Versions: []TableVersion{tableVersion(v)}}, nil
}

// readBatch adds every field of every entry that is wrong, and that there are
// several.
func (n *Namespace) readBatch(wrong *faults, req *BatchCreateTableVersionsRequest) {
	switch entries := len(req.Entries); entries {
	case 0:
		wrong.add("entries", "it is missing or empty")
	case 1:
	default:
		// Whatever of them could not be read.
		wrong.unsupported++
		wrong.addWhole("entries", "%v: %d of them cannot be created all or none, for want of a coordinator; send them one by one",
			ErrUnsupported, entries)
	}
	for i := range req.Entries {
		if wrong.isFull() {
			return
		}
		n.readEntry(wrong, entryField(i), &req.Entries[i])
	}
}

func entryField(i int) string { return fmt.Sprintf("entries[%d]", i) }

// inEntry names the fields of an error as those of an entry.
func inEntry(i int, err error) error {
	var invalid *InvalidRequestError
	var unsupported *unsupportedRequestError
	switch {
	case errors.As(err, &invalid):
		invalid.under(entryField(i))
	case errors.As(err, &unsupported):
		unsupported.under(entryField(i))
	}
	return err
}

// create is CreateTableVersion. It returns the version and the UUID of the
// manifest's transaction.
func (n *Namespace) create(ctx context.Context, e *CreateTableVersionEntry) (Version, string, error) {
	called := n.startOfCall()
	if n.broken != nil {
		return Version{}, "", n.broken
	}
	var wrong faults
	root, s := n.readEntry(&wrong, "", e)
	if err := wrong.err(); err != nil {
		return Version{}, "", n.refuse(ctx, root, e.Branch, err)
	}
	t, err := n.table(ctx, root, e.Branch, uint64(e.Version))
	if err != nil {
		return Version{}, "", err
	}
	if err := n.checkReal(ctx, root, s); err != nil {
		return Version{}, "", err
	}
	end, err := n.fetchBesideList(ctx, t, e, &s)
	if err != nil {
		return Version{}, "", err
	}
	if s.gone {
		if !end.exists() {
			if err := n.checkThere(ctx); err != nil {
				return Version{}, "", err
			}
		}
		return t.replayGone(ctx, e, s, end, called)
	}
	c, err := t.candidateOf(e, s)
	if err != nil {
		return Version{}, "", t.refuse(ctx, err)
	}
	// What the handle saw before is not what the caller built on, who may well
	// know that the table was made again.
	t.isReplaced()
	v, err := t.commitInTurn(ctx, c, called)
	if err != nil {
		return Version{}, "", fmt.Errorf("version %d: %w", e.Version, err)
	}
	if v.staged == c.staged && !n.keepStaged {
		n.discard(ctx, t, &s)
	}
	return v, c.says.TransactionID(), nil
}

// readEntry adds every field of an entry at a path that is wrong by itself. It
// returns the root of the table, empty where that is not known, and where the
// manifest is staged.
func (n *Namespace) readEntry(wrong *faults, at string, e *CreateTableVersionEntry) (root string, s staging) {
	root, known := wrong.checkTable(n, at, e.ID, e.Branch)
	wrong.checkVersion(at, e.Version)
	path := joinPath(at, "manifest_path")
	if known {
		var err error
		s, err = n.resolve(root, naming.BranchRoot(root, e.Branch), e.ManifestPath, uint64(max(e.Version, 1)))
		wrong.check(path, err)
	} else {
		wrong.check(path, checkPathAlone(e.ManifestPath))
	}
	if e.ManifestSize != nil {
		s.size = *e.ManifestSize
		wrong.check(joinPath(at, "manifest_size"), checkSize(s.size))
	}
	if e.NamingScheme != "" {
		_, err := naming.ParseScheme(e.NamingScheme)
		wrong.check(joinPath(at, "naming_scheme"), err)
	}
	wrong.check(joinPath(at, "metadata"), checkMetadata(e.Metadata, s.name))
	return root, s
}

// checkSize refuses a size that no manifest has.
func checkSize(bytes int64) error {
	switch {
	case bytes < manifest.MinSize:
		return fmt.Errorf("%d bytes cannot be a manifest, which has %d at least", bytes, manifest.MinSize)
	case bytes > largestManifest:
		return fmt.Errorf("%d bytes are more than %d MiB, which no manifest is", bytes, largestManifest>>20)
	default:
		return nil
	}
}

// checkMetadata refuses metadata that no store would keep.
func checkMetadata(metadata map[string]string, staged string) error {
	if len(metadata) == 0 {
		return nil
	}
	encoded, err := candidate{id: newID(), staged: staged, keep: metadata}.metadata()
	if err != nil {
		return err
	}
	return backends.CheckMetadata(encoded)
}

// refuse adds the latest version of the table to a refusal, where it can be had.
func (n *Namespace) refuse(ctx context.Context, root, branch string, refusal error) error {
	if root == "" && !n.atTable || naming.CheckBranch(branch) != nil || n.check(ctx, root) != nil {
		return refusal
	}
	return n.handle(root, branch).refuse(ctx, refusal)
}

// fetchBesideList reads the staged manifest while the end of the chain is
// listed, where that is not known.
func (n *Namespace) fetchBesideList(
	ctx context.Context, t *Table, e *CreateTableVersionEntry, s *staging,
) (end Version, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	fetched := make(chan error, 1)
	go func() { fetched <- n.fetch(ctx, e, s) }()
	chain, err := t.end(ctx)
	if err != nil {
		cancel()
	}
	if fetchErr := <-fetched; err == nil {
		err = fetchErr
	}
	return chain.end, err
}

// candidateOf checks the staged manifest against the request.
func (t *Table) candidateOf(e *CreateTableVersionEntry, s staging) (candidate, error) {
	if err := s.matches(e); err != nil {
		return candidate{}, err
	}
	c, err := t.newCandidate(uint64(e.Version), s.body)
	if err != nil {
		return candidate{}, fmt.Errorf("the staged manifest %s: %w", s.key, err)
	}
	c.staged, c.keep = s.name, e.Metadata
	if e.NamingScheme != "" {
		c.wanted, err = naming.ParseScheme(e.NamingScheme)
	}
	return c, err
}
