package live

import (
	"io"
	"net"
	"sync"
	"testing"
)

// gate hands connections on to a server, or cuts and refuses them while it is shut.
type gate struct {
	address string
	mu      sync.Mutex
	closed  bool
	open    map[net.Conn]struct{}
}

func newGate(t *testing.T, server string) *gate {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gt := &gate{address: listener.Addr().String(), open: map[net.Conn]struct{}{}}
	t.Cleanup(func() {
		listener.Close()
		gt.shut(true)
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			gt.pass(client, server)
		}
	}()
	return gt
}

func (gt *gate) pass(client net.Conn, server string) {
	gt.mu.Lock()
	defer gt.mu.Unlock()
	inner, err := net.Dial("tcp", server)
	if err != nil || gt.closed {
		client.Close()
		return
	}
	gt.open[client], gt.open[inner] = struct{}{}, struct{}{}
	go func() { io.Copy(inner, client); inner.Close() }()
	go func() { io.Copy(client, inner); client.Close() }()
}

func (gt *gate) shut(closed bool) {
	gt.mu.Lock()
	defer gt.mu.Unlock()
	gt.closed = closed
	for c := range gt.open {
		if closed {
			c.Close()
			delete(gt.open, c)
		}
	}
}
