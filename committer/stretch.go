package committer

import (
	"context"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lancecommit/lancecommit/backends"
)

// A stretch is a part of a listing in byte order: the names with a prefix, or
// those of them behind one name.
type stretch struct {
	// ListInput asks for its next page.
	backends.ListInput
	// read is a name up to which the stretch was read, empty while that is
	// nothing.
	read string
}

// behind is what is left of the stretch after its next page, which has a token.
func (s stretch) behind(page backends.Page) stretch {
	if n := len(page.Objects); n > 0 {
		s.read = page.Objects[n-1].Key
	}
	switch {
	case s.Limit == 0:
		s.Token = page.Token
	case s.Limit < fullPage && s.read != "":
		// The small page before the full ones. MinIO takes a token for the wish
		// to have everything, and reads it ahead at the cost of many pages.
		s.StartAfter, s.Limit = s.read, fullPage
	default:
		s.Token, s.Limit = page.Token, fullPage
	}
	return s
}

// cut cuts what is left of the stretch by the next digit of the names. No final
// name is lost: behind the prefix it has another digit, or it ends and sorts
// before those that have. Names that sort behind all digits are no versions, and
// are not read any more.
func (s stretch) cut() []stretch {
	if s.read < s.Prefix+"0" {
		// The names that end with the prefix are not read yet.
		return []stretch{s}
	}
	var parts []stretch
	for digit := '0'; digit <= '9'; digit++ {
		part := stretch{ListInput: backends.ListInput{Prefix: s.Prefix + string(digit), Limit: fullPage}}
		switch {
		case strings.HasPrefix(s.read, part.Prefix):
			part.StartAfter, part.read = s.read, s.read
		case s.read > part.Prefix:
			continue
		}
		parts = append(parts, part)
	}
	return parts
}

// spread cuts the stretches where they are so few that most of the requests that
// may be under way would not be. Where they are many, a cut would only make more
// requests: each part has a last page that is not full.
func spread(rest []stretch, atOnce int) []stretch {
	if 2*len(rest) >= atOnce {
		return rest
	}
	var parts []stretch
	for _, s := range rest {
		parts = append(parts, s.cut()...)
	}
	return parts
}

// mostLists is how many LISTs of a call are under way at once. There are ten
// digits; a bucket of S3 takes some thousand requests a second, and a server on
// two cores is busy with two.
const mostLists = 10

// listsAtOnce is how many LISTs may be under way where one takes so long. A
// server that answers one after the other must not come too late with the last,
// so that a very slow one is asked for a page at a time.
func (t *Table) listsAtOnce(took time.Duration) int {
	return int(min(mostLists, t.retry.readTimeout(0)/(2*max(took, 1))))
}

// readEach reads the next page of each stretch. The first error ends the other
// requests. None is under way when it returns.
func (t *Table) readEach(ctx context.Context, stretches []stretch, atOnce int) ([]backends.Page, error) {
	pages := make([]backends.Page, len(stretches))
	if len(stretches) == 1 {
		var err error
		pages[0], err = t.reads.page(ctx, stretches[0].ListInput)
		return pages, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, s := range stretches {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			pages[i], err = t.reads.page(ctx, s.ListInput)
			return err
		})
	}
	return pages, group.Wait()
}
