package committer

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// moody is a field that cannot be read, and does not say so in our words.
type moody struct{}

func (*moody) UnmarshalJSON([]byte) error { return errors.New("SECRET") }

func TestAFieldThatFailsInItsOwnWordsIsNamed(t *testing.T) {
	var into struct {
		Moody moody `json:"moody"`
	}
	var unknown UnknownFields
	err := decodeFields([]byte(`{"moody":{}}`), &into, &unknown)
	require.EqualError(t, err, "invalid request: moody: it cannot be read")
}
