package committer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

const (
	// refExtension ends the name of every ref. Lance ignores other names.
	refExtension = ".json"
	// mostRefFolders bounds the folders below _refs/ that are listed. Where a
	// store shows the slashes of branch names as they are, each is a folder.
	mostRefFolders = 1000
)

// A protection is why a version must stay, and for whom.
type protection struct {
	reason KeepReason
	// name is that of the tag or branch.
	name string
}

// outranks orders the reasons why one version stays: a tag before a branch, and
// both by name.
func (p protection) outranks(other protection) bool {
	return p.reason < other.reason || p.reason == other.reason && p.name < other.name
}

// A refReader reads the refs of a table again and again. A ref that a listing
// shows unchanged is not read again.
type refReader struct {
	table *Table
	// read has what was read by key.
	read map[string]readRef
}

// A readRef is a ref as it was read.
type readRef struct {
	etag string
	// on is the branch whose version is protected, empty for main.
	on      string
	version uint64
	as      protection
}

// protected returns the versions of the table's branch that tags and forks need.
// It costs one LIST for tags and one for branches, one more for each further
// page or folder, and one GET for each ref that is new or changed.
//
// A ref that vanishes between the LIST and the GET is gone. One that cannot be
// read is the store's error, one that makes no sense is ErrBadRef: neither may
// be taken for a ref that is not there.
func (r *refReader) protected(ctx context.Context) (map[uint64]protection, error) {
	var objects []backends.Object
	folders := 0
	for _, top := range []string{naming.Tags(r.table.table), naming.Branches(r.table.table)} {
		for queue := []string{top}; len(queue) > 0; queue = queue[1:] {
			if folders++; folders > mostRefFolders {
				return nil, fmt.Errorf("%w: there are more than %d folders below %s", ErrBadRef, mostRefFolders, top)
			}
			for page, err := range listings(ctx, r.table.reads, backends.ListInput{Prefix: queue[0]}) {
				if err != nil {
					return nil, fmt.Errorf("list tags and branches: %w", err)
				}
				for _, object := range page.Objects {
					if strings.HasSuffix(object.Key, refExtension) {
						objects = append(objects, object)
					}
				}
				queue = append(queue, page.Prefixes...)
			}
		}
	}
	if err := r.update(ctx, objects); err != nil {
		return nil, err
	}
	protected := make(map[uint64]protection)
	for _, ref := range r.read {
		if ref.on != r.table.branch {
			continue
		}
		if before, ok := protected[ref.version]; !ok || ref.as.outranks(before) {
			protected[ref.version] = ref.as
		}
	}
	return protected, nil
}

// update makes read the refs of a listing.
func (r *refReader) update(ctx context.Context, objects []backends.Object) error {
	var mu sync.Mutex
	now := make(map[string]readRef, len(objects))
	err := sideBySide(objects, func(object backends.Object) error {
		ref, known := r.read[object.Key]
		if !known || ref.etag != object.ETag || ref.etag == "" {
			var err error
			ref, err = r.get(ctx, object.Key)
			if errors.Is(err, backends.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		now[object.Key] = ref
		return nil
	})
	if err == nil {
		r.read = now
	}
	return err
}

// get reads one ref.
func (r *refReader) get(ctx context.Context, key string) (readRef, error) {
	body, attrs, err := r.table.reads.getSized(ctx, key, 0)
	if err != nil {
		return readRef{}, fmt.Errorf("read a tag or branch ref: %w", err)
	}
	parse := parseTag
	name, isTag := strings.CutPrefix(key, naming.Tags(r.table.table))
	if !isTag {
		name, parse = strings.TrimPrefix(key, naming.Branches(r.table.table)), parseFork
	}
	ref, err := parse(body)
	if err != nil {
		return readRef{}, fmt.Errorf("%w: %s: %w; mend it, or remove it if nobody needs it", ErrBadRef, key, err)
	}
	ref.etag, ref.as.name = attrs.ETag, refName(strings.TrimSuffix(name, refExtension))
	return ref, nil
}

// refName undoes the escapes in the name of a ref.
func refName(escaped string) string {
	if name, err := url.PathUnescape(escaped); err == nil {
		return name
	}
	return escaped
}

// parseTag reads a tag. Keys are as Lance writes them.
func parseTag(body []byte) (readRef, error) {
	var tag struct {
		Branch  *string `json:"branch"`
		Version *uint64 `json:"version"`
	}
	if err := json.Unmarshal(body, &tag); err != nil {
		return readRef{}, errors.New("it is not JSON with a number as version and a text as branch")
	}
	return newRef(tag.Branch, "version", tag.Version, KeptTagged)
}

// parseFork reads the ref of a branch, for the version that it forks from.
func parseFork(body []byte) (readRef, error) {
	var branch struct {
		Parent  *string `json:"parentBranch"`
		Version *uint64 `json:"parentVersion"`
	}
	if err := json.Unmarshal(body, &branch); err != nil {
		return readRef{}, errors.New("it is not JSON with a number as parentVersion and a text as parentBranch")
	}
	return newRef(branch.Parent, "parentVersion", branch.Version, KeptForkPoint)
}

func newRef(on *string, field string, version *uint64, reason KeepReason) (readRef, error) {
	if version == nil {
		return readRef{}, fmt.Errorf("it has no %s", field)
	}
	// A detached version has a high number and is in no chain.
	if *version < naming.MinVersion {
		return readRef{}, fmt.Errorf("its %s is %d; versions start at %d", field, *version, naming.MinVersion)
	}
	ref := readRef{version: *version, as: protection{reason: reason}}
	if on != nil && !naming.IsMain(*on) {
		ref.on = *on
	}
	return ref, nil
}
