package pages

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tools"
)

// Options say what is served.
type Options struct {
	Operations []tools.Operation
	// Key is what sessions are sealed with, so that every server that has it knows them; empty: one of this process, whose sessions end
	// with it.
	Key []byte
	// Open tells that the server asks nobody who he is: then a page changes something only for a visitor whom `nomograph open` sent.
	Open bool
	// Settle tells who sends a request, as server.Options has it: whoever signs in is tried by it.
	Settle func(*http.Request) (caller.Caller, error)
	// Sessions knows which sessions were signed out.
	Sessions Sessions
	// Provider is where people can sign in; nil: nowhere but here, with a token.
	Provider Provider
	// Live tells of events; nil: nothing does.
	Live    http.Handler
	Version string
	Log     zerolog.Logger
}

// Door serves the pages.
type Door struct {
	runner     tools.Runner
	pages      []Page
	operations []tools.Operation
	options    Options
	sessions   *sealedSessions
	assets     *assets
	templates  map[string]*template.Template
}

// Sessions is what all servers know of the sessions of browsers; see tokens.Register.
type Sessions interface {
	InSession(ctx context.Context, session string) (_ context.Context, leave func(), err error)
	SignOut(ctx context.Context, session string, until time.Time) error
}

// doorName is what calls of operations are counted and traced under.
const doorName = caller.Pages

// New gives the door. It panics where a template is wrong, which is part of the program.
func New(runner tools.Runner, o Options) *Door {
	d := &Door{runner: runner, pages: table, operations: o.Operations, options: o, sessions: newSessions(o.Key, time.Now), assets: readAssets()}
	d.templates = d.parse()
	return d
}

// Serve puts the pages into a server.
func (d *Door) Serve(s *server.Server) {
	for i := range d.pages {
		page := &d.pages[i]
		path := page.Path
		if path == "/" {
			path = "/{$}"
		}
		s.Public(path, d.entered(s.Known(d.show(page), d.refuse)))
		for name, more := range page.More {
			s.Public("GET "+strings.TrimSuffix(page.Path, "/")+"/"+name, d.entered(s.Known(d.more(page, more), d.refuse)))
		}
	}
	nowhere := func(w http.ResponseWriter, r *http.Request, _ error) {
		d.fail(w, r, server.NothingAt(r).WithHint("Check the address or open the home page"))
	}
	known := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { nowhere(w, d.visit(r, nil).Request, nil) })
	s.Nowhere(d.dressed(d.inSession(s.Known(known, nowhere), d.fail)))
	s.Public(signInPath, d.dressed(http.HandlerFunc(d.signIn)))
	if d.options.Provider != nil {
		s.Public("GET "+providerPath, d.dressed(http.HandlerFunc(d.toProvider)))
		s.Public("GET "+callbackPath, d.dressed(http.HandlerFunc(d.fromProvider)))
	}
	s.Public("POST "+signOutPath, d.dressed(http.HandlerFunc(d.signOut)))
	s.Public("GET "+OwnPath, http.HandlerFunc(d.own))
	s.Public("GET "+assetsPath+"{version}/{name}", server.Compressed(http.HandlerFunc(d.assets.serve)))
	if d.options.Live != nil {
		s.Public("GET /live", d.inSession(s.Known(d.options.Live, server.Refuse), server.Refuse))
	}
}

// policy lets a page load scripts and styles of its own server, ask it and post to it, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// dressed gives an answer the headers that keep a page to itself.
// Paths are the patterns of all pages and of the parts that pages load, so that a test can look at each.
func (d *Door) Paths() []string {
	var paths []string
	for _, page := range d.pages {
		paths = append(paths, page.Path)
		for name := range page.More {
			paths = append(paths, strings.TrimSuffix(page.Path, "/")+"/"+name)
		}
	}
	return paths
}

func (d *Door) dressed(next http.Handler) http.Handler {
	return server.Compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "same-origin") // with none at all, forms would post without an origin
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		next.ServeHTTP(w, r)
	}))
}

// entered takes an invitation, and sends a request on as whom its session says.
func (d *Door) entered(next http.Handler) http.Handler {
	next = d.inSession(next, d.fail)
	return d.dressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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

// invited begins a session for whoever has the word that `nomograph open` gave, and leads to the page without it. Only a browser that shows the
// page uses up the word. A HEAD, a fetch ahead of time and the preview of a link get a button that does.
func (d *Door) invited(w http.ResponseWriter, r *http.Request, query url.Values) {
	if d.options.Open && r.Method != http.MethodPost && (r.Method != http.MethodGet || !server.IsNavigation(r)) {
		d.renderTemplate(w, "invited", http.StatusOK, &shown{Title: "Nomograph", Data: r.URL.RequestURI()})
		return
	}
	invitation := query.Get(invitationField)
	query.Del(invitationField)
	to := (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
	if d.options.Open {
		if name, good := d.sessions.accept(invitation, r.Host); good {
			d.sessions.begin(w, r, session{Name: name, Local: true})
		} else if _, ok := d.sessions.of(r); !ok {
			d.fail(w, r, apperr.New(apperr.PermissionDenied, "The address was already used or has expired").WithHint("Get a new address with `nomograph open`. Reading pages needs no such address"))
			return
		}
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// show answers a request for a page.
func (d *Door) show(page *Page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := d.visit(r, page)
		if r.Method != http.MethodPost {
			d.render(w, v, nil)
			return
		}
		to, err := d.act(v)
		switch {
		case apperr.Is(err, apperr.PermissionDenied) && v.PostForm == nil: // it came from elsewhere: nothing of it is shown
			d.fail(w, r, err)
		case err != nil || to == stay:
			d.render(w, v, err)
		case to == "":
			http.Redirect(w, r, v.URL.RequestURI(), http.StatusSeeOther)
		default:
			http.Redirect(w, r, to, http.StatusSeeOther)
		}
	})
}

// act does what a form asks for. It returns permission_denied for one that did not come from a page of this session.
func (d *Door) act(v *Visit) (string, error) {
	if err := v.ParseForm(); err != nil {
		return "", server.BodyFault(err)
	}
	if !d.sessions.isSecret(v.Request, v.Form(secretField)) {
		v.PostForm = nil
		if d.options.Open {
			return "", apperr.New(apperr.PermissionDenied, "Nothing was changed: the page was not opened with `nomograph open`, or its access expired").
				WithHint("Run `nomograph open` and try again")
		}
		return "", apperr.New(apperr.PermissionDenied, "Nothing was changed: your session has ended").WithHint("Sign in and try again")
	}
	if err, unknown := v.Context().Value(unknownKey{}).(error); unknown {
		return "", err
	}
	act, known := v.page.Acts[v.Form("act")]
	if !known {
		return "", apperr.Newf(apperr.NotFound, "Unknown page action %q", v.Form("act")).WithHint("Reload the page")
	}
	return act(v)
}

func (d *Door) more(page *Page, more func(*Visit) (Answer, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := d.visit(r, page)
		answer, err := more(v)
		switch {
		case err != nil && server.ForPerson(r): // who follows a link to a file
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

// fileName leaves of a name what every system takes in one.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
}

// visitor is what a caller is called whom nobody named.
const visitor = "browser"

func (d *Door) visit(r *http.Request, page *Page) *Visit {
	who := caller.From(r.Context())
	who.Door = doorName
	if !who.Proven && who.Name == "" {
		who.Name = visitor
		if s, ok := d.sessions.of(r); ok && s.Name != "" {
			who.Name = s.Name
		}
	}
	r = r.WithContext(caller.With(r.Context(), who))
	return &Visit{Request: r, door: d, page: page, query: r.URL.Query()}
}

// mayChange tells whether a visitor is one whom another site cannot send.
func (v *Visit) mayChange() bool {
	s, ok := v.door.sessions.of(v.Request)
	return ok && s.Local == v.door.options.Open
}
