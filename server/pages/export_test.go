package pages

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"nomograph/graph/graphtest"
)

// SecretOf returns the CSRF token of a client's session, for pages without a form.
func SecretOf(t *testing.T, key []byte, client *http.Client, address string) string {
	t.Helper()
	at := graphtest.Must(url.Parse(address))(t)
	r := &http.Request{Host: at.Host, Header: http.Header{}}
	for _, cookie := range client.Jar.Cookies(at) {
		r.AddCookie(cookie)
	}
	secret := newSessions(key, time.Now).secretOf(r)
	if secret == "" {
		t.Fatal("the session is missing")
	}
	return secret
}

// WithoutLibraries makes new pages behave like those of a build without libraries, until undo.
func WithoutLibraries() (undo func()) {
	had := libraries
	libraries = map[string]string{"Sigma": "none", "graphology": "none"}
	return func() { libraries = had }
}

// WithPreviewTime sets how long a preview may take, until undo.
func WithPreviewTime(limit time.Duration) (undo func()) {
	had := previewTime
	previewTime = limit
	return func() { previewTime = had }
}

// WithCountWait sets how long a page waits for its count after everything else, until undo.
func WithCountWait(limit time.Duration) (undo func()) {
	had := maxCountWait
	maxCountWait = limit
	return func() { maxCountWait = had }
}

// Functions that render stored text.
var (
	Markdown = markdown
	Plain    = plain
	Linkable = linkable
	StepsOf  = stepsOf
)
