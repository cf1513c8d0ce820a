package check_test

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

// TestCheck_DatabaseLostBeforeRecording_Denies: all rules hold, and the connection breaks when the verdict is sent.
func TestCheck_DatabaseLostBeforeRecording_Denies(t *testing.T) {
	g, direct := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'fine', active: true, requires: 'true'})`)
	if v, err := direct.Checks.Check(t.Context(), check.ActionCheck{Description: "before"}); err != nil || !v.Allowed {
		t.Fatalf("got %+v %v, want Allowed=true", v, err)
	}
	listener := graphtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	var cut atomic.Bool
	go relay(listener, strings.TrimPrefix(g.Endpoint.URI, "bolt://"), []byte("MERGE (v:Verdict"), &cut)
	db := graph.Open(graph.Options{URI: "bolt://" + listener.Addr().String(), Username: g.Endpoint.Username,
		Password: g.Endpoint.Password,
		Database: g.Endpoint.Database, Log: zerolog.Nop()})
	defer func() { _ = db.Close(t.Context()) }()

	v, err := toolstest.App(t, db).Checks.Check(t.Context(), check.ActionCheck{Description: "cut off"})
	if f := apperr.From(err); !cut.Load() || f == nil || f.Code != apperr.Unavailable || f.Allowed == nil ||
		*f.Allowed || v.Allowed {
		t.Errorf("cut %v: %+v %v", cut.Load(), v, err)
	}
	golden.Equal(t, "stored verdicts", len(g.Rows(t, "MATCH (v:Verdict {description: 'cut off'}) RETURN v", nil)), 0)
}

// relay forwards connections until one of them sends the mark. Then it closes all connections and accepts no more.
func relay(listener net.Listener, to string, mark []byte, cut *atomic.Bool) {
	for {
		from, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", to)
		if err != nil || cut.Load() {
			_ = from.Close()
			continue
		}
		go func() { _, _ = io.Copy(from, server) }()
		go func() {
			defer func() { _, _ = from.Close(), server.Close() }()
			buffer := make([]byte, 64<<10)
			for {
				n, err := from.Read(buffer)
				if bytes.Contains(buffer[:n], mark) {
					cut.Store(true)
					_ = listener.Close()
					return
				}
				if err != nil {
					return
				}
				if _, err := server.Write(buffer[:n]); err != nil {
					return
				}
			}
		}()
	}
}
