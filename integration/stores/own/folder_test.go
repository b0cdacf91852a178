package own

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
)

// A trial is a test inside a test, which may fail.
type trial struct {
	testing.TB
	ctx      context.Context
	cleanups []func()
	failed   []string
}

func (r *trial) Helper()                  {}
func (r *trial) Context() context.Context { return r.ctx }
func (r *trial) Logf(string, ...any)      {}
func (r *trial) Cleanup(f func())         { r.cleanups = append(r.cleanups, f) }
func (r *trial) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}
func (r *trial) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// try runs a test as the testing package would, and returns how it failed.
func try(t *testing.T, test func(t testing.TB)) (failed []string) {
	ctx, cancel := context.WithCancel(t.Context())
	r := &trial{TB: t, ctx: ctx}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	cancel() // the context of a test ends before its clean-up
	for _, cleanup := range slices.Backward(r.cleanups) {
		cleanup()
	}
	return r.failed
}

// onDisk names a folder with a file in it by the environment.
func onDisk(t *testing.T) (folder string) {
	folder = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "bystander"), nil, 0o666))
	t.Setenv(EnvStore, folder)
	t.Setenv(EnvOptions, "")
	return folder
}

func names(t *testing.T, folder string) (names []string) {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestATestHasAFolderOfItsOwnUntilItEnds(t *testing.T) {
	for name, end := range map[string]func(t testing.TB){
		"it passes": func(testing.TB) {}, "it fails": func(t testing.TB) { t.Errorf("broken") },
		"it fails and stops": func(t testing.TB) { t.Fatalf("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			folder := onDisk(t)
			failed := try(t, func(tb testing.TB) {
				s := Require(tb)
				for range 2 {
					in := s.Folder(tb)
					_, err := in.Store.PutIfAbsent(tb.Context(), "t/_versions/1.manifest", []byte("body"), backends.PutOptions{})
					require.NoError(t, err, "the folder is empty")
					require.True(t, strings.HasPrefix(in.Name, Prefix))
					require.FileExists(t, filepath.Join(folder, in.Name, "t", "_versions", "1.manifest"))
					require.Implements(t, (*backends.Overwriter)(nil), in.Store)
				}
				require.Len(t, names(t, folder), 3)
				end(tb)
			})
			require.Equal(t, strings.Contains(name, "fails"), len(failed) == 1, "%v", failed)
			require.Equal(t, []string{"bystander"}, names(t, folder))
		})
	}
}

func TestAnotherProcessOpensTheSameFolder(t *testing.T) {
	onDisk(t)
	require.Empty(t, try(t, func(tb testing.TB) {
		in := Require(tb).Folder(tb)
		_, err := in.Store.PutIfAbsent(tb.Context(), "t/1", []byte("body"), backends.PutOptions{})
		require.NoError(t, err)
		other, err := Open(in.Name)
		require.NoError(t, err)
		body, _, err := other.Get(tb.Context(), "t/1")
		require.NoError(t, err)
		require.Equal(t, "body", string(body))
	}))
}

func TestAStoreThatCannotBeUsedIsAFailure(t *testing.T) {
	for name, tc := range map[string]struct{ location, options, want string }{
		"no such folder":       {"/no/such/folder", "", "the store is not there"},
		"no such scheme":       {"ftp://bucket", "", "there is no backend for ftp://"},
		"no such option":       {"s3://bucket", "aws_secret=SECRET", "the option aws_secret is not known"},
		"malformed options":    {"s3://bucket", "SECRET", "LANCECOMMIT_STORE_OPTIONS: item 1"},
		"a secret in the host": {"s3://SECRET:SECRET@bucket", "", "LANCECOMMIT_STORE cannot be used"},
		"nobody listens": {
			"s3://bucket", "aws_endpoint=http://127.0.0.1:1,allow_http=true,aws_access_key_id=SECRET,aws_secret_access_key=SECRET", "refused",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(EnvStore, tc.location)
			t.Setenv(EnvOptions, tc.options)
			failed := try(t, func(tb testing.TB) { Require(tb) })
			require.Len(t, failed, 1)
			require.Contains(t, failed[0], tc.want)
			require.NotContains(t, failed[0], "SECRET")
			_, err := Open("folder")
			if tc.options == "SECRET" {
				require.ErrorContains(t, err, tc.want)
			}
		})
	}
}

// hiding is a store that does not list what is below another object, as MinIO.
type hiding struct{ backends.Store }

func (h hiding) List(ctx context.Context, in backends.ListInput) (backends.Page, error) {
	page, err := h.Store.List(ctx, in)
	page.Prefixes = slices.DeleteFunc(page.Prefixes, func(prefix string) bool {
		_, err := h.Head(ctx, strings.TrimSuffix(prefix, "/"))
		return err == nil
	})
	return page, err
}

func TestTheRemovalLeavesNothing(t *testing.T) {
	inner := memory.New(memory.Options{PageSize: 3})
	for i := range 100 {
		inner.Inject(fmt.Sprintf("t/%d/%d", i%7, i), nil)
	}
	for _, key := range []string{"t/a", "t/a/hidden", "t/a/hidden/too"} {
		inner.Inject(key, nil)
	}
	require.NoError(t, (&Store{Location: "s3://bucket"}).remove(t.Context(), "folder", hiding{inner}))
	left, err := keysBelow(t.Context(), inner, "")
	require.NoError(t, err)
	require.Empty(t, left)
}

// unlisted is a store that refuses to list.
type unlisted struct{ backends.Store }

func (unlisted) List(context.Context, backends.ListInput) (backends.Page, error) {
	return backends.Page{}, backends.ErrPermission
}

func TestAFolderThatCannotBeListedIsAnError(t *testing.T) {
	require.ErrorIs(t, (&Store{Location: "s3://bucket"}).remove(t.Context(), "folder", unlisted{}), backends.ErrPermission)
}

// keeping is a store that deletes nothing, and says so or not.
type keeping struct {
	backends.Store
	err error
}

func (k keeping) Delete(context.Context, string) error { return k.err }

func TestAnObjectThatCannotBeRemovedIsAnError(t *testing.T) {
	inner := memory.New(memory.Options{})
	for i := range 50 {
		inner.Inject(fmt.Sprintf("t/%d", i), nil)
	}
	store := &Store{Location: "s3://bucket"}
	err := store.remove(t.Context(), "folder", keeping{inner, backends.ErrPermission})
	require.ErrorIs(t, err, backends.ErrPermission)
	require.ErrorContains(t, err, "50 of 50")
	require.ErrorContains(t, store.remove(t.Context(), "folder", keeping{inner, nil}), "still listed")
}
