package gcs

import (
	"slices"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
)

// fit cuts a page that has more entries than were asked for. Google Cloud
// Storage never gives such a page. fake-gcs-server does: it counts the objects
// alone, and adds all prefixes that come behind the start of the page.
func fit(page backends.Page, limit int) backends.Page {
	if page.Token != "" && len(page.Objects) > 0 {
		// Objects between the last one and these prefixes are still to come.
		last := page.Objects[len(page.Objects)-1].Key
		page.Prefixes = slices.DeleteFunc(page.Prefixes, func(prefix string) bool { return prefix > last })
	}
	keys := slices.Clone(page.Prefixes)
	for _, o := range page.Objects {
		keys = append(keys, o.Key)
	}
	slices.Sort(keys)
	last := keys[min(limit, len(keys))-1]
	// The least name after the object, or after all that the folder has.
	next := last + "\x00"
	if slices.Contains(page.Prefixes, last) {
		next = strings.TrimSuffix(last, "/") + string('/'+1)
	}
	return backends.Page{
		Objects:  slices.DeleteFunc(page.Objects, func(o backends.Object) bool { return o.Key > last }),
		Prefixes: slices.DeleteFunc(page.Prefixes, func(prefix string) bool { return prefix > last }),
		Token:    offsetToken + ":" + next,
	}
}
