package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

func TestOpen_UnusableServer_NamesReason(t *testing.T) {
	const secret = "hunter2-secret"
	g := graphtest.New(t)
	address := strings.TrimPrefix(g.Endpoint.URI, "bolt://")
	const unused = "127.0.0.1:1"
	tests := map[string]struct {
		change        func(*graph.Options)
		message, hint string
	}{
		"a wrong password": {func(o *graph.Options) { o.Password = secret }, "The database at " +
			g.Endpoint.URI + " refused the user name or password", "NEO4J_PASSWORD"},
		"an unknown user": {func(o *graph.Options) { o.Username, o.Password = "nobody", secret },
			"refused the user name or password", "NEO4J_USERNAME"},
		"nobody listens": {func(o *graph.Options) { o.URI, o.Password = "bolt://"+unused, secret },
			"No Neo4j answers at bolt://" + unused, "NEO4J_URI"},
		"nobody routes": {func(o *graph.Options) { o.URI, o.Password = "neo4j://"+unused, secret },
			"No Neo4j answers at neo4j://" + unused, "NEO4J_URI"},
		"an unknown database": {func(o *graph.Options) { o.Database = "elsewhere" },
			`Database "elsewhere" not found at ` + g.Endpoint.URI, "NEO4J_DATABASE"},
		"an address without scheme": {func(o *graph.Options) { o.URI = address }, "is not a Neo4j address",
			"bolt://host:7687"},
		"another scheme": {func(o *graph.Options) { o.URI = "https://example.com" },
			`NEO4J_URI "https://example.com" is not a Neo4j address`, "bolt://host:7687"},
		"no address at all": {func(o *graph.Options) { o.URI = "::no uri::" },
			`NEO4J_URI "::no uri::" is not a Neo4j address`, "bolt://host:7687"},
		"a password in the address": {func(o *graph.Options) { o.URI = "bolt://neo4j:" + secret + "@" + unused }, "",
			"NEO4J"},
		"one in a broken address": {func(o *graph.Options) { o.URI = "ftp://neo4j:" + secret + "@" + unused },
			"is not a Neo4j address", "bolt://host:7687"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			db := open(t, g, tt.change)
			began := time.Now()
			_, err := db.Connect(t.Context())
			got := wantError(t, err, apperr.Unavailable)
			if !strings.Contains(got.Message, tt.message) || !strings.Contains(got.Hint, tt.hint) {
				t.Errorf("%s. %s\nwant %s", got.Message, got.Hint, tt.message)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("the call took %v", took)
			}
			shown, _ := json.Marshal(got)
			for _, text := range []string{err.Error(), string(shown), fmt.Sprint(got.Unwrap())} {
				if strings.Contains(text, secret) || strings.Contains(text, g.Endpoint.Password) {
					t.Errorf("the password is in %s", text)
				}
			}
			// Each call connects again.
			if _, err := graph.All[struct{}](t.Context(), db, statement("RETURN 1 AS one"),
				nil); name == "nobody listens" {
				wantError(t, err, apperr.Unavailable)
			}
		})
	}
}

func TestOpen_NotNeo4j_IsUnavailable(t *testing.T) {
	listener := graphtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	db := graph.Open(graph.Options{URI: "bolt://" + listener.Addr().String(), Username: "neo4j",
		Password: "hunter2-secret"})
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	_, err := db.Connect(t.Context())
	got := wantError(t, err, apperr.Unavailable)
	if !strings.Contains(got.Message, listener.Addr().String()) || got.Hint == "" ||
		strings.Contains(got.Error(), "hunter2") {
		t.Error(got.Error())
	}
}

func TestConnect_CallerLeaves_AttemptContinues(t *testing.T) {
	g := graphtest.New(t)
	db := open(t, g, nil)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := db.Connect(gone)
	wantError(t, err, apperr.Unavailable)
	if _, err := db.Connect(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestConnect_ConcurrentCalls_ShareOneAttempt(t *testing.T) {
	g := graphtest.New(t)
	db := open(t, g, nil)
	db.Begin()
	errs := make(chan error, 20)
	for range cap(errs) {
		go func() {
			_, err := graph.One[struct{ One int }](t.Context(), db, statement("RETURN 1 AS one"), nil)
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := graphtest.Receive(t, "a call is answered", errs); err != nil {
			t.Error(err)
		}
	}
	if err := db.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestManagedEngine_Settings_AreNotWeak(t *testing.T) {
	weak, err := graphtest.New(t).UnsafeSettings(t.Context())
	if err != nil || len(weak) != 0 {
		t.Errorf("got %v %v, want length 0", weak, err)
	}
}
