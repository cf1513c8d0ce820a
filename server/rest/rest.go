package rest

import (
	"net/http"
	"net/url"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tools"
)

// Options say what is served.
type Options struct {
	Version    string
	Operations []tools.Operation
	// Beside are routes of other transports for the description, for callers who may read.
	Beside []OtherRoute
}

// OtherRoute is a route that is not an operation.
type OtherRoute struct {
	Path, Method string
	Tag, Use     string         // group in the description, and the description of that group
	Operation    map[string]any // as in OpenAPI, without its tags
}

// Server serves operations as resources.
type Server struct {
	runner  tools.Runner
	options Options
	routes  []*route
	checks  map[string]bool // paths of policy checks
	mux     *http.ServeMux
}

// prefix precedes the paths that operations declare.
const prefix = "/api"

// readMethods are the methods of read operations.
const readMethods = "GET, HEAD"

// New returns the endpoint. It panics on an invalid path in an operation.
func New(runner tools.Runner, o Options) *Server {
	d := &Server{runner: runner, options: o, checks: map[string]bool{}, mux: http.NewServeMux()}
	for _, operation := range o.Operations {
		route := routeOf(operation)
		d.routes = append(d.routes, route)
		if operation.FailsClosed {
			d.checks[route.path], d.checks[prefix+"/v1/tools/"+operation.Name] = true, true
		}
		d.mux.Handle(route.method+" "+route.path, d.call(route))
	}
	d.mux.HandleFunc("POST "+prefix+"/v1/tools/{tool}", d.callByName)
	return d
}

// Serve adds the routes to a server. The page for people contains nothing that depends on its reader; it calls the API
// as its reader.
func (d *Server) Serve(s *server.Server) {
	s.FailsClosed(func(r *http.Request) bool { return d.checks[r.URL.Path] })
	s.Handle(prefix+"/v1/", server.Compressed(d))
	s.Handle("/openapi.json", server.Compressed(server.Only(readMethods, d.serveJSON)))
	s.Handle("/openapi.yaml", server.Compressed(server.Only(readMethods, d.serveYAML)))
	d.servePage(s)
}

// ServeHTTP answers a call.
func (d *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler, pattern := d.mux.Handler(r); pattern == "" {
		d.notFound(w, r, handler)
		return
	}
	d.mux.ServeHTTP(w, r)
}

// notFound answers requests without a handler: it says whether another method has one.
func (d *Server) notFound(w http.ResponseWriter, r *http.Request, body http.Handler) {
	out := server.NewRecorded()
	body.ServeHTTP(out, r)
	if out.Status == http.StatusMethodNotAllowed {
		server.NotAllowed(w, r, out.Header().Get("Allow"))
		return
	}
	server.Refuse(w, r, apperr.Newf(apperr.NotFound, "%s not found", r.URL.Path).
		WithHint("See the paths in /openapi.json"))
}

// through marks a request of this transport. An unauthenticated caller may name itself, as MCP clients do.
func through(r *http.Request) *http.Request {
	who := caller.From(r.Context())
	who.Transport = "rest"
	if name := agentOf(r.Header); !who.Authenticated && who.Name == "" {
		who.Name = name
	}
	ctx := caller.With(r.Context(), who)
	if r.Header.Get(asksHeader) != "" {
		ctx = tools.WithAsker(ctx, tools.DeferredAsker{})
	}
	return r.WithContext(ctx)
}

// asksHeader says that a person sends the request: a question of the operation is returned as an error.
const asksHeader = "X-Nomograph-Asks"

// agentHeader names the acting agent, percent-encoded, if no token does.
const agentHeader = "X-Nomograph-Agent"

// agentOf returns the agent name of a request; "" for none or an invalid one.
func agentOf(h http.Header) string {
	name, err := url.QueryUnescape(h.Get(agentHeader))
	if err != nil || caller.NameProblem(name) != "" {
		return ""
	}
	return strings.TrimSpace(name)
}

// route is an operation at its method and path.
type route struct {
	operation    tools.Operation
	method, path string
	inPath       []string // arguments in the path
	document     string   // output field with a text of its own
}

func routeOf(o tools.Operation) *route {
	method, path, _ := strings.Cut(o.REST, " ")
	rt := &route{operation: o, method: method, path: prefix + path, document: o.CLI.Document}
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			rt.inPath = append(rt.inPath, strings.TrimSuffix(name, "}"))
		}
	}
	return rt
}

// inQuery reports whether arguments outside of the path are in the query. A body with GET or DELETE has no agreed
// meaning.
func (rt *route) inQuery() bool {
	return rt.method == http.MethodGet || rt.method == http.MethodDelete
}
