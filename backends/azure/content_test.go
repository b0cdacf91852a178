package azure

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func contentOf(body []byte) *content {
	c := new(content)
	c.body.Reset(body)
	return c
}

func TestContentKnowsWhetherAnyOfItWasRead(t *testing.T) {
	c := contentOf([]byte("content"))
	size, err := c.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	require.EqualValues(t, 7, size)
	_, err = c.Seek(0, io.SeekStart)
	require.NoError(t, err)
	require.True(t, c.seal(), "asking for the size reads nothing")

	c = contentOf([]byte("content"))
	_, err = c.Read(make([]byte, 1))
	require.NoError(t, err)
	require.False(t, c.seal())

	require.False(t, contentOf(nil).seal(), "empty content is sent without a read")
}

func TestContentGivesNothingAfterTheCall(t *testing.T) {
	c := contentOf([]byte("content"))
	c.seal()
	n, err := c.Read(make([]byte, 7))
	require.Zero(t, n)
	require.Error(t, err)
	require.NotErrorIs(t, err, io.EOF, "a transport must not take it for the end")
}
