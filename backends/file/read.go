//go:build linux || darwin

package file

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/lancecommit/lancecommit/backends"
)

// Get implements [backends.Store]. Content and attributes are those of one file,
// whatever happens to the name meanwhile. Only a regular file is an object.
func (s *Store) Get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	body, attrs, err := s.get(ctx, key)
	if err != nil {
		return nil, backends.Attrs{}, &backends.Error{Op: "get", Key: key, Err: err}
	}
	return body, attrs, nil
}

func (s *Store) get(ctx context.Context, key string) ([]byte, backends.Attrs, error) {
	file, attrs, err := s.openObject(ctx, key)
	if err != nil {
		return nil, attrs, err
	}
	defer file.Close()
	if err := backends.CheckReadLimit(ctx, attrs.Size); err != nil {
		return nil, backends.Attrs{}, err
	}
	body, err := backends.ReadBody(&piecewise{ctx, file}, attrs.Size)
	if err != nil {
		return nil, attrs, s.unread(err)
	}
	return body, attrs, nil
}

// A piecewise reader gives way to a context between pieces.
type piecewise struct {
	ctx  context.Context
	file io.Reader
}

// Read implements io.Reader.
func (p *piecewise) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.file.Read(b[:min(len(b), 1<<20)])
}

// Head implements [backends.Store]. An object that is there costs an fsync of
// its folder, so that what was seen stays true; where that fails the error is
// [backends.ErrNotDurable].
func (s *Store) Head(ctx context.Context, key string) (backends.Attrs, error) {
	attrs, err := s.head(ctx, key)
	if err != nil {
		return backends.Attrs{}, &backends.Error{Op: "head", Key: key, Err: err}
	}
	return attrs, nil
}

func (s *Store) head(ctx context.Context, key string) (backends.Attrs, error) {
	file, attrs, err := s.openObject(ctx, key)
	if err != nil {
		return attrs, err
	}
	defer file.Close()
	dir, _ := split(key)
	in, err := s.openFolder(dir)
	if err != nil {
		return attrs, s.unread(err)
	}
	defer in.Close()
	if err := s.settle(dir, in); err != nil {
		// Not wrapped: a folder that vanished would read as an absent object.
		return attrs, fmt.Errorf("%w: %v", backends.ErrNotDurable, err)
	}
	return attrs, s.confirm(in)
}

// openObject opens a regular file for reading and describes it.
func (s *Store) openObject(ctx context.Context, key string) (*os.File, backends.Attrs, error) {
	if err := check(key, backends.CheckKey); err != nil {
		return nil, backends.Attrs{}, err
	}
	if err := ctx.Err(); err != nil {
		return nil, backends.Attrs{}, err
	}
	// Without O_NONBLOCK a named pipe would wait for a writer.
	file, err := s.root.OpenFile(key, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, backends.Attrs{}, s.unread(err)
	}
	attrs, err := describe(file)
	if err != nil {
		_ = file.Close()
		return nil, backends.Attrs{}, err
	}
	return file, attrs, nil
}

func describe(file *os.File) (backends.Attrs, error) {
	info, err := file.Stat()
	if err != nil {
		return backends.Attrs{}, err
	}
	if !info.Mode().IsRegular() {
		return backends.Attrs{}, fmt.Errorf("%w: it is no regular file", backends.ErrNotExist)
	}
	described := attrs(info)
	described.Metadata, err = metadataOf(file)
	return described, err
}

// attrs describes a file. The ETag is made as Lance makes it, so that one can be
// compared with the other: the file's number, the time it was written in
// microseconds, its size. These stay when the file gets or loses a name.
func attrs(info fs.FileInfo) backends.Attrs {
	written := info.ModTime()
	return backends.Attrs{
		Size:     info.Size(),
		ETag:     fmt.Sprintf("%x-%x-%x", info.Sys().(*syscall.Stat_t).Ino, written.UnixMicro(), info.Size()),
		Modified: written.UTC(),
	}
}
