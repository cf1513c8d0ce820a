package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"nomograph/client"
	"nomograph/events"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

// stream answers with events and breaks off.
func stream(text string) func(http.ResponseWriter) {
	return with(200, "retry: 1\nid: begin\n\n"+text, "Content-Type", "text/event-stream")
}

func TestFollow_LostConnection_Resumes(t *testing.T) {
	gone := with(410, `{"error": "not_found", "message": "Events after then are no longer available"}`)
	a, address := serve(t,
		stream(""),
		stream(":\n\nid: one~x\nevent: verdict.given\ndata: {\"id\": \"one\", \"type\": \"verdict.given\", \"verdict\": {\"allowed\": true}}\n\n"),
		with(503, `{"error": "unavailable", "message": "No Neo4j answers"}`), cut,
		stream(":\nid: beat\n\nid: two\nevent: threshold.changed\ndata: {\"id\": \"two\", \"change\": {\"name\": \"x\", \"kind\": \"applied\"}}\n\nid: half\ndata: {\"id\": \"half\""),
		gone)
	c := newClient(t, client.Options{URL: address, Token: "secret"})
	var shown, away []string
	opened := 0
	err := c.Follow(t.Context(), client.Events{Query: url.Values{"type": {"verdict", "threshold"}},
		OnOpen:       func() error { opened++; return nil },
		OnEvent:      func(e *events.Event) error { shown = append(shown, e.ID); return nil },
		OnDisconnect: func(err error) { away = append(away, string(apperr.From(err).Code)) }})
	if !apperr.Is(err, apperr.NotFound) || !slices.Equal(shown, []string{"one", "two"}) || opened != 3 ||
		len(away) != 1 {
		t.Errorf("%v: got %v, opened %d times, away %v, want error %s, shown=%v, opened=3, len(away)=1", err, shown,
			opened, away, apperr.NotFound, []string{"one", "two"})
	}
	var after []string
	for _, r := range a.requests {
		after = append(after, r.Header.Get("Last-Event-ID"))
		if r.URL.Path != "/api/v1/events" || r.URL.RawQuery != "type=verdict&type=threshold" ||
			r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("got the request %s with %v", r.URL, r.Header)
		}
	}
	graphtest.Equal(t, after, []string{"", "begin", "one~x", "one~x", "one~x", "two"}, "the last id")
}

func TestFollow_CanceledContext_Ends(t *testing.T) {
	_, address := serve(t, with(403, `{"error": "permission_denied", "message": "Events need the permission read"}`))
	silent := client.Events{OnEvent: func(*events.Event) error { return nil }, OnDisconnect: func(error) {}}
	graphtest.HasCode(t, newClient(t, client.Options{URL: address}).
		Follow(t.Context(), silent), apperr.PermissionDenied, "refused")
	graphtest.HasCode(t, newClient(t, client.Options{URL: "http://127.0.0.1:1"}).
		Follow(t.Context(), silent), apperr.Unavailable, "without a server")
	_, address = serve(t, stream("data: {}\n\n"))
	enough := errors.New("enough")
	full := client.Events{OnEvent: func(*events.Event) error { return enough }, OnDisconnect: func(error) {}}
	if err := newClient(t, client.Options{URL: address}).Follow(t.Context(), full); !errors.Is(err, enough) {
		t.Errorf("the stream ended by its reader: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	silent.OnOpen = func() error { cancel(); return nil }
	graphtest.OK(t, newClient(t, client.Options{URL: address}).Follow(ctx, silent))
	_, address = serve(t, with(200, `{}`, "Content-Type", "application/json"))
	graphtest.HasCode(t, newClient(t, client.Options{URL: address}).
		Follow(t.Context(), silent), apperr.Unavailable, "of a stranger")
}
