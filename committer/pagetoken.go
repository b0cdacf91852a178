package committer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// A pageToken says where a listing of versions goes on. Versions that are
// committed meanwhile come before it, and do not move it.
type pageToken struct {
	// After is the last version that was returned.
	After uint64 `json:"after"`
	// Marker is the store's own, where its page ended with After or behind it.
	Marker string `json:"marker,omitempty"`
	// Whole says that the chain is listed whole, since its names are not in the
	// order of versions.
	Whole bool `json:"whole,omitempty"`
	// Check ties the token to the store and the chain that it was made for.
	Check string `json:"check"`
}

// tokenPrefix names the form of the token.
const tokenPrefix = "lc1."

// errToken is all that is said of a token that is not ours.
var errToken = errors.New("it is not the token of an earlier page of this table and branch in this store; begin again without one")

// listedAt names the chain at a root for tokens: by the root, and by the store
// in all its spellings where it knows them, since the first need not tell it
// from others: for Azure that is without the account.
func (n *Namespace) listedAt(root string) string {
	return strings.Join(slices.Concat(n.addresses(), []string{root}), "\x00")
}

// encode writes a token for a chain, by the name that listedAt has for it.
func (p pageToken) encode(chain string) string {
	p.Check = p.sum(chain)
	return p.text()
}

func (p pageToken) text() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // Numbers and texts always encode.
	}
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(text)
}

// parsePageToken reads a token of whatever chain. The empty token is the first page.
func parsePageToken(text string) (p pageToken, err error) {
	if text == "" {
		return pageToken{}, nil
	}
	encoded, ok := strings.CutPrefix(text, tokenPrefix)
	if !ok {
		return pageToken{}, errToken
	}
	content, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	// JSON can say one thing in many ways, and a token of ours is written in one.
	if err != nil || json.Unmarshal(content, &p) != nil || p.After == 0 || p.text() != text {
		return pageToken{}, errToken
	}
	return p, nil
}

// checkChain refuses a token that was made for another chain.
func (p pageToken) checkChain(chain string) error {
	if p.After != 0 && p.Check != p.sum(chain) {
		return errToken
	}
	return nil
}

// sum guards against tokens of other tables and stores, and damaged ones. It is
// no secret.
func (p pageToken) sum(chain string) string {
	p.Check = ""
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(slices.Concat([]byte(chain), []byte{0}, text))
	return hex.EncodeToString(sum[:8])
}
