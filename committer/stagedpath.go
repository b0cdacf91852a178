package committer

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/lancecommit/lancecommit/backends"
	"github.com/lancecommit/lancecommit/naming"
)

var errMissingPath = errors.New("it is missing; name the staged manifest")

// resolve turns the manifest_path of a request into the key of an object inside
// the table. root is the root of the request's branch. The error says what is
// wrong with the path, and sends the caller nowhere else.
func (n *Namespace) resolve(table, root, text string, version uint64) (staging, error) {
	if text == "" {
		return staging{}, errMissingPath
	}
	if hasQuery(text) {
		return staging{}, errHasQuery
	}
	key, err := n.keyOf(table, root, text)
	if err != nil {
		return staging{}, err
	}
	if err := backends.CheckKey(key); err != nil {
		if withoutQuery(text) != text {
			// The reason repeats the key.
			err = fmt.Errorf("%w: it is too long, or has a control character, or an empty part or one of dots", backends.ErrInvalid)
		}
		return staging{}, fmt.Errorf("%q is not the key of an object: %w", withoutQuery(text), err)
	}
	if hidesDots(key) {
		return staging{}, fmt.Errorf("%q has a part that is %q or %q in disguise", withoutQuery(text), ".", "..")
	}
	name, inside := below(key, table)
	if !inside {
		return staging{}, fmt.Errorf("%q lies outside the table %s; stage the manifest in %s", withoutQuery(text), table, naming.Versions(root))
	}
	if !mayStage(key) {
		return staging{}, fmt.Errorf("%q has a name that no staged manifest may have, since it is removed after the commit; "+
			"stage the manifest as %s<UUID>", withoutQuery(text), naming.Staging(naming.Versions(root)+naming.V2.Final(version), ""))
	}
	return staging{key: key, name: name, size: unknownSize}, nil
}

// errHasQuery refuses a URL that can carry a credential, which is not repeated.
var errHasQuery = errors.New("it is a URL with a query or a fragment, such as a signature; give the object alone")

func hasQuery(text string) bool {
	return strings.Contains(text, "://") && strings.ContainsAny(text, "?#")
}

// keyOf reads the three forms of a path: a key, a URL, and what is relative to
// the table. A text can be several of them: where the table is the store itself,
// all are keys in it. So it takes the reading that lies directly in the branch's
// _versions/, where manifests are staged; no text has two of these. Of others it
// takes the first that lies in the table.
func (n *Namespace) keyOf(table, root, text string) (string, error) {
	switch {
	case strings.Contains(text, "://"):
		return n.keyOfURL(text)
	case strings.HasPrefix(text, "/"):
		return "", fmt.Errorf("%q is an absolute path; give a key of the store, or a path relative to the table", withoutQuery(text))
	}
	readings := n.readings(table, root, text)
	for _, key := range readings {
		if folder, _ := path.Split(key); folder == naming.Versions(root) {
			return key, nil
		}
	}
	for _, key := range readings {
		if _, inside := below(key, table); inside {
			return key, nil
		}
	}
	return text, nil
}

// readings returns the keys that a path can mean: first that below the path of
// the store's folder, by which no folder in a table is called.
func (n *Namespace) readings(table, root, text string) []string {
	var keys []string
	for _, address := range n.addresses() {
		if key, ok := strings.CutPrefix(text, address); ok && !strings.Contains(address, "://") {
			keys = append(keys, key)
		}
	}
	keys = append(keys, text)
	switch {
	case strings.HasPrefix(text, naming.Versions("")):
		keys = append(keys, naming.Join(root, text))
	case strings.HasPrefix(text, naming.Tree("")):
		keys = append(keys, naming.Join(table, text))
	}
	return keys
}

// keyOfURL reads a URL below one of the store's own.
func (n *Namespace) keyOfURL(text string) (string, error) {
	addresses := n.addresses()
	if len(addresses) == 0 {
		return "", errors.New("it is a URL, and the store does not know its own; give the key of the object")
	}
	scheme, rest, _ := strings.Cut(text, "://")
	text = strings.ToLower(scheme) + "://" + rest
	for _, address := range addresses {
		key, ok := strings.CutPrefix(text, address)
		if !ok {
			continue
		}
		if strings.HasPrefix(address, "file:") {
			return url.PathUnescape(key)
		}
		// Lance takes the rest of a bucket's URL for the key as it is.
		return key, nil
	}
	// Without the text: a URL can carry credentials.
	return "", fmt.Errorf("it is a URL of another store than %s", addresses[0])
}

// addresses are what stands before a key where the store is addressed from
// outside.
func (n *Namespace) addresses() []string {
	if located, ok := n.store.(backends.Located); ok {
		return located.URLs()
	}
	return nil
}

// below returns the part of a key below a root.
func below(key, root string) (name string, inside bool) {
	if root == "" {
		return key, true
	}
	return strings.CutPrefix(key, root+"/")
}

// hidesDots reports whether somebody who decodes the key would leave a folder.
func hidesDots(key string) bool {
	decoded, err := url.PathUnescape(key)
	if err != nil {
		return false
	}
	for part := range strings.FieldsFuncSeq(decoded, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

// mayStage reports whether an object can be a staged manifest: it must not be
// one that readers of tables look for, such as a version.
func mayStage(key string) bool {
	folder, name := path.Split(key)
	if !strings.HasSuffix("/"+folder, "/"+naming.Versions("")) {
		return true
	}
	switch naming.Parse(name).Kind {
	case naming.Final, naming.DetachedManifest, naming.HintFile:
		return false
	default:
		return true
	}
}

// checkReal refuses a staged manifest that symlinks lead out of the table for.
func (n *Namespace) checkReal(ctx context.Context, table string, s staging) error {
	linked, ok := n.store.(backends.Linked)
	if !ok {
		return nil
	}
	real, err := linked.RealKey(ctx, s.key)
	wrong := &InvalidRequestError{}
	switch {
	case errors.Is(err, backends.ErrNotExist):
		return nil
	case errors.Is(err, backends.ErrInvalid):
		wrong.add("manifest_path", "%v", err)
		return wrong
	case err != nil:
		return err
	}
	realTable := table
	if table != "" {
		if realTable, err = linked.RealKey(ctx, table); err != nil {
			return err
		}
	}
	if name, inside := below(real, realTable); !inside || name != s.name || !mayStage(real) {
		wrong.add("manifest_path", "%s is reached by a symlink inside the table, and is %s itself; name a manifest that is staged in the table",
			s.key, real)
		return wrong
	}
	return nil
}
