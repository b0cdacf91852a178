package subfolder_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/internal/subfolder"
)

const folder = "db/one"

// neighbours are keys beside the folder that look like what the tests create in
// it.
var neighbours = []string{
	"key", "t/key", "t/_versions/1.manifest", "db/t/key", "db/on", "db/one-", "db/one0", "db/one.x/t/key", "db/two/t/key", "zzz",
}

// newStore returns a store with the neighbours in it, which must stay as they are.
func newStore(t testing.TB, opts memory.Options) *memory.Store {
	store := memory.New(opts)
	for _, key := range neighbours {
		store.Inject(key, []byte("neighbour"))
	}
	t.Cleanup(func() {
		require.ElementsMatch(t, neighbours, keysOutside(t, store, ""), "what is beside the folder")
		for _, key := range neighbours {
			body, _, err := store.Get(context.WithoutCancel(t.Context()), key)
			require.NoError(t, err)
			require.Equal(t, "neighbour", string(body))
		}
	})
	return store
}

// keysOutside lists the keys of a store that are not in the folder.
func keysOutside(t testing.TB, store backends.Store, prefix string) (keys []string) {
	ctx := context.WithoutCancel(t.Context())
	for in := (backends.ListInput{Prefix: prefix}); ; {
		page, err := store.List(ctx, in)
		require.NoError(t, err)
		for _, object := range page.Objects {
			keys = append(keys, object.Key)
		}
		for _, below := range page.Prefixes {
			if below != folder+"/" {
				keys = append(keys, keysOutside(t, store, below)...)
			}
		}
		if in.Token = page.Token; in.Token == "" {
			return keys
		}
	}
}

func folderOf(t testing.TB, store backends.Store) backends.Store {
	below, err := subfolder.New(store, folder)
	require.NoError(t, err)
	return below
}

// longestKey is the rule that no folder can keep: with the folder in front, the
// key is longer than the store below takes.
const longestKey = "/a_key_of_1,024_bytes_is_stored"

func TestAFolderOfAStoreIsAStore(t *testing.T) {
	for name, opts := range map[string]memory.Options{
		"ordered":                {},
		"ordered, small pages":   {PageSize: 3},
		"unordered, small pages": {Unordered: true, PageSize: 3},
	} {
		t.Run(name, func(t *testing.T) {
			var last *memory.Store
			backendtest.Run(t, backendtest.Config{
				Keys: 20,
				New: func(t testing.TB) backends.Store {
					if strings.HasSuffix(t.Name(), longestKey) {
						t.Skip("in a folder the key would have more bytes; TestTheLongestKeyHasTheFolderInIt is about that")
					}
					last = newStore(t, opts)
					return folderOf(t, last)
				},
				Inject: func(_ testing.TB, _ backends.Store, key string, body []byte) { last.Inject(folder+"/"+key, body) },
			})
		})
	}
}

func TestTheLongestKeyHasTheFolderInIt(t *testing.T) {
	ctx, store := t.Context(), newStore(t, memory.Options{})
	below := folderOf(t, store)
	longest := strings.Repeat("k", 1024-len(folder+"/"))
	_, err := below.PutIfAbsent(ctx, longest, []byte("body"), backends.PutOptions{})
	require.NoError(t, err)
	_, err = store.Head(ctx, folder+"/"+longest)
	require.NoError(t, err)
	page, err := below.List(ctx, backends.ListInput{Prefix: longest})
	require.NoError(t, err)
	require.Equal(t, longest, page.Objects[0].Key)
	require.False(t, page.Now.IsZero())

	_, err = below.PutIfAbsent(ctx, longest+"k", []byte("body"), backends.PutOptions{})
	require.ErrorIs(t, err, backends.ErrInvalid)
	var failed *backends.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, longest+"k", failed.Key)
}

func TestAKeyIsTheFoldersWithItsOwnBehind(t *testing.T) {
	ctx, store := t.Context(), newStore(t, memory.Options{})
	below := folderOf(t, store)
	_, err := below.PutIfAbsent(ctx, "t/key", []byte("mine"), backends.PutOptions{})
	require.NoError(t, err)
	body, _, err := store.Get(ctx, "db/one/t/key")
	require.NoError(t, err)
	require.Equal(t, "mine", string(body))
	require.NoError(t, below.Delete(ctx, "t/key"))
	_, err = store.Head(ctx, "db/one/t/key")
	require.ErrorIs(t, err, backends.ErrNotExist)
}

// These are stores that can do one thing beyond the contract.
type (
	overwriting  struct{ backends.Store }
	bulkDeleting struct{ backends.Store }
)

func (overwriting) Overwrite(context.Context, string, []byte) error    { return nil }
func (bulkDeleting) BulkDelete(context.Context, []string) error        { return nil }
func (bulkDeleting) BulkLimit() int                                    { return 1000 }
func (linked) URLs() []string                                          { return []string{"s3://bucket/", "s3a://bucket/"} }
func (l linked) RealKey(_ context.Context, key string) (string, error) { return l.links[key], nil }

// linked is a store of links, which knows its address.
type linked struct {
	backends.Store
	links map[string]string
}

func TestAFolderCanDoWhatItsStoreCan(t *testing.T) {
	for _, opts := range []memory.Options{{}, {Unordered: true}, {NoMetadata: true}} {
		store := memory.New(opts)
		require.Equal(t, store.Capabilities(), folderOf(t, store).Capabilities())
	}
	all := memory.New(memory.Options{})
	none := struct{ backends.Store }{all}
	for _, tc := range []struct {
		store                   backends.Store
		overwrites, bulkDeletes bool
	}{
		{all, true, true}, {none, false, false}, {overwriting{none}, true, false}, {bulkDeleting{none}, false, true},
	} {
		below := folderOf(t, tc.store)
		_, overwrites := below.(backends.Overwriter)
		bulk, bulkDeletes := below.(backends.BulkDeleter)
		require.Equal(t, [2]bool{tc.overwrites, tc.bulkDeletes}, [2]bool{overwrites, bulkDeletes}, "%T", tc.store)
		if bulkDeletes {
			require.Equal(t, 1000, bulk.BulkLimit())
		}
	}
}

func TestAFolderHasTheAddressesOfItsStore(t *testing.T) {
	store := memory.New(memory.Options{})
	require.Equal(t, []string{"s3://bucket/db/one/", "s3a://bucket/db/one/"}, folderOf(t, linked{Store: store}).(backends.Located).URLs())
	require.Nil(t, folderOf(t, store).(backends.Located).URLs())
}

func TestALinkIsFollowedInsideTheFolder(t *testing.T) {
	links := linked{links: map[string]string{"db/one/a": "db/one/real/a", "db/one/b": "db/two/b"}}
	below := folderOf(t, links).(backends.Linked)
	real, err := below.RealKey(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, "real/a", real)
	_, err = below.RealKey(t.Context(), "b")
	require.ErrorIs(t, err, backends.ErrPermission)

	real, err = folderOf(t, memory.New(memory.Options{})).(backends.Linked).RealKey(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, "a", real, "where there are no links")
}

// refusing is a store that removes nothing.
type refusing struct{ bulkDeleting }

func (refusing) BulkDelete(_ context.Context, keys []string) error {
	partial := &backends.PartialDeleteError{}
	for _, key := range keys {
		partial.Failed = append(partial.Failed, &backends.Error{Op: "delete", Key: key, Err: backends.ErrPermission})
	}
	return partial
}

func TestABulkDeleteNamesTheKeysThatWereRefused(t *testing.T) {
	bulk := folderOf(t, refusing{}).(backends.BulkDeleter)
	err := bulk.BulkDelete(t.Context(), []string{"a", "b/c"})
	var partial *backends.PartialDeleteError
	require.ErrorAs(t, err, &partial)
	require.Equal(t, "a", partial.Failed[0].Key)
	require.Equal(t, "b/c", partial.Failed[1].Key)
	require.ErrorIs(t, err, backends.ErrPermission)
}

// lax is a store that checks no key. It remembers what it was asked for.
type lax struct {
	bulkDeleting
	asked []string
}

func (l *lax) did(key string) error {
	l.asked = append(l.asked, key)
	return nil
}

func (l *lax) PutIfAbsent(_ context.Context, key string, _ []byte, _ backends.PutOptions) (backends.Attrs, error) {
	return backends.Attrs{}, l.did(key)
}
func (l *lax) Get(_ context.Context, key string) ([]byte, backends.Attrs, error) {
	return nil, backends.Attrs{}, l.did(key)
}
func (l *lax) Head(_ context.Context, key string) (backends.Attrs, error) {
	return backends.Attrs{}, l.did(key)
}
func (l *lax) Delete(_ context.Context, key string) error              { return l.did(key) }
func (l *lax) Overwrite(_ context.Context, key string, _ []byte) error { return l.did(key) }
func (l *lax) BulkDelete(_ context.Context, keys []string) error       { return l.did(keys[0]) }
func (l *lax) List(_ context.Context, in backends.ListInput) (backends.Page, error) {
	return backends.Page{}, l.did(in.Prefix)
}

func TestNothingLeavesTheFolderThoughTheStoreChecksNoKey(t *testing.T) {
	ctx, store := t.Context(), &lax{}
	below := folderOf(t, store)
	for _, key := range []string{"..", "../two/key", "a/../../two/key", "/key", "a//b"} {
		_, err := below.PutIfAbsent(ctx, key, nil, backends.PutOptions{})
		require.ErrorIs(t, err, backends.ErrInvalid)
		_, _, err = below.Get(ctx, key)
		require.ErrorIs(t, err, backends.ErrInvalid)
		_, err = below.Head(ctx, key)
		require.ErrorIs(t, err, backends.ErrInvalid)
		_, err = below.List(ctx, backends.ListInput{Prefix: key})
		require.ErrorIs(t, err, backends.ErrInvalid)
		require.ErrorIs(t, below.Delete(ctx, key), backends.ErrInvalid)
		require.ErrorIs(t, below.(backends.Overwriter).Overwrite(ctx, key, nil), backends.ErrInvalid)
		require.ErrorIs(t, below.(backends.BulkDeleter).BulkDelete(ctx, []string{"t/key", key}), backends.ErrInvalid)
	}
	require.Empty(t, store.asked)
}

func TestAFolderWithAMalformedNameIsRefused(t *testing.T) {
	for _, name := range []string{"", "/", "a/", "/a", "a//b", ".", "..", "a/../b", strings.Repeat("k", 1025)} {
		_, err := subfolder.New(memory.New(memory.Options{}), name)
		require.ErrorIs(t, err, backends.ErrInvalid, name)
	}
}

// astray is a store that lists what it was not asked for.
type astray struct {
	backends.Store
	page backends.Page
}

func (a astray) List(context.Context, backends.ListInput) (backends.Page, error) { return a.page, nil }

func TestWhatIsNotInTheFolderIsNeverHandedOut(t *testing.T) {
	for _, page := range []backends.Page{
		{Objects: []backends.Object{{Key: "db/two/key"}}}, {Objects: []backends.Object{{Key: "db/one"}}}, {Prefixes: []string{"db/"}},
	} {
		_, err := folderOf(t, astray{Store: memory.New(memory.Options{}), page: page}).List(t.Context(), backends.ListInput{Prefix: "t/"})
		require.ErrorContains(t, err, "outside")
	}
}

// broken is a store whose errors are not the contract's.
type broken struct{ backends.Store }

func (broken) Delete(context.Context, string) error { return io.ErrUnexpectedEOF }

func TestAnErrorThatNamesNoKeyIsPassedOn(t *testing.T) {
	require.Equal(t, io.ErrUnexpectedEOF, folderOf(t, broken{memory.New(memory.Options{})}).Delete(t.Context(), "key"))
}
