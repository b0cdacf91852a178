//go:build linux || darwin

package crash

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/lancecommit/lancecommit/committer/manifest"
	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// padding is what manifests have beside the name of their commit, in bytes:
// some fit into a page, some take a while to write, such as the first.
var padding = [...]int{2_000, 120_000, 0, 30_000}

// bodyOf returns the manifest that a writer builds in a call for a version.
func bodyOf(id string, call int, version uint64) []byte {
	return testmanifest.New(version, "", commitOf(id, call)+strings.Repeat("x", padding[call%len(padding)]))
}

// commitOf names a commit in its manifest.
func commitOf(id string, call int) string { return fmt.Sprintf("<%s/%d>", id, call) }

var commitName = regexp.MustCompile(`<([^<>/]+)/(\d+)>`)

// commitIn returns the name of the commit whose whole manifest body is. A body
// that is torn, or no writer's, is an error.
func commitIn(body []byte, version uint64) (string, error) {
	if err := manifest.Validate(body); err != nil {
		return "", err
	}
	found := commitName.FindSubmatch(body)
	if found == nil {
		return "", fmt.Errorf("%d bytes that name no commit", len(body))
	}
	call, err := strconv.Atoi(string(found[2]))
	if err != nil {
		return "", err
	}
	if !bytes.Equal(body, bodyOf(string(found[1]), call, version)) {
		return "", fmt.Errorf("%d bytes are not those that %s built for version %d", len(body), found[0], version)
	}
	return string(found[0]), nil
}
