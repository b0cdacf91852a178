package committer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/internal/testmanifest"
)

// The records that are stored beside manifests for as long as these are there.
var storedRecords = []struct {
	name, stored string
	record       record
}{
	{
		"of a commit",
		"1Q0u1x-9_AbZkLmN447DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
		record{ID: "Q0u1x-9_AbZkLmN4", SHA256: emptySHA256},
	},
	{
		"of a commit, in JSON",
		"eyJpZCI6IlZLRlI2TEdPUVQ0M0FaTlJNWDVHV0c1TlVYIiwic2hhMjU2IjoiZTNiMGM0NDI5OGZjMWMxNDlhZmJmNGM4OTk2ZmI5MjQyN2FlNDFlNDY0OWI5MzRjYTQ5NTk5MWI3ODUyYjg1NSJ9",
		record{ID: "VKFR6LGOQT43AZNRMX5GWG5NUX", SHA256: emptySHA256},
	},
	{
		"of a staged manifest",
		"eyJpZCI6IkEiLCJzaGEyNTYiOiJlM2IwYzQ0Mjk4ZmMxYzE0OWFmYmY0Yzg5OTZmYjkyNDI3YWU0MWU0NjQ5YjkzNGNhNDk1OTkxYjc4NTJiODU1Iiwic3RhZ2VkIjoiX3ZlcnNpb25zL2EgXHUwMDI2IGIifQ",
		record{ID: "A", SHA256: emptySHA256, Staged: "_versions/a & b"},
	},
	{
		"with the caller's metadata",
		"eyJpZCI6IkEiLCJzaGEyNTYiOiJlM2IwYzQ0Mjk4ZmMxYzE0OWFmYmY0Yzg5OTZmYjkyNDI3YWU0MWU0NjQ5YjkzNGNhNDk1OTkxYjc4NTJiODU1IiwibWV0YWRhdGEiOnsiYSI6IiIsImIiOiLDpFwiIn19",
		record{ID: "A", SHA256: emptySHA256, Metadata: map[string]string{"b": `ä"`, "a": ""}},
	},
}

const emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func TestRecordsAreReadAsTheyWereStored(t *testing.T) {
	for _, c := range storedRecords {
		t.Run(c.name, func(t *testing.T) {
			read, ok := parseRecord(c.stored)
			require.True(t, ok)
			require.Equal(t, c.record, read)
		})
	}
}

func TestRecordsAreStoredAsTheyWereEver(t *testing.T) {
	for _, c := range storedRecords[1:] {
		t.Run(c.name, func(t *testing.T) {
			written, err := c.record.encode()
			require.NoError(t, err)
			require.Equal(t, c.stored, written)
		})
	}
	plain := storedRecords[0]
	require.Equal(t, plain.stored, encodePlain(callID([]byte(plain.record.ID)), sha256.Sum256(nil)))
}

func TestWhatIsNoRecordIsNotRead(t *testing.T) {
	plain := storedRecords[0].stored
	for name, metadata := range map[string]string{
		"nothing":                        "",
		"another program's words":        "hello",
		"a plain record that is cut":     plain[:len(plain)-1],
		"a plain record that goes on":    plain + "A",
		"an id in other letters":         plain[:3] + "+" + plain[4:],
		"a digest in other letters":      plain[:len(plain)-2] + "/" + plain[len(plain)-1:],
		"a digest with bits left over":   plain[:len(plain)-1] + "V",
		"a plain record of another mark": "2" + plain[1:],
		"JSON that is cut":               storedRecords[1].stored[:40],
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := parseRecord(metadata)
			require.False(t, ok)
		})
	}
}

func TestTheMetadataOfACandidateIsItsRecord(t *testing.T) {
	table := NewTable(nil, "t")
	for name, set := range map[string]func(*candidate){
		"of a commit":                func(*candidate) {},
		"of a staged manifest":       func(c *candidate) { c.staged = "_versions/<a> & b\u2028" },
		"with the caller's metadata": func(c *candidate) { c.keep = map[string]string{"b": `ä"`, "a": ""} },
		"with all of it": func(c *candidate) {
			c.staged, c.keep = "_versions/x", map[string]string{"k": strings.Repeat("v", 300)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := table.newCandidate(7, testmanifest.New(7, "", "note"))
			require.NoError(t, err)
			set(&c)
			metadata, err := c.metadata()
			require.NoError(t, err)
			want := record{ID: string(c.id[:]), SHA256: c.sha256.String(), Staged: c.staged, Metadata: c.keep}
			read, ok := parseRecord(metadata)
			require.True(t, ok)
			require.Equal(t, want, read)
			if c.staged != "" || c.keep != nil {
				text, err := json.Marshal(want)
				require.NoError(t, err)
				require.Equal(t, base64.RawURLEncoding.EncodeToString(text), metadata)
			}
		})
	}
}

// More than 60 bytes do not fit into an inode of ext4 beside the name.
func TestTheRecordOfACommitIsShort(t *testing.T) {
	c, err := NewTable(nil, "t").newCandidate(7, testmanifest.New(7, "", "note"))
	require.NoError(t, err)
	metadata, err := c.metadata()
	require.NoError(t, err)
	require.Len(t, metadata, 60)
}
