package committer_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/backends/memory"
)

// readDefects are those of reads and listings, and several defects at once.
func readDefects() []defectiveStore {
	return []defectiveStore{
		// Reads.
		{name: "HEAD says absent for a while", want: "stale-reads", says: "A HEAD right after a create says that the object is not there.",
			defect: func(s *scriptedStore) {
				var looks times
				s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
					if looks.next(key) == 2 {
						return backends.Attrs{}, backends.ErrNotExist
					}
					return s.Store.Head(ctx, key)
				}
			}},
		{name: "HEAD shows what is not there", want: "stale-reads", says: "A HEAD shows a name that nobody created.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
					if first(key) {
						return backends.Attrs{}, nil
					}
					return s.Store.Head(ctx, key)
				}
			}},
		{name: "HEAD says another size", want: "stale-reads", says: "A HEAD says 0 bytes of an object that has",
			defect: func(s *scriptedStore) {
				s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
					attrs, err := s.Store.Head(ctx, key)
					attrs.Size = 0
					return attrs, err
				}
			}},
		{name: "GET says absent for a while", want: "stale-reads", says: "A GET right after a create says that the object is not there.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
					if first(key) {
						return nil, backends.Attrs{}, backends.ErrNotExist
					}
					return s.Store.Get(ctx, key)
				}
			}},
		{name: "GET says absent later", want: "stale-reads", says: "A GET says that an object is not there that was created.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
					if strings.Contains(key, "pair-") && !first(key) {
						return nil, backends.Attrs{}, backends.ErrNotExist
					}
					return s.Store.Get(ctx, key)
				}
			}},
		{name: "GET says absent at the end", want: "stale-reads", says: "A GET at the end says that the object is not there.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
					if strings.Contains(key, "race-") && !first(key) {
						return nil, backends.Attrs{}, backends.ErrNotExist
					}
					return s.Store.Get(ctx, key)
				}
			}},
		{name: "GET gives other bytes", want: "stale-reads", says: "A GET right after a create gives other bytes",
			defect: func(s *scriptedStore) {
				first := firstTime()
				s.get = func(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
					body, attrs, err := s.Store.Get(ctx, key)
					if first(key) && strings.Contains(key, "pair-") {
						body = nil
					}
					return body, attrs, err
				}
			}},
		{name: "a create without an answer left other bytes", want: "stale-reads", says: "has other bytes", also: []string{"unknown-outcomes"},
			defect: func(s *scriptedStore) {
				createsOf("pair", func(_ context.Context, key string, body []byte, _ func() error) error {
					s.Inject(key, body[:5])
					return errReset
				})(s)
			}},
		{name: "a create that was refused left other bytes", want: "stale-reads", says: "has other bytes",
			defect: func(s *scriptedStore) {
				createsOf("pair", func(_ context.Context, key string, body []byte, _ func() error) error {
					s.Inject(key, body[:5])
					return backends.ErrExists
				})(s)
			}},
		{name: "LIST does not show it at once", want: "stale-reads", says: "A LIST after a create does not show the object.",
			defect: func(s *scriptedStore) {
				first := firstTime()
				pages(func(_ backends.ListInput, page *backends.Page) {
					page.Objects = slices.DeleteFunc(page.Objects, func(o backends.Object) bool {
						return strings.Contains(o.Key, "pair-") && first(o.Key)
					})
				})(s)
			}},
		{name: "LIST says another size", want: "stale-reads", says: "A LIST says 0 bytes of an object that has",
			defect: pages(func(_ backends.ListInput, page *backends.Page) {
				for i := range page.Objects {
					page.Objects[i].Size = 0
				}
			})},

		{name: "HEAD says another ETag", want: "stale-reads", says: "A HEAD says the ETag",
			defect: func(s *scriptedStore) {
				s.head = func(ctx context.Context, key string) (backends.Attrs, error) {
					attrs, err := s.Store.Head(ctx, key)
					attrs.ETag = "W/" + attrs.ETag
					return attrs, err
				}
			}},
		{name: "LIST says another ETag", want: "stale-reads", says: "A LIST says the ETag",
			defect: pages(func(_ backends.ListInput, page *backends.Page) {
				for i := range page.Objects {
					page.Objects[i].ETag += "-1"
				}
			})},

		// Listings.
		{name: "the order is not what the store says", store: memory.Options{Unordered: true}, defect: ordered, want: "wrong-listing",
			says: "not in the byte order"},
		{name: "folders are out of order", want: "wrong-listing", says: "not in the byte order",
			defect: pages(func(_ backends.ListInput, page *backends.Page) {
				if len(page.Prefixes) == 1 {
					page.Prefixes = append(page.Prefixes, "a folder/")
				}
			})},
		{name: "the store cannot list from a name on", want: "wrong-listing", says: "cannot list from a name on",
			defect: func(s *scriptedStore) {
				s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
					if in.StartAfter != "" {
						return backends.Page{}, backends.ErrUnsupported
					}
					return s.Store.List(ctx, in)
				}
			}},
		{name: "a listing from a name on has that name", want: "wrong-listing", says: "does not begin right behind that name",
			defect: func(s *scriptedStore) {
				s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
					if s.has(in.StartAfter) {
						in.StartAfter = in.StartAfter[:len(in.StartAfter)-1]
					}
					return s.Store.List(ctx, in)
				}
			}},
		{name: "a listing from a name on skips one", want: "wrong-listing", says: "does not begin right behind that name",
			defect: pages(func(in backends.ListInput, page *backends.Page) {
				if in.StartAfter != "" {
					page.Objects = page.Objects[1:]
				}
			})},
		{name: "a listing from a name that is absent begins at the start", want: "wrong-listing", says: "does not begin right behind that name",
			defect: func(s *scriptedStore) {
				s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
					if in.StartAfter != "" && !s.has(in.StartAfter) {
						in.StartAfter = ""
					}
					return s.Store.List(ctx, in)
				}
			}},
		{name: "pages lose a name", want: "wrong-listing", says: "A listing in pages leaves out a name",
			defect: pages(func(in backends.ListInput, page *backends.Page) {
				if in.Limit == 5 && page.Token != "" {
					page.Objects = page.Objects[:len(page.Objects)-1]
				}
			})},
		{name: "pages repeat a name", want: "wrong-listing", says: "twice",
			defect: func(s *scriptedStore) {
				var last backends.Object
				pages(func(in backends.ListInput, page *backends.Page) {
					if in.Token != "" && in.Limit == 5 {
						page.Objects = append([]backends.Object{last}, page.Objects...)
					}
					if len(page.Objects) > 0 {
						last = page.Objects[len(page.Objects)-1]
					}
				})(s)
			}},
		{name: "pages have no end", want: "wrong-listing", says: "has no end",
			defect: func(s *scriptedStore) {
				s.list = func(ctx context.Context, in backends.ListInput) (backends.Page, error) {
					in.Token = ""
					page, err := s.Store.List(ctx, in)
					page.Token = "again"
					return page, err
				}
			}},

		// What tables survive.
		{name: "metadata is not kept", store: memory.Options{NoMetadata: true}, want: "enforced", safe: true, also: []string{"metadata-lost"},
			defect: func(s *scriptedStore) { s.caps.Metadata = true }, says: "metadata that a create sent is not what the object has"},
		{name: "a name that was deleted is taken", want: "enforced", safe: true, also: []string{"name-not-reusable"}, says: "was deleted was refused",
			defect: func(s *scriptedStore) {
				var deleted sync.Map
				s.remove = func(ctx context.Context, key string) error {
					deleted.Store(key, true)
					return s.Store.Delete(ctx, key)
				}
				createsOf("pair", func(_ context.Context, key string, _ []byte, through func() error) error {
					if _, gone := deleted.Load(key); gone {
						return backends.ErrExists
					}
					return through()
				})(s)
			}},

		// Several at once.
		{name: "racy, metadata lost, pages that lose", want: "racy", also: []string{"wrong-listing", "metadata-lost"}, says: "more than one",
			defect: all(looksThenWrites, pages(func(in backends.ListInput, page *backends.Page) {
				if in.Limit == 5 && page.Token != "" {
					page.Objects = page.Objects[1:]
				}
			}))},
		{name: "ignored, no deleting, a clock that is off", want: "ignored", says: "same bytes",
			also:   []string{"delete-denied", "metadata-lost", "clock-off", "left-behind"},
			defect: all(ignoresTheCondition, fails("delete", errDenied), clockOff(time.Hour))},
		{name: "ignored, no listing, no deleting", want: "ignored", says: "same bytes", also: []string{"no-permission", "metadata-lost", "left-behind"},
			defect: all(ignoresTheCondition, fails("list", errDenied), fails("delete", errDenied))},
	}
}

// ordered makes a store say that it lists in order.
func ordered(s *scriptedStore) { s.caps.OrderedList = true }
