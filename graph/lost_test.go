package graph_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"nomograph/fault"
	"nomograph/graph"
	"nomograph/graph/graphtest"
)

func TestALostConnectionIsMadeAgainByTheNextCall(t *testing.T) {
	g := graphtest.New(t)
	p := newProxy(t, g)
	db := open(t, g, func(o *graph.Options) { o.URI = "bolt://" + p.address })
	read := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		_, err := graph.One[struct{ One int }](ctx, db, statement("RETURN 1 AS one"), nil)
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}

	t.Run("cut between two reads", func(t *testing.T) {
		p.cut()
		if err := read(); err != nil {
			t.Error(err)
		}
	})
	t.Run("cut with many connections open", func(t *testing.T) {
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				_, _ = graph.All[struct{}](t.Context(), db, statement("UNWIND range(1, 300000) AS i RETURN count(DISTINCT i % 1000) AS n"), nil)
			})
		}
		all.Wait()
		if p.cut() < 4 {
			t.Skip("the driver opened too few connections to tell")
		}
		if err := read(); err != nil {
			t.Error(err)
		}
	})
	t.Run("cut before a write", func(t *testing.T) {
		p.cut()
		err := db.Write(t.Context(), func(tx *graph.Tx) error { return tx.Run(t.Context(), writing("CREATE (:Written)"), nil) })
		if err != nil {
			t.Error(err)
		}
		if rows := g.Rows(t, "MATCH (w:Written) RETURN w", nil); len(rows) != 1 {
			t.Errorf("written %d times", len(rows))
		}
	})
	t.Run("cut in the middle of a read", func(t *testing.T) {
		answer := make(chan error, 1)
		go func() { answer <- slow(t.Context(), db) }()
		time.Sleep(300 * time.Millisecond)
		p.away()
		p.cut()
		wantFault(t, <-answer, fault.Unavailable)
		p.back(t)
		if err := read(); err != nil {
			t.Error(err)
		}
	})
	t.Run("away, and back", func(t *testing.T) {
		p.away()
		p.cut()
		for range 2 {
			got := wantFault(t, read(), fault.Unavailable)
			if got.Hint == "" || strings.Contains(got.Error(), g.Endpoint.Password) {
				t.Error(got.Error())
			}
		}
		err := db.Write(t.Context(), func(tx *graph.Tx) error { return tx.Run(t.Context(), writing("CREATE (:Never)"), nil) })
		wantFault(t, err, fault.Unavailable)
		p.back(t)
		if err := read(); err != nil {
			t.Error(err)
		}
		if rows := g.Rows(t, "MATCH (n:Never) RETURN n", nil); len(rows) != 0 {
			t.Error("a write that failed was made")
		}
	})
}

func TestADatabaseThatIsAwayAtTheStartIsFoundLater(t *testing.T) {
	g := graphtest.New(t)
	p := newProxy(t, g)
	p.away()
	db := open(t, g, func(o *graph.Options) { o.URI = "bolt://" + p.address })
	_, err := db.Connect(t.Context())
	wantFault(t, err, fault.Unavailable)
	p.back(t)
	if _, err := db.Connect(t.Context()); err != nil {
		t.Error(err)
	}
}

// proxy stands between the driver and the server and can be cut.
type proxy struct {
	address, target string

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
}

func newProxy(t *testing.T, g *graphtest.Graph) *proxy {
	t.Helper()
	p := &proxy{address: "127.0.0.1:0", target: strings.TrimPrefix(g.Endpoint.URI, "bolt://")}
	p.back(t)
	t.Cleanup(func() { p.away(); p.cut() })
	return p
}

// back listens, at the same port each time.
func (p *proxy) back(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.listener, p.address = listener, listener.Addr().String()
	p.mu.Unlock()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", p.target)
			if err != nil {
				_ = client.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, client, server)
			p.mu.Unlock()
			go pipe(client, server)
			go pipe(server, client)
		}
	}()
}

func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}

// away stops listening.
func (p *proxy) away() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.listener.Close()
}

// cut ends every connection and tells how many there were.
func (p *proxy) cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	n := len(p.conns) / 2
	p.conns = nil
	return n
}
