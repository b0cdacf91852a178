package s3

import (
	"iter"
	"strings"
)

// plain is XML that is left to read. It knows elements without attributes that
// have either elements or text, and text in printable ASCII.
type plain struct {
	rest string
	// odd is true once something else was met.
	odd bool
}

// cut takes a text off the front, if it is there.
func (p *plain) cut(text string) (found bool) {
	p.rest, found = strings.CutPrefix(p.rest, text)
	return found
}

func (p *plain) space() {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
}

// children yields the names of the elements in one that was begun. Each must be
// read before the next.
func (p *plain) children(parent string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for !p.odd {
			p.space()
			tag, rest, found := strings.Cut(p.rest, ">")
			switch {
			case !found || len(tag) < 2 || tag[0] != '<':
				p.odd = true
				return
			case tag[1] == '/':
				p.rest, p.odd = rest, tag[2:] != parent
				return
			}
			p.rest = rest
			if !yield(tag[1:]) {
				return
			}
		}
	}
}

// text reads the text in an element that was begun, and its end.
func (p *plain) text(tag string) string {
	i := strings.IndexByte(p.rest, '<')
	if i < 0 {
		p.odd = true
		return ""
	}
	text := p.rest[:i]
	p.rest = p.rest[i:]
	p.odd = p.odd || !p.cut("</") || !p.cut(tag) || !p.cut(">")
	escaped := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '&':
			escaped = true
		case c < ' ' || c > '~' || c == '>':
			p.odd = true
		}
	}
	if escaped {
		return p.unescape(text)
	}
	return text
}

// entities are those that stores write.
var entities = map[string]byte{
	"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\'', "#34": '"', "#38": '&', "#39": '\'', "#60": '<', "#62": '>',
}

func (p *plain) unescape(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for {
		before, rest, found := strings.Cut(text, "&")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, rest, ends := strings.Cut(rest, ";")
		c, known := entities[name]
		if !ends || !known {
			p.odd = true
			return ""
		}
		b.WriteByte(c)
		text = rest
	}
}

// kept is text that does not hold on to the page.
func (p *plain) kept(tag string) *string {
	text := strings.Clone(p.text(tag))
	return &text
}

// read reads text that parse understands.
func read[T any](p *plain, tag string, parse func(string) (T, error)) *T {
	value, err := parse(p.text(tag))
	p.odd = p.odd || err != nil
	return &value
}
