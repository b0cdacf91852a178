package committer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
	"github.com/lancecommit/lancecommit/internal/intercept"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
	"github.com/lancecommit/lancecommit/naming"
)

// failing returns a store whose requests of one method fail.
func failing(store backends.Store, method string, err error) backends.Store {
	return intercept.Wrap(store, func(ctx context.Context, call intercept.Call, do func(context.Context) error) error {
		if call.Method == method {
			return err
		}
		return do(ctx)
	})
}

func TestEachCodeIsReached(t *testing.T) {
	refused := func(sentinel error) error { return &backends.Error{Op: "list", Key: "k", Status: 400, Err: sentinel} }
	down := &backends.Error{Op: "list", Key: "k", Status: http.StatusServiceUnavailable, Err: io.ErrUnexpectedEOF}
	request := func(change func(*committer.CreateTableVersionRequest)) func(*memory.Store) *committer.CreateTableVersionRequest {
		return func(store *memory.Store) *committer.CreateTableVersionRequest {
			req := stage(store, 2, "mine")
			if change != nil {
				change(req)
			}
			return req
		}
	}
	for _, tc := range []struct {
		code, status int
		name         string
		on           func(*memory.Store) backends.Store
		request      func(*memory.Store) *committer.CreateTableVersionRequest
	}{
		{0, 406, "Unsupported", nil, request(func(r *committer.CreateTableVersionRequest) { r.ID = []string{"ns", "t"} })},
		{0, 406, "Unsupported", func(s *memory.Store) backends.Store {
			return failing(s, "PUT", refused(backends.ErrUnsupported))
		}, request(nil)},
		{1, 404, "NamespaceNotFound", func(*memory.Store) backends.Store { return memory.New(memory.Options{}) }, request(nil)},
		{1, 404, "NamespaceNotFound", func(s *memory.Store) backends.Store {
			return failing(s, "LIST", refused(backends.ErrNoBucket))
		}, request(nil)},
		{4, 404, "TableNotFound", nil, request(func(r *committer.CreateTableVersionRequest) {
			r.ID, r.ManifestPath = []string{"u"}, "_versions/x"
		})},
		{13, 400, "InvalidInput", nil, request(func(r *committer.CreateTableVersionRequest) { r.Version = 0 })},
		{14, 409, "ConcurrentModification", func(s *memory.Store) backends.Store {
			lay(s, naming.V2, 2)
			return s
		}, request(nil)},
		{14, 409, "ConcurrentModification", nil, request(func(r *committer.CreateTableVersionRequest) { r.ETag = "another" })},
		{15, 403, "PermissionDenied", func(s *memory.Store) backends.Store {
			return failing(s, "LIST", refused(backends.ErrPermission))
		}, request(nil)},
		{15, 403, "PermissionDenied", func(s *memory.Store) backends.Store {
			return failing(s, "GET", refused(backends.ErrPermission))
		}, request(nil)},
		{16, 401, "Unauthenticated", func(s *memory.Store) backends.Store {
			return failing(s, "PUT", refused(backends.ErrUnauthenticated))
		}, request(nil)},
		{17, 503, "ServiceUnavailable", func(s *memory.Store) backends.Store { return failing(s, "LIST", down) }, request(nil)},
		{17, 503, "ServiceUnavailable", func(s *memory.Store) backends.Store {
			return failing(s, "PUT", refused(backends.NotStored(errors.New("the disk is full"))))
		}, request(nil)},
		{18, 500, "Internal", func(s *memory.Store) backends.Store {
			return failing(s, "PUT", backends.ErrNotDurable)
		}, request(nil)},
		{19, 409, "InvalidTableState", func(s *memory.Store) backends.Store {
			lay(s, naming.V1, 1)
			return s
		}, request(nil)},
		{21, 429, "Throttling", func(s *memory.Store) backends.Store {
			return failing(s, "LIST", refused(backends.ErrThrottled))
		}, request(nil)},
		{22, 404, "TableBranchNotFound", func(s *memory.Store) backends.Store {
			s.Inject("db/t.lance/tree/exp/_versions/"+naming.V2.Final(1), nil)
			return s
		}, func(s *memory.Store) *committer.CreateTableVersionRequest { return stageAs(s, root, "exp", 2, "mine") }},
	} {
		t.Run(fmt.Sprintf("%d %s", tc.code, tc.name), func(t *testing.T) {
			store := laid(1)
			on := backends.Store(store)
			req := tc.request(store)
			if tc.on != nil {
				on = tc.on(store)
			}
			namespace := committer.NewNamespace(on, namespaceRoot)
			_, err := namespace.CreateTableVersion(t.Context(), req)
			require.Equal(t, tc.code, committer.Code(err), err)
			require.Equal(t, tc.status, committer.HTTPStatus(err))

			body := committer.ErrorResponse(err, "/v1/table/t/version/create")
			require.Equal(t, tc.code, body.Code)
			require.Equal(t, err.Error(), body.Error)
			require.Contains(t, body.Detail, tc.name+". ")
			text, err := json.Marshal(body)
			require.NoError(t, err)
			require.Contains(t, string(text), `"instance":"/v1/table/t/version/create"`)
		})
	}
}

func TestNoErrorHasNoCode(t *testing.T) {
	require.Equal(t, committer.ErrorBody{Code: -1, Instance: "request 7"}, committer.ErrorResponse(nil, "request 7"))
	require.Equal(t, -1, committer.Code(nil))
	require.Equal(t, http.StatusOK, committer.HTTPStatus(nil))
	require.Equal(t, committer.CodeInternal, committer.Code(errors.New("anything else")))
}

func TestANamespaceHasNoBranchOfItsOwn(t *testing.T) {
	for _, opt := range []committer.Option{committer.WithBranch("exp"), committer.WithNewBranch(1)} {
		namespace := committer.NewNamespace(laid(1), namespaceRoot, opt)
		_, err := namespace.DescribeTableVersion(t.Context(), &committer.DescribeTableVersionRequest{ID: tableID})
		require.ErrorIs(t, err, committer.ErrInvalid)
		_, err = namespace.CreateTableVersion(t.Context(), &committer.CreateTableVersionRequest{ID: tableID})
		require.ErrorIs(t, err, committer.ErrInvalid)
	}
}

func TestTheTransactionOfAVersionIsNamed(t *testing.T) {
	store := laid(1)
	namespace, _ := inNamespace(store)
	req := stage(store, 2, "mine")
	store.Inject(req.ManifestPath, withTransactionFile)
	response := create(t, namespace, req)
	require.Equal(t, "2f6c0f6e-7a57-4f2c-8a3c-111111111111", response.TransactionID)
	require.Equal(t, response, create(t, namespace, req), "also from the version itself")
}

// withTransactionFile is a manifest of version 2 whose transaction is in a file.
var withTransactionFile = testmanifest.WithTransaction(2, "1-2f6c0f6e-7a57-4f2c-8a3c-111111111111.txn")
