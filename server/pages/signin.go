package pages

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/server"
)

const (
	signInPath  = "/signin"
	signOutPath = "/signout"
	maxSignIn   = 64 << 10 // bytes of a form from an unauthenticated sender
)

// inSession handles a request with the token of its session, and cancels it when the session is signed out. A request
// of a signed-out session continues without its cookie. If the sign-out state is unknown, refuse answers; a form
// passes on, so that act can reject it and keep its input.
func (d *Server) inSession(next http.Handler, refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of, ok := d.sessions.of(r)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		ctx, leave, err := d.options.Sessions.InSession(r.Context(), of.ID)
		switch {
		case apperr.Is(err, apperr.Unauthenticated):
			r = r.Clone(r.Context())
			r.Header.Del("Cookie")
			next.ServeHTTP(w, r)
			return
		case err != nil && r.Method != http.MethodPost:
			refuse(w, r, err)
			return
		case err != nil:
			ctx, leave = context.WithValue(r.Context(), unknownKey{}, err), func() {}
		}
		defer leave()
		r = r.WithContext(ctx)
		if of.Token != "" && r.Header.Get("Authorization") == "" {
			r = withToken(r, of.Token)
		}
		next.ServeHTTP(w, r)
	})
}

// unknownKey is the context key of the error that made the sign-out state of a session unknown.
type unknownKey struct{}

func withToken(r *http.Request, token string) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// refuse answers an unauthenticated request: people are redirected to the sign-in page.
func (d *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if !apperr.Is(err, apperr.Unauthenticated) || r.Method == http.MethodPost {
		d.fail(w, r, err)
		return
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" { // the browser withholds the SameSite cookie from this request, but sends it after a redirect by our own page
		d.renderTemplate(w, "again", http.StatusOK, &shown{Title: "Nomograph", Data: r.URL.RequestURI()})
		return
	}
	http.Redirect(w, r, signInPath+"?"+url.Values{"to": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
}

// signIn shows the sign-in form and handles the submitted token.
func (d *Server) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	page := &shown{Title: "Sign in", Open: d.options.Unauthenticated, Data: ownPath(r.URL.Query().Get("to"))}
	status := http.StatusOK
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		err := d.enter(w, r)
		page.Data = ownPath(r.PostForm.Get("to"))
		if err == nil {
			http.Redirect(w, r, ownPath(r.PostForm.Get("to")), http.StatusSeeOther)
			return
		}
		page.Problem, status = apperr.From(err), server.Status(err)
	default:
		server.NotAllowed(w, r, "GET, HEAD, POST")
		return
	}
	d.renderTemplate(w, "signin", status, page)
}

func (d *Server) enter(w http.ResponseWriter, r *http.Request) error {
	if !server.SameOrigin(r) {
		return apperr.New(apperr.PermissionDenied, "Another site cannot sign you in here").
			WithHint("Open the sign-in page directly")
	}
	if err := r.ParseForm(); err != nil {
		return server.BodyError(err)
	}
	token := strings.TrimSpace(r.PostForm.Get("token"))
	if token == "" {
		return apperr.New(apperr.Validation, "The token is missing").
			WithHint("Create one with `nomograph token create NAME`")
	}
	return d.begin(w, r, token)
}

// begin checks a token and starts a session with it.
func (d *Server) begin(w http.ResponseWriter, r *http.Request, token string) error {
	who, err := d.options.Authenticate(withToken(r, token))
	if err != nil {
		return err
	}
	if !d.sessions.begin(w, r, session{Token: token, Until: who.Until}) {
		return apperr.New(apperr.Validation, "The token is too long for a cookie").
			WithHint("Use a token with fewer claims, or one of `nomograph token create`")
	}
	return nil
}

// signOut ends the session at every server, also for copies of the cookie. It needs no CSRF token, because the sender
// has the cookie. If the sign-out cannot be stored, the cookie stays.
func (d *Server) signOut(w http.ResponseWriter, r *http.Request) {
	if !server.SameOrigin(r) {
		d.fail(w, r, apperr.New(apperr.PermissionDenied, "Another site cannot sign you out here").
			WithHint("Sign out on the page itself"))
		return
	}
	if of, ok := d.sessions.of(r); ok {
		if err := d.options.Sessions.SignOut(r.Context(), of.ID, of.Until); err != nil {
			d.fail(w, r, err)
			return
		}
	}
	set(w, r, cookieName(r), "", -1)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// ownPath returns path if it is a path on this server, and "/" otherwise.
func ownPath(path string) string {
	at, err := url.Parse(path)
	if err != nil || at.Scheme != "" || at.Host != "" || at.Opaque != "" || !strings.HasPrefix(at.Path, "/") ||
		strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	return path
}

// safeHTML marks markup as trusted.
func safeHTML(text string) template.HTML {
	return template.HTML(text)
} //nolint:gosec // only markup built in this package from numbers and times
