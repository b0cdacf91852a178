package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/lancecommit/lancecommit/committer"
)

// errTooLarge says that there is more to read than there may be.
var errTooLarge = errors.New("it is too large")

// read reads a file, or standard input where the file is "-", of at most so many
// bytes. It gives way to the context, since a pipe can stay silent for ever.
// What names the content in errors.
func (a *app) read(ctx context.Context, what, file string, most int64) ([]byte, error) {
	type content struct {
		body []byte
		err  error
	}
	read := make(chan content, 1)
	go func() {
		body, err := readAll(file, a.in, most)
		read <- content{body, err}
	}()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("nothing was written: %w while the %s was read", ctx.Err(), what)
	case c := <-read:
		if errors.Is(c.err, errTooLarge) {
			return nil, fmt.Errorf("%w: the %s is larger than %d MiB", committer.ErrInvalid, what, most>>20)
		}
		if c.err != nil {
			// Not wrapped: a file that is missing is not a missing table.
			return nil, fmt.Errorf("%w: read the %s: %v", committer.ErrInvalid, what, c.err)
		}
		return c.body, nil
	}
}

// pieceSize is how much is read at once, in bytes.
const pieceSize = 1 << 20

// readAll reads what there is, or errTooLarge. It reads in pieces, so that
// what is too large is in memory once and not copied.
func readAll(file string, in io.Reader, most int64) ([]byte, error) {
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		in = opened
		if info, err := opened.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > most {
			return nil, errTooLarge
		}
	}
	var pieces [][]byte
	for read := int64(0); read <= most; {
		piece := make([]byte, min(pieceSize, most+1-read))
		n, err := io.ReadFull(in, piece)
		pieces, read = append(pieces, piece[:n]), read+int64(n)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return slices.Concat(pieces...), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, errTooLarge
}
