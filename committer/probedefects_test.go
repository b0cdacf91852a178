package committer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
	"github.com/lancecommit/lancecommit/committer"
)

// folderOfProbe is where the stores of these tests are probed.
const folderOfProbe = "some/folder"

const bystander = folderOfProbe + "/t.lance/_versions/1.manifest"

// below returns the keys of a store but that of the bystander.
func below(t *testing.T, store *memory.Store, prefix string) (keys []string) {
	t.Helper()
	page, err := store.List(context.Background(), backends.ListInput{Prefix: prefix})
	require.NoError(t, err)
	for _, object := range page.Objects {
		if object.Key != bystander {
			keys = append(keys, object.Key)
		}
	}
	for token := page.Token; token != ""; token = page.Token {
		page, err = store.List(context.Background(), backends.ListInput{Prefix: prefix, Token: token})
		require.NoError(t, err)
		for _, object := range page.Objects {
			keys = append(keys, object.Key)
		}
	}
	for _, folder := range page.Prefixes {
		keys = append(keys, below(t, store, folder)...)
	}
	return keys
}

// named returns the findings by name.
func named(report committer.ProbeReport) map[string]committer.ProbeFinding {
	byName := make(map[string]committer.ProbeFinding)
	for _, f := range report.Findings {
		byName[f.Name] = f
	}
	return byName
}

// answer is an error as a backend returns it.
func answer(sentinel error, code, text string) error {
	return &backends.Error{Op: "op", Key: "key", Status: 403, Code: code, Err: fmt.Errorf("%w: %s", sentinel, text)}
}

var (
	errDenied = answer(backends.ErrPermission, "AccessDenied", "Access Denied")
	// noCode is what a HEAD is answered, which has no body.
	noCode  = answer(backends.ErrPermission, "", "Forbidden")
	errDial = &backends.Error{Op: "op", Key: "key", Err: &net.OpError{Op: "dial", Err: fmt.Errorf("connection refused")}}
)

// absentIsDenied is what S3 answers to who may not list.
func absentIsDenied(s *scriptedStore) {
	next := s.head
	s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
		if !s.has(key) {
			return backends.Attrs{}, errDenied
		}
		return next(ctx, key)
	}
}

// A times counts what happens to each key.
type times struct {
	mu    sync.Mutex
	count map[string]int
}

// next counts one more time, from 1.
func (n *times) next(key string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count == nil {
		n.count = make(map[string]int)
	}
	n.count[key]++
	return n.count[key]
}

// firstTime reports whether it is called for the first time with a key.
func firstTime() func(key string) bool {
	var seen times
	return func(key string) bool { return seen.next(key) == 1 }
}

// A defectiveStore is a store with a defect, and what a probe says of it.
type defectiveStore struct {
	name   string
	store  memory.Options
	defect func(*scriptedStore)
	// others is how many further endpoints there are.
	others int
	want   committer.ProbeVerdict
	// also are the other findings.
	also []string
	// says is in the text of the finding that the verdict has, or of the
	// first one of also.
	says string
	safe bool
}

func TestProbeTellsEachDefectByItsName(t *testing.T) {
	for _, tc := range slices.Concat(createDefects(), accessDefects(), readDefects()) {
		for _, pace := range []string{"", ", far away"} {
			t.Run(tc.name+pace, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := newScripted(tc.store)
					store.Inject(bystander, []byte("bystander"))
					if tc.defect != nil {
						tc.defect(store)
					}
					if pace != "" {
						farAway(store)
					}
					opts := committer.ProbeOptions{Root: folderOfProbe, Grace: time.Minute}
					var first backends.Store = store
					if tc.others > 0 {
						handles := endpointsOf(store, 1+tc.others)
						first, opts.Others = handles[0], handles[1:]
					}
					report, err := committer.Probe(t.Context(), first, opts)
					require.NoError(t, err)

					require.Equal(t, tc.want, report.Verdict, "%+v", report.Findings)
					require.Equal(t, tc.safe, report.Safe())
					names := slices.Sorted(maps.Keys(named(report)))
					want := append([]string{string(tc.want)}, tc.also...)
					require.ElementsMatch(t, want, names, "%+v", report.Findings)
					require.Equal(t, string(tc.want), report.Findings[0].Name, "the first finding is that of the verdict")
					about := string(tc.want)
					if tc.safe && len(tc.also) > 0 {
						about = tc.also[0]
					}
					require.Contains(t, named(report)[about].Text(), tc.says)
					for _, f := range report.Findings {
						require.NotEmpty(t, f.Seen, f.Name)
						require.NotEmpty(t, f.Means, f.Name)
						if f.Level == committer.ProbeUnsafe || f.Level == committer.ProbeError {
							require.NotEmpty(t, f.Do, f.Name)
						}
					}

					left := below(t, store.Store, "")
					require.ElementsMatch(t, left, report.Left, "what is said to be left")
					if !slices.Contains(tc.also, "left-behind") {
						require.Empty(t, left)
					}
					require.True(t, store.holds(bystander, []byte("bystander")))
					_, err = json.Marshal(report)
					require.NoError(t, err)
				})
			})
		}
	}
}

func TestProbeNamesAllPermissionsThatAreDenied(t *testing.T) {
	for _, tc := range []struct {
		denied []string // methods
		want   []string
	}{
		{nil, []string{}},
		{[]string{"list"}, []string{"list"}},
		{[]string{"list", "create", "delete"}, []string{"list", "create", "delete"}},
		{[]string{"create", "head"}, []string{"create", "read"}},
		{[]string{"get", "delete"}, []string{"read", "delete"}},
		{[]string{"delete"}, []string{"delete"}},
	} {
		t.Run(strings.Join(tc.denied, " "), func(t *testing.T) {
			store := newScripted(memory.Options{})
			for _, method := range tc.denied {
				fails(method, errDenied)(store)
			}
			report, err := committer.Probe(t.Context(), store, committer.ProbeOptions{})
			require.NoError(t, err)
			require.Equal(t, tc.want, report.Denied)
		})
	}
}
