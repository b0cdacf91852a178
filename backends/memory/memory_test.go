package memory_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/backendtest"
	"github.com/lancecommit/lancecommit/backends/memory"
)

func TestStore(t *testing.T) {
	for name, opts := range map[string]memory.Options{
		"a general purpose bucket": {},
		"small pages":              {PageSize: 3},
		"unordered":                {Unordered: true},
		"unordered, small pages":   {Unordered: true, PageSize: 3},
		"without metadata":         {NoMetadata: true},
	} {
		t.Run(name, func(t *testing.T) {
			backendtest.Run(t, backendtest.Config{
				New: func(testing.TB) backends.Store { return memory.New(opts) },
				Inject: func(_ testing.TB, store backends.Store, key string, body []byte) {
					store.(*memory.Store).Inject(key, body)
				},
			})
		})
	}
}

func TestAnUnorderedStoreListsInAnotherOrder(t *testing.T) {
	store := memory.New(memory.Options{Unordered: true})
	keys := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, key := range keys {
		store.Inject(key, nil)
	}
	page, err := store.List(context.Background(), backends.ListInput{})
	require.NoError(t, err)
	var listed []string
	for _, object := range page.Objects {
		listed = append(listed, object.Key)
	}
	require.ElementsMatch(t, keys, listed)
	require.NotEqual(t, keys, listed)

	_, err = store.List(context.Background(), backends.ListInput{StartAfter: "c"})
	require.ErrorIs(t, err, backends.ErrUnsupported)
}
