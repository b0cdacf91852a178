package azure_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends/azure"
)

// redirects is a script that sends every request to another place.
func redirects(status int, to string) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, to, status)
		return true
	}
}

// elsewhere is an account to which redirects lead, with an object.
func elsewhere(t *testing.T) *account {
	there := newAccount(t, "", nil)
	there.lay("t/taken", []byte("content"))
	return there
}

func TestOpenFollowsNoRedirect(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, call := range calls {
			t.Run(fmt.Sprint(status, " of ", call.op), func(t *testing.T) {
				there := elsewhere(t)
				a := newAccount(t, call.method, redirects(status, there.URL+root+"/t/free"))
				store, err := azure.Open(t.Context(), "tables", azure.Config{Endpoint: a.URL, AllowHTTP: true, Anonymous: true})
				require.NoError(t, err)
				err = call.run(t.Context(), store)
				require.NoError(t, store.Close())
				require.Error(t, err)
				requireOnly(t, none, err)
				require.Equal(t, 1, a.total())
				require.Zero(t, there.total())
			})
		}
	}
}

// The other place is a store, too, whose word counts where it was asked.
func TestAClientThatFollowsARedirectProvesNothing(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, key := range []string{"t/taken", "t/free"} {
			for _, call := range calls {
				t.Run(fmt.Sprint(status, " of ", call.op, " to ", key), func(t *testing.T) {
					there := elsewhere(t)
					a := newAccount(t, call.method, redirects(status, there.URL+root+"/"+key))
					err := call.run(t.Context(), a.store(t))
					require.Error(t, err)
					requireOnly(t, none, err)
					require.ErrorContains(t, err, "the HTTP client followed a redirect")
					require.NotContains(t, texts(err), "topsecret")
					require.Equal(t, 1, there.total())
				})
			}
		}
	}
}

// A sender is what the SDK sends requests with.
type sender func(r *http.Request) (*http.Response, error)

// Do implements policy.Transporter.
func (s sender) Do(r *http.Request) (*http.Response, error) { return s(r) }

func TestAnAnswerCountsForTheRequestThatWasMadeOnly(t *testing.T) {
	for _, tc := range []struct {
		name string
		// other makes the request that the answer is said to be to.
		other func(r *http.Request) *http.Request
		want  bool
	}{
		{"the same", func(r *http.Request) *http.Request { return r }, true},
		{"a copy", func(r *http.Request) *http.Request { return r.Clone(r.Context()) }, true},
		{"none", func(*http.Request) *http.Request { return nil }, false},
		{"another method", func(r *http.Request) *http.Request {
			r = r.Clone(r.Context())
			r.Method = http.MethodPatch
			return r
		}, false},
		{"another host", func(r *http.Request) *http.Request {
			r = r.Clone(r.Context())
			r.URL.Host = "other.example"
			return r
		}, false},
		{"another object", func(r *http.Request) *http.Request {
			r = r.Clone(r.Context())
			r.URL.Path += "x"
			return r
		}, false},
		{"a container with a longer name", func(r *http.Request) *http.Request {
			r = r.Clone(r.Context())
			r.URL.Path = root + strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, root), "/")
			if r.URL.Path == root {
				r.URL.Path += "-2"
			}
			return r
		}, false},
		{"another container", func(r *http.Request) *http.Request {
			r = r.Clone(r.Context())
			r.URL.Path = "/other" + r.URL.Path
			return r
		}, false},
		{"the same by a redirect", func(r *http.Request) *http.Request {
			r = r.Clone(r.Context())
			r.Response = &http.Response{StatusCode: 307}
			return r
		}, false},
	} {
		for _, call := range calls {
			t.Run(tc.name+" as "+call.op, func(t *testing.T) {
				a := newAccount(t, "", nil)
				a.lay("t/1", []byte("content"))
				opts := &container.ClientOptions{}
				opts.Transport = sender(func(r *http.Request) (*http.Response, error) {
					response, err := a.Client().Do(r)
					if err == nil {
						response.Request = tc.other(r)
					}
					return response, err
				})
				client, err := container.NewClientWithNoCredential(a.URL+root, opts)
				require.NoError(t, err)
				store, err := azure.New(client, azure.Options{})
				require.NoError(t, err)
				err = call.run(t.Context(), store)
				require.Equal(t, 1, a.total())
				if tc.want {
					require.NoError(t, err)
					return
				}
				require.Error(t, err)
				requireOnly(t, none, err)
				require.ErrorContains(t, err, "the answer is to another request than the one that was made")
			})
		}
	}
}

func TestAnyURLThatAClientTakesNamesItsContainer(t *testing.T) {
	for _, at := range []string{
		"http://acme.example" + root, "http://acme.example" + root + "/", "http://acme.example" + root + "/?sig=topsecret",
		"http://acme.example:" + root, "http://acme.example:8080" + root, "http://ACME.example" + root, "http://acme.example/t%61bles",
	} {
		for _, call := range calls {
			t.Run(call.op+" at "+at, func(t *testing.T) {
				a := newAccount(t, "", nil)
				a.lay("t/1", []byte("content"))
				transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
					return new(net.Dialer).DialContext(ctx, network, a.Listener.Addr().String())
				}}
				defer transport.CloseIdleConnections()
				opts := &container.ClientOptions{}
				opts.Transport = &http.Client{Transport: transport}
				client, err := container.NewClientWithNoCredential(at, opts)
				require.NoError(t, err)
				store, err := azure.New(client, azure.Options{})
				require.NoError(t, err)
				require.NoError(t, call.run(t.Context(), store))
			})
		}
	}
}
