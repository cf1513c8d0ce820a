package pages

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// SecretOf gives what the forms carry of the session that a client has, on a page that shows no form.
func SecretOf(t *testing.T, key []byte, client *http.Client, address string) string {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	r := &http.Request{Host: at.Host, Header: http.Header{}}
	for _, cookie := range client.Jar.Cookies(at) {
		r.AddCookie(cookie)
	}
	secret := newSessions(key, time.Now).secretOf(r)
	if secret == "" {
		t.Fatal("there is no session")
	}
	return secret
}

// WithoutLibraries makes doors that are made from now on those of a build that has no libraries, until it is undone.
func WithoutLibraries() (undo func()) {
	had := libraries
	libraries = map[string]string{"Sigma": "none", "graphology": "none", "uPlot": "none"}
	return func() { libraries = had }
}

// What templates make of recorded text.
var (
	Markdown = markdown
	Plain    = plain
	Linkable = linkable
)
