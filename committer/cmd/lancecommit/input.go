package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/lancecommit/lancecommit/committer"
)

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
		if c.err != nil {
			// Not wrapped: a file that is missing is not a missing table.
			return nil, fmt.Errorf("%w: read the %s: %v", committer.ErrInvalid, what, c.err)
		}
		if int64(len(c.body)) > most {
			return nil, fmt.Errorf("%w: the %s is larger than %d MiB", committer.ErrInvalid, what, most>>20)
		}
		return c.body, nil
	}
}

// readAll reads up to a byte more than there may be.
func readAll(file string, in io.Reader, most int64) ([]byte, error) {
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		in = opened
	}
	return io.ReadAll(io.LimitReader(in, most+1))
}
