package servers

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"time"
)

// readyTimeout bounds the time from the start of a server to its first answer.
const readyTimeout = time.Minute

// A running server, and what remains of it when it is stopped.
type running struct {
	server  *Server
	process *process
	data    string
}

// start starts an installed server. Another program can take the port between
// the search for a free one and the server's use of it; then it is tried again.
func start(ctx context.Context, kind Kind, folder string) (*running, error) {
	for tries := 3; ; tries-- {
		r, err := startOnce(ctx, kind, folder)
		if err == nil || tries == 1 {
			return r, err
		}
	}
}

func startOnce(ctx context.Context, kind Kind, folder string) (_ *running, err error) {
	at, err := freeAddress()
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp("", "lancecommit-"+string(kind)+"-")
	if err != nil {
		return nil, err
	}
	r := &running{server: newServer(kind, "http://"+at.String()), data: root}
	defer func() {
		if err != nil {
			r.stop()
		}
	}()
	data := root + "/data"
	if err := os.Mkdir(data, 0o777); err != nil {
		return nil, err
	}
	recipe := recipes[kind]
	r.process, err = startProcess(recipe.command(folder, at, data), recipe.environment(r.server), root)
	if err != nil {
		return nil, err
	}
	r.server.process = r.process
	return r, waitReady(ctx, r.process, r.server.Endpoint+recipe.readyPath, readyTimeout)
}

func (r *running) stop() {
	if r.process != nil {
		r.process.stop()
	}
	os.RemoveAll(r.data)
}

func newServer(kind Kind, endpoint string) *Server {
	s := &Server{Kind: kind, Endpoint: endpoint, direct: endpoint}
	switch kind {
	case MinIO, VersityGW:
		s.AccessKey, s.SecretKey, s.Region = rand.Text(), rand.Text(), "us-east-1"
	case Azurite:
		s.Account, s.AccountKey = azuriteAccount, azuriteKey
	}
	return s
}

// Azurite's one account, as published in its documentation.
const (
	azuriteAccount = "devstoreaccount1"
	azuriteKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// waitReady returns when url is answered with anything but a server error.
func waitReady(ctx context.Context, p *process, url string, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	last := "no answer"
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		// An answer counts only from a server that lives: a server that found its
		// port taken leaves somebody else there to answer.
		if ended := p.endedError(); ended != nil {
			return ended
		}
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode < 500 {
				return nil
			}
			last = answer.Status
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not ready after %v: %s: %s\n%s", timeout, url, last, p.output.Bytes())
		case <-p.ended:
			return p.endedError()
		case <-time.After(25 * time.Millisecond):
		}
	}
}

// Ports of servers are below those that systems give to whoever asks for any
// port. A server binds its port some time after it was found free. From up there,
// a client or a proxy of another test would get it meanwhile, and would answer
// as if the server were ready.
const (
	firstPort = 20000
	lastPort  = 32000
)

func freeAddress() (address, error) {
	for tries := 100; ; tries-- {
		at := address{"127.0.0.1", firstPort + mathrand.IntN(lastPort-firstPort+1)}
		listener, err := net.Listen("tcp", at.String())
		if err == nil {
			return at, listener.Close()
		}
		if tries == 1 {
			return address{}, err
		}
	}
}
