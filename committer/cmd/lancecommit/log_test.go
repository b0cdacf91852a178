package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// net/http would log what comes after the answer to a HEAD.
func TestWhatAServerSendsUnaskedIsNotShown(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go echo(conn)
		}
	}()
	// The command looks at the version, and then lists.
	command := exec.Command(os.Args[0], "show", "s3://bucket/db/t.lance", "3",
		"--storage-option", "aws_endpoint=http://"+listener.Addr().String(), "--storage-option", "allow_http=true",
		"--storage-option", "aws_region=us-east-1", "--storage-option", "aws_access_key_id=AKIDEXAMPLE",
		"--storage-option", "aws_secret_access_key=notshown", "--storage-option", "aws_session_token=SESSIONTOKEN42")
	command.Env = append(os.Environ(), asCommand+"=1")
	said, err := command.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(said), "lancecommit: ")
	require.NotContains(t, string(said), "SESSIONTOKEN42")
	require.NotContains(t, string(said), "Unsolicited")
}

// echo answers each request with 404 and, to a HEAD as well, with what it was sent.
func echo(conn net.Conn) {
	defer conn.Close()
	for in := bufio.NewReader(conn); ; {
		request, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		sent, _ := httputil.DumpRequest(request, true)
		fmt.Fprintf(conn, "HTTP/1.1 404 Not Found\r\nX-Amz-Request-Id: 1\r\nContent-Length: %d\r\n\r\n%s", len(sent), sent)
		time.Sleep(time.Millisecond)
	}
}
