package naming

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Folders below a table's root.
const (
	versionsFolder     = "_versions"
	transactionsFolder = "_transactions"
	refsFolder         = "_refs"
	dataFolder         = "data"
	treeFolder         = "tree"
)

// MainBranch is the name of the branch at the table's root.
const MainBranch = "main"

// ErrRoot says that a text cannot be the key of a table's root.
var ErrRoot = errors.New("not the root of a table")

// ErrBranch says that a text cannot be the name of a branch.
var ErrBranch = errors.New("not a branch name")

// CleanRoot checks the key of a table's root and returns it without slashes at
// the end. The empty root is the store itself. A root with a slash in front, an
// empty, "." or ".." part, a control character or bytes that are not UTF-8 is
// [ErrRoot]: stores rewrite or fold such keys, so that two writers could mean
// two objects by one name.
func CleanRoot(root string) (string, error) {
	clean := strings.TrimRight(root, "/")
	if clean == "" {
		if root != "" {
			return "", fmt.Errorf("%w: %q; the root of the store is written as an empty key", ErrRoot, root)
		}
		return "", nil
	}
	if !utf8.ValidString(clean) {
		return "", fmt.Errorf("%w: %q is not UTF-8", ErrRoot, root)
	}
	if at := strings.IndexFunc(clean, unicode.IsControl); at >= 0 {
		return "", fmt.Errorf("%w: %q has a control character at byte %d", ErrRoot, root, at)
	}
	for part := range strings.SplitSeq(clean, "/") {
		if part == "" || part == "." || part == ".." {
			return "", fmt.Errorf("%w: %q has the part %q", ErrRoot, root, part)
		}
	}
	return clean, nil
}

// Versions returns the key prefix of a root's manifests, ending in a slash.
func Versions(root string) string {
	return Join(root, versionsFolder) + "/"
}

// Transactions returns the key prefix of a root's transaction files, ending in
// a slash.
func Transactions(root string) string {
	return Join(root, transactionsFolder) + "/"
}

// Tags returns the key prefix of the tags of the table at root, ending in a
// slash. Tags of all branches are at the table's root. A tag is the object
// {name}.json there.
func Tags(root string) string {
	return Join(root, refsFolder) + "/tags/"
}

// Branches returns the key prefix of the refs of the branches of the table at
// root, ending in a slash. [BranchRefs] has the names in it.
func Branches(root string) string {
	return Join(root, refsFolder) + "/branches/"
}

// Tree returns the key prefix of a table's branches, ending in a slash.
func Tree(root string) string {
	return Join(root, treeFolder) + "/"
}

// Join puts a name below a root, which may be empty.
func Join(root, name string) string {
	if root == "" {
		return name
	}
	return root + "/" + name
}

// IsMain reports whether a branch name means the table's root: "main" or empty.
func IsMain(branch string) bool {
	return branch == "" || branch == MainBranch
}

// BranchRoot returns the root of a branch of the table at root. The branch must
// have passed [CheckBranch].
func BranchRoot(root, branch string) string {
	if IsMain(branch) {
		return root
	}
	return Tree(root) + branch
}

// BranchRefs returns the keys at which the ref of a branch can be: the one that
// Lance writes, with the slashes of the name as %2F and the bytes of letters
// beyond ASCII in the same way, and for names that have slashes a second one
// that some stores show, with the slashes as they are. The branch must have
// passed [CheckBranch] and not be main, which has no ref.
func BranchRefs(root, branch string) []string {
	folder := Branches(root)
	keys := []string{folder + url.PathEscape(branch) + ".json"}
	if strings.Contains(branch, "/") {
		slashed := (&url.URL{Path: branch}).EscapedPath()
		keys = append(keys, folder+slashed+".json")
	}
	return keys
}

// CheckBranch returns [ErrBranch] unless name can be the name of a branch. Main
// and the empty name pass: they mean the table's root.
//
// A name is segments of letters, digits, ".", "-" and "_" joined by "/", as
// Lance has it; letters and digits are those of Unicode in the wide sense that
// Rust has of alphanumeric. Segments that are folders of a table are refused as well, since
// the branch's root would be confused with them.
func CheckBranch(name string) error {
	if IsMain(name) {
		return nil
	}
	if strings.HasSuffix(name, ".lock") {
		return fmt.Errorf("%w: %q ends in .lock", ErrBranch, name)
	}
	if strings.Contains(name, "..") {
		return fmt.Errorf("%w: %q has two dots in a row", ErrBranch, name)
	}
	for segment := range strings.SplitSeq(name, "/") {
		switch segment {
		case "":
			return fmt.Errorf("%w: %q has an empty segment", ErrBranch, name)
		case ".":
			return fmt.Errorf("%w: %q has the segment %q", ErrBranch, name, segment)
		case versionsFolder, transactionsFolder, refsFolder, dataFolder, treeFolder:
			return fmt.Errorf("%w: %q has the segment %q, which is a folder of every table", ErrBranch, name, segment)
		}
		if at := strings.IndexFunc(segment, notInBranch); at >= 0 {
			char, _ := utf8.DecodeRuneInString(segment[at:])
			return fmt.Errorf("%w: %q has the character %q; letters, digits, '.', '-', '_' and '/' are allowed",
				ErrBranch, name, char)
		}
	}
	return nil
}

func notInBranch(r rune) bool {
	alphanumeric := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Other_Alphabetic, r)
	return r == utf8.RuneError || !alphanumeric && !strings.ContainsRune(".-_", r)
}
