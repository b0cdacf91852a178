package history

import (
	"fmt"
	"hash/fnv"

	"github.com/anishathalye/porcupine"
)

// A chain is the state of a table: its versions from 1 to end, each with one
// content for ever. It is not changed; a longer one shares it.
type chain struct {
	end  uint64
	last *link
}

// A link is a version and all before it.
type link struct {
	content string
	before  *link
	// sum stands for the contents of this version and all before it.
	sum uint64
}

func (c chain) sum() uint64 {
	if c.last == nil {
		return 0
	}
	return c.last.sum
}

// with returns the chain with one version more.
func (c chain) with(content string) chain {
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %s", c.sum(), content)
	return chain{end: c.end + 1, last: &link{content: content, before: c.last, sum: h.Sum64()}}
}

// content returns that of a version that is there.
func (c chain) content(version uint64) string {
	l := c.last
	for range c.end - version {
		l = l.before
	}
	return l.content
}

// has reports whether a version is there, and has the content unless that is
// empty.
func (c chain) has(version uint64, content string) bool {
	return version <= c.end && (content == "" || c.content(version) == content)
}

// step says whether the operation can take effect on the chain with the answer
// that it got, and what the chain is then.
func (c chain) step(o Operation) (bool, chain) {
	next := c.end+1 == o.Version
	switch o.Result {
	case Unknown:
		switch {
		case !o.Kind.writes():
			return true, c
		case next:
			return true, c.with(o.Content)
		default:
			// It had no effect and can have none any more, since the version
			// is another's. While the chain is not there yet it waits.
			return o.Version <= c.end, c
		}
	case Failed:
		return true, c
	case Absent:
		return c.end < o.Version, c
	case Conflict:
		switch {
		case o.Kind == Update:
			return false, c // it builds again
		case o.taken():
			return o.Version <= c.end && c.content(o.Version) != o.Content, c
		default:
			return o.End == c.end && !next, c
		}
	}
	switch {
	case o.Kind == Latest:
		return o.End == c.end, c
	case o.Kind.writes() && next:
		return true, c.with(o.Content)
	case o.Kind == Update:
		return false, c // equal bytes of another are no success of an Update
	default:
		return c.has(o.Version, o.Content), c
	}
}

// model is porcupine's form of a chain that ends at a version in the beginning.
// What comes before that version must not be asked for.
func model(from uint64) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return chain{end: from} },
		Step: func(state, input, _ any) (bool, any) {
			ok, next := state.(chain).step(input.(Operation))
			return ok, next
		},
		Equal: func(a, b any) bool {
			return a.(chain).end == b.(chain).end && a.(chain).sum() == b.(chain).sum()
		},
		Hash:              func(state any) uint64 { return state.(chain).sum() },
		DescribeOperation: func(input, _ any) string { return input.(Operation).String() },
		DescribeState: func(state any) string {
			c := state.(chain)
			if c.last == nil {
				return fmt.Sprintf("the chain ends at %d", c.end)
			}
			return fmt.Sprintf("the chain ends at %d, %s", c.end, c.last.content)
		},
	}
}

// entries is a history in porcupine's form. Writes of unknown outcome can take
// effect until the end.
func entries(operations []Operation) []porcupine.Operation {
	end := int64(0)
	for _, o := range operations {
		end = max(end, int64(o.Return)+1)
	}
	list := make([]porcupine.Operation, len(operations))
	for i, o := range operations {
		list[i] = porcupine.Operation{ClientId: o.Client, Input: o, Call: int64(o.Call), Return: int64(o.Return)}
		if o.Kind.writes() && o.Result == Unknown {
			list[i].Return = end
		}
	}
	return list
}
