package graphtest

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy forwards connections between a driver and the server, and can break them.
type Proxy struct {
	Address string // host:port; never changes
	target  string

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn

	mute atomic.Bool
}

// NewProxy starts a proxy in front of a graph's server. It stops when the test ends.
func NewProxy(t testing.TB, g *Graph) *Proxy {
	t.Helper()
	p := &Proxy{Address: "127.0.0.1:0", target: strings.TrimPrefix(g.Endpoint.URI, "bolt://")}
	p.Listen(t)
	t.Cleanup(func() { p.StopListening(); p.Cut() })
	return p
}

// Listen accepts connections, at the same port each time.
func (p *Proxy) Listen(t testing.TB) {
	t.Helper()
	listener, err := net.Listen("tcp", p.Address)
	for started := time.Now(); err != nil && time.Since(started) < 2*time.Minute; time.Sleep(20 * time.Millisecond) { // another program's connection may use the port
		listener, err = net.Listen("tcp", p.Address)
	}
	OK(t, err)
	p.mu.Lock()
	p.listener, p.Address = listener, listener.Addr().String()
	p.mu.Unlock()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.track(client) // from now on Cut ends it
			server, err := net.Dial("tcp", p.target)
			if err != nil {
				_ = client.Close()
				continue
			}
			p.track(server)
			go pipe(answers{client, p}, server)
			go pipe(server, client)
		}
	}()
}

func (p *Proxy) track(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, c)
}

// Mute forwards requests and drops answers of the server until Cut.
func (p *Proxy) Mute() { p.mute.Store(true) }

// answers writes the server's answers to a driver.
type answers struct {
	io.WriteCloser
	p *Proxy
}

func (a answers) Write(b []byte) (int, error) {
	if a.p.mute.Load() {
		return len(b), nil
	}
	return a.WriteCloser.Write(b)
}

func pipe(to io.WriteCloser, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}

// StopListening refuses new connections.
func (p *Proxy) StopListening() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.listener.Close()
}

// Cut ends every connection and returns their number.
func (p *Proxy) Cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	n := len(p.conns) / 2
	p.conns = nil
	p.mute.Store(false)
	return n
}
