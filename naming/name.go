package naming

import (
	"math"
	"strconv"
	"strings"
)

// Hint is the name of the file that tells Lance's readers of unordered stores
// about a recent version. It is in _versions/.
const Hint = "latest_version_hint.json"

const (
	detachedPrefix  = "d"
	temporaryPrefix = ".tmp"
)

// A Kind says what an object in _versions/ is.
type Kind uint8

// The kinds of objects in _versions/.
const (
	// Foreign is any name that is none of the others. It is ignored.
	Foreign Kind = iota
	// Final is the manifest of a version of the chain.
	Final
	// DetachedManifest is a manifest outside the chain, never the latest.
	DetachedManifest
	// StagingManifest is a manifest that waits for its publication.
	StagingManifest
	// Temporary is what a writer on disk left behind.
	Temporary
	// HintFile is the file named by [Hint].
	HintFile
)

// String returns the kind in one word.
func (k Kind) String() string {
	switch k {
	case Final:
		return "final"
	case DetachedManifest:
		return "detached"
	case StagingManifest:
		return "staging"
	case Temporary:
		return "temporary"
	case HintFile:
		return "hint"
	default:
		return "foreign"
	}
}

// A Name is what [Parse] reads in the name of an object.
type Name struct {
	Kind Kind
	// Scheme and Version are set for final and staging names. Version alone is
	// set for detached ones.
	Scheme  Scheme
	Version uint64
	// UUID is the last part of a staging name.
	UUID string
}

// Parse says what an object in _versions/ is. The name is the part of the key
// behind _versions/. Parse accepts any text and never fails: what it does not
// know is [Foreign].
//
// It is strict about final names, because a name that is taken for a version
// decides what the latest is: 20 digits are V2, fewer are V1, the version is at
// most [MaxVersion], and writing the version again gives the same bytes.
// Version 0 is read, since such names exist, and is never written.
func Parse(name string) Name {
	switch {
	case name == Hint:
		return Name{Kind: HintFile}
	case strings.HasPrefix(name, temporaryPrefix):
		return Name{Kind: Temporary}
	}
	if at := strings.LastIndexByte(name, '#'); at > 0 && isDigits(name[at+1:]) {
		return Name{Kind: Temporary}
	}
	if version, ok := parseDetached(name); ok {
		return Name{Kind: DetachedManifest, Version: version}
	}
	if scheme, version, ok := parseFinal(name); ok {
		return Name{Kind: Final, Scheme: scheme, Version: version}
	}
	if at := strings.Index(name, manifestSuffix+"-"); at >= 0 {
		final, uuid := name[:at+len(manifestSuffix)], name[at+len(manifestSuffix)+1:]
		if scheme, version, ok := parseFinal(final); ok && isUUID(uuid) {
			return Name{Kind: StagingManifest, Scheme: scheme, Version: version, UUID: uuid}
		}
	}
	return Name{}
}

// String writes the name again. It is the inverse of [Parse] for final,
// detached, staging and hint names, and empty for the others.
func (n Name) String() string {
	switch n.Kind {
	case Final:
		return n.Scheme.Final(n.Version)
	case StagingManifest:
		return Staging(n.Scheme.Final(n.Version), n.UUID)
	case DetachedManifest:
		return Detached(n.Version)
	case HintFile:
		return Hint
	default:
		return ""
	}
}

func parseFinal(name string) (Scheme, uint64, bool) {
	digits, ok := strings.CutSuffix(name, manifestSuffix)
	if !ok || !isDigits(digits) {
		return 0, 0, false
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	scheme, version := V1, number
	if len(digits) == v2Digits {
		scheme, version = V2, math.MaxUint64-number
	}
	if version > MaxVersion || scheme.Final(version) != name {
		return 0, 0, false
	}
	return scheme, version, true
}

func parseDetached(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, detachedPrefix)
	if !ok {
		return 0, false
	}
	digits, ok = strings.CutSuffix(digits, manifestSuffix)
	if !ok || !isDigits(digits) {
		return 0, false
	}
	version, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || version <= MaxVersion || Detached(version) != name {
		return 0, false
	}
	return version, true
}

// isDigits reports whether s is one or more ASCII digits. strconv alone would
// also take a sign.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isUUID reports whether s is a UUID in its hyphenated form.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return true
}
