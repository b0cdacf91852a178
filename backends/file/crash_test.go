//go:build linux || darwin

package file

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lancecommit/lancecommit/backends"
)

// crashVariable holds the order for a process that is to be killed.
const crashVariable = "LANCECOMMIT_FILE_CRASH"

// A crash says where a process stops, to be killed there.
type crash struct {
	Dir string
	At  string
}

const (
	beforeLink    = "before the link"
	beforeSync    = "before the sync of the folder"
	anywhere      = "anywhere"
	versionFormat = "t/_versions/%d.manifest"
)

// crashChild does the work of a process that is to be killed. It tells each
// step in a line of its standard output and never returns. In the parent it
// returns at once.
func crashChild() {
	text := os.Getenv(crashVariable)
	if text == "" {
		return
	}
	var c crash
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = c.work()
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (c crash) work() error {
	s, err := Open(c.Dir)
	if err != nil {
		return err
	}
	stop := func() error {
		fmt.Println(c.At)
		// The parent never writes: it kills.
		_, err := io.ReadAll(os.Stdin)
		return err
	}
	switch c.At {
	case beforeLink:
		s.calls.link = func(*os.File, string, string) error { return stop() }
	case beforeSync:
		linked := false
		link, sync := s.calls.link, s.calls.syncFolder
		s.calls.link = func(in *os.File, oldname, newname string) error {
			linked = true
			return link(in, oldname, newname)
		}
		s.calls.syncFolder = func(folder *os.File) error {
			if linked {
				return stop()
			}
			return sync(folder)
		}
	}
	for _, at := range steps {
		if at.name == c.At {
			return commitUpTo(s, at, func() { _ = stop() })
		}
	}
	for version := 1; ; version++ {
		key := fmt.Sprintf(versionFormat, version)
		if _, err := s.PutIfAbsent(context.Background(), key, bodyOf(key), backends.PutOptions{}); err != nil {
			return err
		}
		fmt.Println(key)
	}
}

func bodyOf(key string) []byte { return []byte(strings.Repeat(key+"\n", 5000)) }

// killAfter starts a process and kills it without notice once it has told that
// many lines, which it returns with those that came in between.
func killAfter(t *testing.T, c crash, lines int) []string {
	t.Helper()
	text, err := json.Marshal(c)
	require.NoError(t, err)
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), crashVariable+"="+string(text))
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	defer stdin.Close()
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	var told []string
	for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
		told = append(told, scanner.Text())
		if len(told) == lines {
			require.NoError(t, command.Process.Kill())
		}
	}
	require.ErrorContains(t, command.Wait(), "killed")
	require.GreaterOrEqual(t, len(told), lines)
	return told
}

func TestAWriterKilledBeforeTheLinkLeavesNoObject(t *testing.T) {
	s, dir := newStore(t)
	killAfter(t, crash{Dir: dir, At: beforeLink}, 1)
	killAfter(t, crash{Dir: dir, At: beforeLink}, 1)

	_, err := s.Head(t.Context(), key)
	require.ErrorIs(t, err, backends.ErrNotExist)
	page, err := s.List(t.Context(), backends.ListInput{Prefix: "t/_versions/"})
	require.NoError(t, err)
	require.Len(t, page.Objects, 2, "what the writers left")
	for _, o := range page.Objects {
		require.True(t, strings.HasPrefix(o.Key, "t/_versions/"+TempPrefix), "%q must not look like a version", o.Key)
	}

	put(t, s, key, "the next writer's")
	require.Equal(t, "the next writer's", read(t, s, key))
	for _, o := range page.Objects {
		require.NoError(t, s.Delete(t.Context(), o.Key), "leftovers can be swept")
	}
	require.Equal(t, []string{"1.manifest"}, filesIn(t, dir, "t/_versions"))
}

func TestAWriterKilledBeforeTheSyncLeavesAnObjectThatTheNextAnswerMakesDurable(t *testing.T) {
	for name, ask := range map[string]func(s *Store) error{
		"a lost race": func(s *Store) error {
			_, err := s.PutIfAbsent(t.Context(), key, []byte("late"), backends.PutOptions{})
			require.ErrorIs(t, err, backends.ErrExists)
			return nil
		},
		"Head": func(s *Store) error { _, err := s.Head(t.Context(), key); return err },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newStore(t)
			killAfter(t, crash{Dir: dir, At: beforeSync}, 1)
			require.Equal(t, string(bodyOf(key)), read(t, s, key), "whole")
			j := keepJournal(t, s)
			require.NoError(t, ask(s))
			entries := j.take()
			require.Equal(t, wayThere, entries[:3], "nobody has told yet that the folders are durable")
			require.Equal(t, "sync t/_versions", entries[len(entries)-1], "the last thing before the answer")
			require.Greater(t, len(entries), 3)
		})
	}
}

func TestAWriterKilledAnywhereLosesNoSuccessAndTearsNoObject(t *testing.T) {
	for _, lines := range []int{1, 7, 20} {
		s, dir := newStore(t)
		told := killAfter(t, crash{Dir: dir, At: anywhere}, lines)
		for i, key := range told {
			require.Equal(t, fmt.Sprintf(versionFormat, i+1), key)
			require.Equal(t, string(bodyOf(key)), read(t, s, key), "what the writer was told is there")
		}
		page, err := s.List(t.Context(), backends.ListInput{Prefix: "t/_versions/"})
		require.NoError(t, err)
		for _, o := range page.Objects {
			if !strings.HasPrefix(o.Key, "t/_versions/"+TempPrefix) {
				require.Equal(t, string(bodyOf(o.Key)), read(t, s, o.Key), "a name has its whole content")
			}
		}
	}
}
