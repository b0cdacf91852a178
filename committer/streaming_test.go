package committer_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

// A rendered store has names, and makes the strings of each page anew, as a
// store does that is not in this process.
type rendered struct {
	backends.Store
	names []string
	lists atomic.Int64
}

func (*rendered) Capabilities() backends.Capabilities {
	return backends.Capabilities{OrderedList: true}
}

func (r *rendered) List(_ context.Context, in backends.ListInput) (page backends.Page, err error) {
	r.lists.Add(1)
	after := in.StartAfter
	if in.Token != "" {
		decoded, err := base64.RawURLEncoding.DecodeString(in.Token)
		if err != nil {
			return page, err
		}
		after = string(decoded)
	}
	folder := naming.Versions(root)
	prefix := strings.TrimPrefix(in.Prefix, folder)
	at, found := slices.BinarySearch(r.names, max(prefix, strings.TrimPrefix(after, folder)))
	if found && after != "" {
		at++
	}
	for ; at < len(r.names) && strings.HasPrefix(r.names[at], prefix); at++ {
		if len(page.Objects) == in.Limit {
			page.Token = base64.RawURLEncoding.EncodeToString([]byte(page.Objects[in.Limit-1].Key))
			break
		}
		page.Objects = append(page.Objects, backends.Object{
			Key: folder + r.names[at], Attrs: backends.Attrs{Size: 600, ETag: fmt.Sprintf("%032d", at)},
		})
	}
	return page, nil
}

// render returns a store with so many versions, and a staged manifest for each.
func render(scheme naming.Scheme, versions uint64) *rendered {
	r := new(rendered)
	for v := uint64(1); v <= versions; v++ {
		final := scheme.Final(v)
		r.names = append(r.names, final, naming.Staging(final, someUUID))
	}
	slices.Sort(r.names)
	return r
}

// live is the heap that is in use, in bytes.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestVersionsOfAV2TableAreStreamed(t *testing.T) {
	const versions, page = 100_000, 1000
	store := render(naming.V2, versions)
	table := committer.NewTable(store, root)
	next, early := uint64(versions), int64(0)
	for v, err := range table.Versions(t.Context(), committer.VersionsOptions{}) {
		// Each has its staged manifest behind it.
		wanted := 2*(versions-next) + 1
		if read := store.lists.Load(); err != nil || v.Number != next || uint64(read) != (wanted+page-1)/page {
			require.FailNow(t, "a page is read before its first version is wanted, or not in order",
				"version %d, %d pages, error %v", next, read, err)
		}
		switch versions - next {
		case 1_000:
			early = live()
		case 90_000:
			require.Less(t, live()-early, int64(1<<20), "the heap at version 90,000 beside that at version 1,000")
		}
		next--
	}
	require.Zero(t, next)
}

func TestVersionsOfAV1TableKeepNothingButTheVersions(t *testing.T) {
	const versions = 50_000
	store := render(naming.V1, versions)
	table := committer.NewTable(store, root)
	before := live()
	for v, err := range table.Versions(t.Context(), committer.VersionsOptions{}) {
		require.NoError(t, err)
		require.EqualValues(t, versions, v.Number)
		each := (live() - before) / versions
		t.Logf("%d bytes a version", each)
		require.Less(t, each, int64(300))
		break
	}
	runtime.KeepAlive(store)
}
