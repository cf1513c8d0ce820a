package pages

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tools"
)

// Options configures the pages.
type Options struct {
	Operations []tools.Operation
	// Key seals sessions. Servers with the same key accept each other's sessions. If it is empty, a random key is used
	// and sessions end with the process.
	Key []byte
	// Unauthenticated is true if the server has no authentication. Then only visitors that came through `nomograph
	// open` can change anything.
	Unauthenticated bool
	// Authenticate authenticates a request, like server.Options.Authenticate. Sign-in checks tokens with it.
	Authenticate func(*http.Request) (caller.Caller, error)
	// Sessions stores which sessions were signed out.
	Sessions Sessions
	// Provider is the OpenID provider for sign-in. If nil, people sign in with tokens only.
	Provider Provider
	// Live serves events; may be nil.
	Live    http.Handler
	Version string
	Log     zerolog.Logger
}

// Server serves the pages.
type Server struct {
	runner    operator
	pages     []Page
	options   Options
	sessions  *sealedSessions
	assets    *assets
	templates map[string]*template.Template
	counts    *sync.Map // by caller, what it may decide
	hubs      *sync.Map // by caller, where the graph page starts
}

// Sessions stores sign-outs for all servers; see tokens.Register.
type Sessions interface {
	InSession(ctx context.Context, session string) (_ context.Context, leave func(), err error)
	SignOut(ctx context.Context, session string, until time.Time) error
}

// transportName is the transport name under which operation calls are counted and traced.
const transportName = caller.Pages

// New returns the pages. It panics if an embedded template is invalid.
func New(runner tools.Runner, o Options) *Server {
	d := &Server{runner: runner, pages: table, options: o, sessions: newSessions(o.Key, time.Now), assets: readAssets(),
		counts: new(sync.Map), hubs: new(sync.Map)}
	d.templates = d.parse()
	return d
}

// Serve registers the routes of the pages with a server.
func (d *Server) Serve(s *server.Server) {
	views := map[string][]*Page{}
	for i := range d.pages {
		page := &d.pages[i]
		path, _ := page.at()
		views[path] = append(views[path], page)
		for name, more := range page.More {
			s.Public("GET "+strings.TrimSuffix(path, "/")+"/"+name,
				d.withInvitation(s.RequireCaller(d.more(page, more), d.refuse)))
		}
	}
	for path, pages := range views {
		if path == "/" {
			path = "/{$}"
		}
		s.Public(path, d.withInvitation(s.RequireCaller(d.show(pages), d.refuse)))
	}
	for from, to := range tabbed(movedFile) {
		s.Public(from, d.withInvitation(redirect(to)))
	}
	notFound := func(w http.ResponseWriter, r *http.Request, _ error) {
		d.fail(w, r, apperr.Newf(apperr.NotFound, "No page has the address %s", r.URL.Path).
			WithHint("Check the address, or search for what you expected here"))
	}
	known := http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		notFound(w, d.visit(r, nil).Request, nil)
	})
	s.NotFoundPage(d.withHeaders(d.inSession(s.RequireCaller(known, notFound), d.fail)))
	s.Public(signInPath, d.withHeaders(http.HandlerFunc(d.signIn)))
	if d.options.Provider != nil {
		s.Public("GET "+providerPath, d.withHeaders(http.HandlerFunc(d.toProvider)))
		s.Public("GET "+callbackPath, d.withHeaders(http.HandlerFunc(d.fromProvider)))
	}
	s.Public("POST "+signOutPath, d.withHeaders(http.HandlerFunc(d.signOut)))
	s.Public("GET "+OwnPath, http.HandlerFunc(d.own))
	s.Public("GET "+assetsPath+"{version}/{name}", server.Compressed(http.HandlerFunc(d.assets.serve)))
	if d.options.Live != nil {
		s.Public("GET /live", d.inSession(s.RequireCaller(d.options.Live, server.Refuse), server.Refuse))
	}
}

// policy is the content security policy. A page may load scripts, styles and data from its own server and post to it,
// and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Paths returns the patterns of all pages and of their additional routes. Tests iterate over it.
func (d *Server) Paths() []string {
	var paths []string
	for _, page := range d.pages {
		path, _ := page.at()
		paths = append(paths, page.Path)
		for name := range page.More {
			paths = append(paths, strings.TrimSuffix(path, "/")+"/"+name)
		}
	}
	return paths
}

// withHeaders sets the security headers of pages.
func (d *Server) withHeaders(next http.Handler) http.Handler {
	return server.Compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers post forms with a null Origin
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		next.ServeHTTP(w, r)
	}))
}

// withInvitation accepts an invitation, and otherwise handles a request as the caller of its session.
func (d *Server) withInvitation(next http.Handler) http.Handler {
	next = d.inSession(next, d.fail)
	return d.withHeaders(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch query := r.URL.Query(); {
		case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
			server.NotAllowed(w, r, "GET, HEAD, POST")
		case query.Has(invitationField):
			d.invited(w, r, query)
		default:
			next.ServeHTTP(w, r)
		}
	}))
}

// invited starts a session for a valid invitation of `nomograph open` and redirects to the page without it. Only a
// browser navigation uses up the invitation. HEAD requests, prefetches and link previews get a page with a button
// instead.
func (d *Server) invited(w http.ResponseWriter, r *http.Request, query url.Values) {
	if d.options.Unauthenticated && r.Method != http.MethodPost &&
		(r.Method != http.MethodGet || !server.IsNavigation(r)) {
		d.renderTemplate(w, "invited", http.StatusOK, &shown{Title: "Nomograph", Data: r.URL.RequestURI()})
		return
	}
	invitation := query.Get(invitationField)
	query.Del(invitationField)
	to := (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
	if d.options.Unauthenticated {
		if name, good := d.sessions.accept(invitation, r.Host); good {
			d.sessions.begin(w, r, session{Name: name, Local: true})
		} else if _, ok := d.sessions.of(r); !ok {
			d.fail(w, r, apperr.New(apperr.PermissionDenied, "The address was already used or has expired").
				WithHint("Get a new address with `nomograph open`. Reading pages needs no such address"))
			return
		}
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// redirect leads from a former address to its page, with its parameters. What /impact shows is now a view of the page
// of its subject.
func redirect(to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, view, _ := strings.Cut(to, "?view=")
		query := r.URL.Query()
		if r.URL.Path == "/impact" {
			view = "impact"
			if id := query.Get(decisionKind); id != "" {
				path = objectPath("/decisions", id)
			}
			for _, kind := range []string{policyKind, thresholdKind} {
				if name := query.Get(kind); name != "" {
					path = "/" + kind
					query.Set("name", name)
				}
				query.Del(kind)
			}
			query.Del(decisionKind)
		}
		if view != "" {
			query.Set("view", view)
		}
		status := http.StatusMovedPermanently
		if r.Method == http.MethodPost { // a form of a page that is still open
			status = http.StatusPermanentRedirect
		}
		if text := query.Encode(); text != "" {
			path += "?" + text
		}
		http.Redirect(w, r, path, status)
	})
}

// show handles requests for a page, in the view that the address selects.
func (d *Server) show(views []*Page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := views[0]
		for _, p := range views {
			if _, view := p.at(); view == r.URL.Query().Get("view") {
				page = p
			}
		}
		v := d.visit(r, page)
		if r.Method != http.MethodPost {
			if page.List != nil && v.query.Has("format") {
				d.more(page, func(v *Visit) (Answer, error) { return v.file(page.List) }).ServeHTTP(w, r)
				return
			}
			d.render(w, v, nil)
			return
		}
		to, err := d.act(v)
		d.counts.Clear()
		switch {
		case apperr.Is(err, apperr.PermissionDenied) && v.PostForm == nil: // a forged request: show nothing of its form
			d.fail(w, r, err)
		case err != nil || to == unchanged:
			w.Header().Set("Cache-Control", "no-store") // it may show a new secret
			d.render(w, v, err)
		case to == "":
			http.Redirect(w, r, v.URL.RequestURI(), http.StatusSeeOther)
		default:
			http.Redirect(w, r, to, http.StatusSeeOther)
		}
	})
}

// act runs the act of a posted form. It returns permission_denied if the form does not come from a page of this
// session.
func (d *Server) act(v *Visit) (string, error) {
	if err := v.ParseForm(); err != nil {
		return "", server.BodyError(err)
	}
	if !d.sessions.isSecret(v.Request, v.Form(secretField)) {
		v.PostForm = nil
		if d.options.Unauthenticated {
			return "", apperr.New(apperr.PermissionDenied,
				"Nothing was changed: the page was not opened with `nomograph open`, or its access expired").
				WithHint("Run `nomograph open` and try again")
		}
		return "", apperr.New(apperr.PermissionDenied, "Nothing was changed: your session has ended").
			WithHint("Sign in and try again")
	}
	if err, unknown := v.Context().Value(unknownKey{}).(error); unknown {
		return "", err
	}
	act, ok := v.page.Acts[v.Form("act")]
	if !ok {
		return "", apperr.Newf(apperr.NotFound, "Unknown page action %q", v.Form("act")).WithHint("Reload the page")
	}
	return act(v)
}

func (d *Server) more(page *Page, more func(*Visit) (Answer, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := d.visit(r, page)
		answer, err := more(v)
		switch {
		case err != nil && server.ForPerson(r): // a person who followed a link to a file
			d.fail(w, v.Request, err)
			return
		case err != nil:
			server.Refuse(w, r, err)
			return
		}
		w.Header().Set("Content-Type", answer.Kind)
		if answer.Name != "" {
			w.Header().Set("Content-Disposition", `attachment; filename="`+fileName(answer.Name)+`"`)
		}
		_, _ = w.Write(answer.Body)
	})
}

// fileName replaces characters that some operating systems do not allow in file names.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
}

// visitor is the caller name of visitors without a name.
const visitor = "browser"

func (d *Server) visit(r *http.Request, page *Page) *Visit {
	who := caller.From(r.Context())
	who.Transport = transportName
	if !who.Authenticated && who.Name == "" {
		who.Name = visitor
		if s, ok := d.sessions.of(r); ok && s.Name != "" {
			who.Name = s.Name
		}
	}
	r = r.WithContext(caller.With(r.Context(), who))
	return &Visit{Request: r, server: d, page: page, query: r.URL.Query(), reads: new(reads)}
}

// mayChange reports whether the request belongs to a session that may change something, so that another site cannot
// have sent it.
func (v *Visit) mayChange() bool {
	s, ok := v.server.sessions.of(v.Request)
	return ok && s.Local == v.server.options.Unauthenticated
}
