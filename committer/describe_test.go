package committer_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/naming"
)

func TestDescribe(t *testing.T) {
	store := laid(1, 2)
	namespace, log := inNamespace(store)
	req := stage(store, 3, "mine")
	req.Metadata = map[string]string{"who": "me"}
	created := create(t, namespace, req)
	log.Take()
	describe := func(version int64) (*committer.DescribeTableVersionResponse, error) {
		req := &committer.DescribeTableVersionRequest{ID: tableID}
		if version != 0 {
			req.Version = &version
		}
		return namespace.DescribeTableVersion(t.Context(), req)
	}
	got, err := describe(3)
	require.NoError(t, err)
	require.Equal(t, created.Version, got.Version)
	require.Equal(t, []string{"HEAD " + naming.V2.Final(3)}, log.Take())
	got, err = describe(0)
	require.NoError(t, err)
	require.Equal(t, created.Version, got.Version, "the latest, with its metadata")
	_, err = describe(4)
	require.Equal(t, committer.CodeTableVersionNotFound, committer.Code(err))
	_, err = describe(-1)
	require.Equal(t, committer.CodeInvalidInput, committer.Code(err))

	store.Inject("db/empty.lance/.lance-reserved", nil)
	_, err = namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: []string{"empty"}})
	require.Equal(t, committer.CodeTableVersionNotFound, committer.Code(err), "the table is there, and has no version")
}

// A listing has no metadata, so the latest is looked at.
func TestTheLatestIsDescribedWithItsMetadata(t *testing.T) {
	store := laid(1)
	req := stage(store, 2, "mine")
	req.Metadata = map[string]string{"who": "me"}
	writer, _ := inNamespace(store)
	created := create(t, writer, req)
	fresh, _ := inNamespace(store)
	got, err := fresh.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID})
	require.NoError(t, err)
	require.Equal(t, created.Version, got.Version)
}

func TestMetadataIsNotClaimedWhereTheStoreKeepsNone(t *testing.T) {
	for kept, want := range map[bool]map[string]string{true: {"who": "me"}, false: nil} {
		store := memory.New(memory.Options{NoMetadata: !kept})
		lay(store, naming.V2, 1)
		namespace, _ := inNamespace(store)
		req := stage(store, 2, "mine")
		req.Metadata = map[string]string{"who": "me"}
		created := create(t, namespace, req)
		require.Equal(t, want, created.Version.Metadata)
		got, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID})
		require.NoError(t, err)
		require.Equal(t, want, got.Version.Metadata)
	}
}

// timeless is a store that does not say when it wrote something.
type timeless struct{ *memory.Store }

func (s timeless) PutIfAbsent(ctx context.Context, key string, body []byte, opts backends.PutOptions) (backends.Attrs, error) {
	attrs, err := s.Store.PutIfAbsent(ctx, key, body, opts)
	attrs.Modified = time.Time{}
	return attrs, err
}

func (s timeless) Head(ctx context.Context, key string) (backends.Attrs, error) {
	attrs, err := s.Store.Head(ctx, key)
	attrs.Modified = time.Time{}
	return attrs, err
}

func TestATimeThatTheStoreDoesNotSayIsAbsent(t *testing.T) {
	for _, silent := range []bool{true, false} {
		laid := laid(1)
		var store backends.Store = laid
		if silent {
			store = timeless{laid}
		}
		namespace := committer.NewNamespace(store, namespaceRoot)
		created := create(t, namespace, stage(laid, 2, "mine"))
		version := int64(2)
		described, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID, Version: &version})
		require.NoError(t, err)
		for _, response := range []any{created, described} {
			text, err := json.Marshal(response)
			require.NoError(t, err)
			var sent struct{ Version map[string]any }
			require.NoError(t, json.Unmarshal(text, &sent))
			if silent {
				require.NotContains(t, sent.Version, "timestamp_millis")
				continue
			}
			require.InDelta(t, time.Now().UnixMilli(), sent.Version["timestamp_millis"], float64(time.Hour.Milliseconds()))
		}
	}
}

// A handle finds the latest by a HEAD of the next name, which does not show that
// others committed several versions and removed all but the last.
func TestTheLatestIsDescribedAfterTheRememberedOneWasRemoved(t *testing.T) {
	store := laid(1, 2, 3)
	namespace, _ := inNamespace(store)
	_, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID})
	require.NoError(t, err)
	lay(store, naming.V2, 4, 5)
	for version := range uint64(4) {
		require.NoError(t, store.Delete(t.Context(), naming.Versions(root)+naming.V2.Final(version+1)))
	}
	got, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID})
	require.NoError(t, err)
	require.EqualValues(t, 5, got.Version.Version)
}
