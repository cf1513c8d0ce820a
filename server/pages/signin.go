package pages

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"nomograph/fault"
	"nomograph/server"
)

const (
	signInPath  = "/signin"
	signOutPath = "/signout"
)

// inSession sends a request on with the token of its session, as if it had carried it.
func (d *Door) inSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if of, has := d.sessions.of(r); has && of.Token != "" && r.Header.Get("Authorization") == "" {
			r = withToken(r, of.Token)
		}
		next.ServeHTTP(w, r)
	})
}

func withToken(r *http.Request, token string) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// refuse answers whom the server does not let in: a person may sign in.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if !fault.Is(err, fault.Unauthenticated) || r.Method == http.MethodPost {
		d.fail(w, r, err)
		return
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" { // then the browser keeps the session's cookie back; to a page of ours it gives it
		d.renderTemplate(w, "again", http.StatusOK, &shown{Title: "Nomograph", Data: r.URL.RequestURI()})
		return
	}
	http.Redirect(w, r, signInPath+"?"+url.Values{"to": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
}

// signIn shows the form, and tries the token that comes by it.
func (d *Door) signIn(w http.ResponseWriter, r *http.Request) {
	page := &shown{Title: "Sign in", Open: d.options.Open, Data: ownPath(r.FormValue("to"))}
	status := http.StatusOK
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		err := d.enter(w, r)
		if err == nil {
			http.Redirect(w, r, ownPath(r.PostFormValue("to")), http.StatusSeeOther)
			return
		}
		page.Problem, status = fault.From(err), server.Status(err)
	default:
		server.NotAllowed(w, r, "GET, HEAD, POST")
		return
	}
	d.renderTemplate(w, "signin", status, page)
}

func (d *Door) enter(w http.ResponseWriter, r *http.Request) error {
	if err := d.origins.Check(r); err != nil {
		return fault.New(fault.PermissionDenied, "Another site cannot sign anybody in here").WithHint("Open the page itself").Because(err)
	}
	token := strings.TrimSpace(r.PostFormValue("token"))
	if token == "" {
		return fault.New(fault.Validation, "The token is missing").WithHint("`nomograph token create NAME` makes one")
	}
	return d.begin(w, r, token)
}

// begin tries a token, and gives the browser a session with it.
func (d *Door) begin(w http.ResponseWriter, r *http.Request, token string) error {
	who, err := d.options.Settle(withToken(r, token))
	if err != nil {
		return err
	}
	if !d.sessions.begin(w, r, session{Token: token, Until: who.Until}) {
		return fault.New(fault.Validation, "The token is too long for a browser to keep").WithHint("Use one with fewer claims, or a token of `nomograph token create`")
	}
	return nil
}

// signOut ends the session, also where its secret is out of date: whoever can send this has the cookie.
func (d *Door) signOut(w http.ResponseWriter, r *http.Request) {
	if err := d.origins.Check(r); err != nil {
		d.fail(w, r, fault.New(fault.PermissionDenied, "Another site cannot sign anybody out here").Because(err))
		return
	}
	d.sessions.end(w, r)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// ownPath is a path of this server, whatever an address asks for.
func ownPath(path string) string {
	at, err := url.Parse(path)
	if err != nil || at.Scheme != "" || at.Host != "" || at.Opaque != "" || !strings.HasPrefix(at.Path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	return path
}

// safeHTML marks markup that we wrote ourselves.
func safeHTML(text string) template.HTML { return template.HTML(text) } //nolint:gosec // only what this package made of numbers and times
