package histories_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/lancecommit/lancecommit/integration/servers"
)

// slowest is how late a request can land.
const slowest = 3 * time.Second

// A network stands before a server and does what a seed says.
type network struct {
	// server is the server as it is reached through the network.
	server *servers.Server
	proxy  *servers.Proxy

	mu     sync.Mutex
	rng    *rand.Rand
	decide func(rng *rand.Rand, operation string) servers.Fault
	// landed is when the last request lands that is on its way.
	landed time.Time
}

// newNetwork returns one with spells: the replies of no create are lost, of one
// in ten, and of half. Now and then a create lands late, and reads are lost or
// slow.
func newNetwork(t *testing.T, server *servers.Server, seed uint64) *network {
	creates := 0
	return networkOf(t, server, seed, func(rng *rand.Rand, operation string) (f servers.Fault) {
		switch {
		case operation == "PUT":
			creates++
			f.DropReply = rng.Float64() < []float64{0, 0.1, 0.5}[creates/50%3]
			if rng.Float64() < 0.01 {
				f.Delay = rand.N(slowest)
			}
		case rng.Float64() < 0.01:
			f.DropReply = true
		case rng.Float64() < 0.02:
			f.Delay = time.Duration(rng.Int64N(int64(100 * time.Millisecond)))
		}
		return f
	})
}

func networkOf(
	t *testing.T, server *servers.Server, seed uint64, decide func(rng *rand.Rand, operation string) servers.Fault,
) *network {
	proxy := servers.StartProxy(t, server.Endpoint)
	n := &network{server: server.At(proxy.Endpoint), proxy: proxy, rng: rand.New(rand.NewPCG(seed, 2)), decide: decide}
	proxy.SetFault(func(request servers.Request) servers.Fault {
		n.mu.Lock()
		defer n.mu.Unlock()
		f := n.decide(n.rng, request.Operation())
		if at := time.Now().Add(f.Delay); at.After(n.landed) {
			n.landed = at
		}
		return f
	})
	return n
}

// settle waits until what is on its way has landed.
func (n *network) settle() {
	n.mu.Lock()
	landed := n.landed
	n.mu.Unlock()
	time.Sleep(time.Until(landed))
	for range 100 {
		under := false
		for _, request := range n.proxy.Requests() {
			under = under || request.Status == 0
		}
		if !under {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}
