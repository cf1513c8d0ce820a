package cstp

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/server"
	"nomograph/tools"
)

// Path is the path of the JSON-RPC endpoint.
const Path = "/cstp"

const maxBodyLength = 8 << 20 // bytes; the server accepts no more

// Options describe this agent and its limits.
type Options struct {
	Card       Card
	MaxResults int     // maximum results of cstp.queryDecisions; 0: the operation's limit
	MinScore   float64 // minimum of 1 - distance of its results
	Log        zerolog.Logger
}

// Server serves CSTP.
type Server struct {
	runner  tools.Runner
	options Options
	methods map[string][]tools.Operation
	started time.Time
}

// New returns the endpoint.
func New(runner tools.Runner, o Options) *Server {
	d := &Server{runner: runner, options: o, methods: map[string][]tools.Operation{}, started: time.Now()}
	for _, operation := range tools.Catalog {
		if operation.CSTP != "" {
			d.methods[operation.CSTP] = append(d.methods[operation.CSTP], operation)
		}
	}
	return d
}

// Serve adds the routes to a server. The cards are public.
func (d *Server) Serve(s *server.Server) {
	s.Refusals(Path, refusal)
	s.FailsClosed(func(r *http.Request) bool { return r.URL.Path == Path })
	s.Handle(Path, server.Through("cstp", server.Compressed(server.Only(http.MethodPost, d.serve))))
	d.serveGRPC(s)
	s.Public("/health", server.Only("GET, HEAD", d.health))
	s.Public("/.well-known/agent.json", s.Recognized(server.Only("GET, HEAD", d.card)))
	s.Public("/.well-known/agent-card.json", s.Recognized(server.Only("GET, HEAD", d.a2aCard)))
}

func (d *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := server.ReadJSON(r)
	if err != nil {
		server.Refuse(w, r, err)
		return
	}
	if len(body) == 0 {
		server.Answer(w, http.StatusOK, failed(nil, malformedRequest(parseError, parseHint, "The body is empty")))
		return
	}
	entries, batch, wrong := read(r.Context(), body)
	switch {
	case wrong != nil:
		server.Answer(w, http.StatusOK, failed(nil, wrong))
		return
	case !batch:
		if one := d.answer(r.Context(), entries[0]); one != nil {
			server.Answer(w, http.StatusOK, one)
			return
		}
	default:
		if all := slices.DeleteFunc(d.answerAll(r, entries), func(a *answer) bool { return a == nil }); len(all) > 0 {
			server.Answer(w, http.StatusOK, all)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent) // all calls were notifications
}

// health is the health check that CSTP clients use.
func (d *Server) health(w http.ResponseWriter, _ *http.Request) {
	server.Answer(w, http.StatusOK, map[string]any{"status": "healthy", "version": d.options.Card.Version,
		"uptime_seconds": time.Since(d.started).Seconds(), "timestamp": time.Now().UTC()})
}

// maxConcurrent is the number of calls of a read-only batch that run in parallel.
const maxConcurrent = 8

// answerAll answers a batch: in order, or in parallel if it only reads. Each call after the first counts as a request
// of its own.
func (d *Server) answerAll(r *http.Request, entries []entry) []*answer {
	answers := make([]*answer, len(entries))
	var group errgroup.Group
	group.SetLimit(1)
	if !slices.ContainsFunc(entries, func(e entry) bool { return e.wrong == nil && !d.reads(e.method) }) {
		group.SetLimit(maxConcurrent)
	}
	for i, e := range entries {
		group.Go(func() error {
			if i > 0 {
				if err := caller.ChargeItem(r.Context()); err != nil {
					e.wrong = problemOf(err, e.method)
				}
			}
			answers[i] = d.answer(r.Context(), e)
			return nil
		})
	}
	_ = group.Wait() // no error possible
	return answers
}

func (d *Server) reads(method string) bool {
	return !slices.ContainsFunc(d.methods[method], func(o tools.Operation) bool { return !o.Hints.ReadOnly })
}

// answer answers one call; nil for a notification.
func (d *Server) answer(ctx context.Context, e entry) *answer {
	result, wrong := any(nil), e.wrong
	if wrong == nil {
		result, wrong = d.call(ctx, e.method, e.params)
	}
	if e.id == nil && e.method != "" {
		if wrong != nil {
			d.options.Log.Debug().Str("method", shorten(e.method)).Int("code", wrong.Code).
				Str("request", server.RequestID(ctx)).Msg("notification failed")
		}
		return nil
	}
	if wrong != nil {
		a := failed(e.id, wrong)
		return &a
	}
	return &answer{JSONRPC: version, ID: e.id, Result: result}
}

// operation returns the operation of a method for a caller: the first one with that method that the caller may use. One
// method thus returns everything to callers who may read here, and only what is shared to agents of other servers.
func (d *Server) operation(ctx context.Context, method string) (tools.Operation, *problem) {
	named := d.methods[method]
	if len(named) == 0 {
		available := d.availableMethods(caller.From(ctx))
		f := apperr.Newf(apperr.NotFound, "Method '%s' not found", shorten(method)).
			WithHint("List the methods that you may call with `available`").With("available", available)
		if near := apperr.Nearest(strings.TrimPrefix(shorten(method), "cstp."),
			withoutPrefix(available)); len(near) > 0 {
			f = f.WithHint("Did you mean cstp.%s?", strings.Join(near, " or cstp."))
		}
		return tools.Operation{}, &problem{Code: methodNotFound, Message: f.Error(), Data: notFoundData{f, available}}
	}
	for _, o := range named {
		if o.Permits(caller.From(ctx)) {
			return o, nil
		}
	}
	return named[0], nil // running it returns the error that names the missing permission
}

// notFoundData is the error of an unknown method with the list of methods in the member that CSTP clients read.
type notFoundData struct {
	*apperr.Error
	Available []string `json:"available"`
}

// withoutPrefix returns names of methods without their common prefix.
func withoutPrefix(methods []string) []string {
	return lists.Map(methods, func(method string) string { return strings.TrimPrefix(method, "cstp.") })
}

// availableMethods returns the methods that a caller may use.
func (d *Server) availableMethods(c caller.Caller) []string {
	var names []string
	for method, named := range d.methods {
		if slices.ContainsFunc(named, func(o tools.Operation) bool { return o.Permits(c) }) {
			names = append(names, method)
		}
	}
	slices.Sort(names)
	return names
}

// call runs a method. An answer that can contain recorded text has a field that marks it.
func (d *Server) call(ctx context.Context, method string, params json.RawMessage) (any, *problem) {
	o, wrong := d.operation(ctx, method)
	if wrong != nil {
		return nil, wrong
	}
	out, wrong := d.answered(ctx, o, method, params)
	if answer, ok := out.(object); ok && o.Recorded() {
		answer[camel(render.RecordedField)] = render.RecordedNotice
	}
	return out, wrong
}

func (d *Server) answered(ctx context.Context, o tools.Operation, method string, params json.RawMessage) (any,
	*problem) {
	shape := shapes[method]
	input, err := toOperationArguments(ctx, o, params, shape)
	if err != nil {
		if o.FailsClosed {
			err = apperr.From(err).Deny()
		}
		return nil, problemOf(err, method)
	}
	if shape.instead != nil {
		out, err := shape.instead(ctx, d, input)
		if err != nil {
			return nil, problemOf(err, method)
		}
		return out, nil
	}
	out, err := server.Run[any](ctx, d.runner, o, input)
	if err == nil {
		return toProtocol(ctx, d, o, out, shape, input)
	}
	if shape.failed != nil {
		if body := shape.failed(err); body != nil {
			return body, nil
		}
	}
	return nil, problemOf(err, method)
}

func shorten(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxNameLength)], "")
}
