package committer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
)

func TestAWrongVersionIsRefusedAndTheLatestNamed(t *testing.T) {
	for _, tc := range []struct {
		version int64
		want    error
		code    int
	}{
		{5, committer.ErrConflict, 14},
		{9, committer.ErrConflict, 14},
		{11, committer.ErrConflict, 14},
		{0, committer.ErrInvalid, 13},
		{-1, committer.ErrInvalid, 13},
	} {
		t.Run(fmt.Sprint(tc.version), func(t *testing.T) {
			store := laid(8, 9)
			namespace, _ := inNamespace(store)
			req := stage(store, uint64(max(tc.version, 1)), "mine")
			req.Version = tc.version
			_, err := namespace.CreateTableVersion(t.Context(), req)
			require.ErrorIs(t, err, tc.want)
			require.Equal(t, tc.code, committer.Code(err))
			require.ErrorContains(t, err, "latest version is 9")
			require.Len(t, stagedLeft(t, store), 1)
		})
	}
}

func TestARequestWithEveryFieldWrongIsToldAllOfThem(t *testing.T) {
	namespace, log := inNamespace(laid(1))
	zero := int64(0)
	_, err := namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
		Identity: &committer.Identity{APIKey: "api_key", AuthToken: "auth_token"},
		Context:  committer.RequestContext{"key": "context"},
		ID:       []string{"id", "id"}, Version: 0, Branch: "a..b", ManifestPath: "manifest_path", ManifestSize: &zero, ETag: "e_tag",
		Metadata: map[string]string{"key": strings.Repeat("m", 2000)}, NamingScheme: "v2",
	})
	var wrong *committer.InvalidRequestError
	require.ErrorAs(t, err, &wrong)
	var fields []string
	for _, f := range wrong.Fields {
		fields = append(fields, f.Field)
		require.NotEmpty(t, f.Reason)
	}
	require.Equal(t, []string{"id", "branch", "version", "manifest_path", "manifest_size", "naming_scheme", "metadata"}, fields)
	require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
	require.Empty(t, log.Take(), "nothing was asked of the store")
}

func TestNoPartOfAQueryIsRepeated(t *testing.T) {
	namespace, _ := inNamespace(laid(1))
	for _, path := range []string{
		"az://c/db/t.lance/_versions/x?sig=SECRET", "file:///db/t.lance/_versions/x#SECRET", "az:/c/x?sig=SECRET",
		"/x?sig=SECRET", "db/t.lance/../x?sig=SECRET", "elsewhere/x?sig=SECRET",
	} {
		_, err := namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{
			ID: tableID, Version: 2, ManifestPath: path,
		})
		require.ErrorIs(t, err, committer.ErrInvalid, path)
		require.ErrorContains(t, err, "manifest_path", path)
		require.NotContains(t, err.Error(), "SECRET", path)
	}
}

func TestSeveralEntriesAreNotCreatedAtOnce(t *testing.T) {
	store := laid(1)
	namespace, log := inNamespace(store)
	entry := func(version uint64) committer.CreateTableVersionEntry {
		req := stage(store, version, "mine")
		return committer.CreateTableVersionEntry{ID: req.ID, Version: req.Version, ManifestPath: req.ManifestPath}
	}
	_, err := namespace.BatchCreateTableVersions(t.Context(), &committer.BatchCreateTableVersionsRequest{
		Entries: []committer.CreateTableVersionEntry{entry(2), entry(3)},
	})
	require.ErrorIs(t, err, committer.ErrUnsupported)
	require.Equal(t, committer.CodeUnsupported, committer.Code(err))
	_, err = namespace.BatchCreateTableVersions(t.Context(), &committer.BatchCreateTableVersionsRequest{})
	require.Equal(t, committer.CodeInvalidInput, committer.Code(err))
	require.Empty(t, log.Take())

	response, err := namespace.BatchCreateTableVersions(t.Context(), &committer.BatchCreateTableVersionsRequest{
		Entries: []committer.CreateTableVersionEntry{entry(2)},
	})
	require.NoError(t, err)
	require.Len(t, response.Versions, 1)
	require.EqualValues(t, 2, response.Versions[0].Version)
}

func TestAStagedManifestThatIsTooLargeIsNotRead(t *testing.T) {
	size := int64(100)
	for _, given := range []*int64{nil, &size} {
		store := laid(1)
		req := stage(store, 2, "mine")
		req.ManifestSize = given
		namespace := committer.NewNamespace(intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
			if call.Key == req.ManifestPath {
				limit := int64(1 << 30)
				if given != nil {
					limit = *given
				}
				require.NoError(t, backends.CheckReadLimit(ctx, limit))
				require.ErrorIs(t, backends.CheckReadLimit(ctx, limit+1), backends.ErrTooLarge)
				return backends.CheckReadLimit(ctx, 2<<30)
			}
			return do(ctx)
		}), namespaceRoot)
		_, err := namespace.CreateTableVersion(t.Context(), req)
		require.Equal(t, committer.CodeInvalidInput, committer.Code(err), err)
		require.ErrorContains(t, err, "larger")
		require.Len(t, stagedLeft(t, store), 1)
	}
}

func TestASizeInTheRequestDoesNotRaiseWhatIsRead(t *testing.T) {
	for size, want := range map[int64]string{1<<30 + 1: "manifest_size: ", 3 << 30: "manifest_size: ", 1 << 30: "larger"} {
		store := laid(1)
		req := stage(store, 2, "mine")
		req.ManifestSize = &size
		read := false
		namespace := committer.NewNamespace(intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
			if call.Method != "GET" || call.Key != req.ManifestPath {
				return do(ctx)
			}
			// As of a file of 3 GiB.
			err := backends.CheckReadLimit(ctx, 3<<30)
			read = err == nil
			return err
		}), namespaceRoot)
		_, err := namespace.CreateTableVersion(t.Context(), req)
		require.Equal(t, committer.CodeInvalidInput, committer.Code(err), err)
		require.ErrorContains(t, err, want)
		require.False(t, read)
		require.Len(t, stagedLeft(t, store), 1)
	}
}

func TestNoRequestIsNoPanic(t *testing.T) {
	namespace, _ := inNamespace(laid(1))
	for name, call := range map[string]func() error{
		"create":       func() error { _, err := namespace.CreateTableVersion(t.Context(), nil); return err },
		"batch create": func() error { _, err := namespace.BatchCreateTableVersions(t.Context(), nil); return err },
		"describe":     func() error { _, err := namespace.DescribeTableVersion(t.Context(), nil); return err },
		"list":         func() error { _, err := namespace.ListTableVersions(t.Context(), nil); return err },
		"delete":       func() error { _, err := namespace.BatchDeleteTableVersions(t.Context(), nil); return err },
	} {
		require.ErrorIs(t, call(), committer.ErrInvalid, name)
	}
}
