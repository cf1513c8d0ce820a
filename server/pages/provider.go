package pages

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"time"

	"nomograph/internal/apperr"
	"nomograph/server"
)

// Provider is an OpenID provider for sign-in.
type Provider interface {
	// SignInURL returns the provider's URL for the browser. back is the redirect URL.
	SignInURL(ctx context.Context, back, state, verifier string) (string, error)
	// ExchangeCode exchanges the code of a redirect for a token.
	ExchangeCode(ctx context.Context, back, code, verifier string) (string, error)
}

const (
	providerPath  = signInPath + "/provider"
	callbackPath  = signInPath + "/callback"
	signinTimeout = 10 * time.Minute // time to sign in at the provider
)

// toProvider redirects a browser to the provider. A cookie stores the state and verifier that the redirect back must
// match.
func (d *Server) toProvider(w http.ResponseWriter, r *http.Request) {
	if rejectPrefetch(w, r) || d.cameFromElsewhere(w, r) {
		return
	}
	sent := session{State: rand.Text(), Verifier: rand.Text() + rand.Text(), To: ownPath(r.URL.Query().Get("to")),
		Until: time.Now().Add(signinTimeout)}
	to, err := d.options.Provider.SignInURL(r.Context(), server.BaseURL(r)+callbackPath, sent.State, sent.Verifier)
	if err == nil && !d.sessions.begin(w, r, sent) {
		err = apperr.New(apperr.Validation, "The address of the target page is too long").
			WithHint("Sign in from the home page")
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// fromProvider handles the redirect back from the provider and signs the person in.
func (d *Server) fromProvider(w http.ResponseWriter, r *http.Request) {
	if rejectPrefetch(w, r) || d.cameFromElsewhere(w, r) {
		return
	}
	query := r.URL.Query()
	sent, ok := d.sessions.sent(r)
	if !ok || subtle.ConstantTimeCompare([]byte(sent.State), []byte(query.Get("state"))) != 1 {
		d.fail(w, r, apperr.New(apperr.PermissionDenied, "This sign-in did not start here, or it took too long").
			WithHint("Sign in again: %s", signInPath))
		return
	}
	if query.Get("code") == "" {
		d.fail(w, r, apperr.New(apperr.Unauthenticated, "The provider did not sign you in").
			WithHint("Sign in again: %s", signInPath))
		return
	}
	token, err := d.options.Provider.ExchangeCode(r.Context(), server.BaseURL(r)+callbackPath, query.Get("code"),
		sent.Verifier)
	if err == nil {
		err = d.begin(w, r, token)
	}
	set(w, r, sentCookie(r), "", -1)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	http.Redirect(w, r, sent.To, http.StatusSeeOther)
}

// rejectPrefetch rejects prefetch and HEAD requests, which must not use up a code or a state. It reports whether it
// answered the request.
func rejectPrefetch(w http.ResponseWriter, r *http.Request) bool {
	ahead := r.Method == http.MethodHead || r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != ""
	if ahead {
		// the browser then repeats the request when the person navigates to it
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	return ahead
}

// cameFromElsewhere answers a request that came from another site with a page that reloads the same address once. The
// browser withholds SameSite cookies from the first request and sends them with the second. It reports whether it
// answered the request.
func (d *Server) cameFromElsewhere(w http.ResponseWriter, r *http.Request) bool {
	const again = "again"
	if site := r.Header.Get("Sec-Fetch-Site"); site != "cross-site" && site != "same-site" || r.URL.Query().Has(again) {
		return false
	}
	to := *r.URL
	query := to.Query()
	query.Set(again, "1")
	d.renderTemplate(w, "again", http.StatusOK, &shown{Title: "Nomograph",
		Data: (&url.URL{Path: to.Path, RawQuery: query.Encode()}).String()})
	return true
}
