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
	"nomograph/internal/render"
	"nomograph/server"
	"nomograph/tools"
)

// Path is where the protocol is spoken.
const Path = "/cstp"

const maxBodyLength = 8 << 20 // bytes; the server takes no more

// Options say how this agent presents itself, and what is bounded beside what operations bound.
type Options struct {
	Card       Card
	MaxResults int     // of cstp.queryDecisions; 0: as many as it takes
	MinScore   float64 // 1 - distance of what it gives, at least
	Log        zerolog.Logger
}

// Door answers CSTP.
type Door struct {
	runner  tools.Runner
	options Options
	methods map[string][]tools.Operation
	begun   time.Time
}

// New gives the door.
func New(runner tools.Runner, o Options) *Door {
	d := &Door{runner: runner, options: o, methods: map[string][]tools.Operation{}, begun: time.Now()}
	for _, operation := range tools.Catalog {
		if operation.CSTP != "" {
			d.methods[operation.CSTP] = append(d.methods[operation.CSTP], operation)
		}
	}
	return d
}

// Serve puts the door's routes into a server. The cards are for everybody.
func (d *Door) Serve(s *server.Server) {
	s.Refusals(Path, refusal)
	s.Gate(func(r *http.Request) bool { return r.URL.Path == Path })
	s.Handle(Path, server.Compressed(server.Only(http.MethodPost, d.serve)))
	d.serveGRPC(s)
	s.Public("/health", server.Only("GET, HEAD", d.health))
	s.Public("/.well-known/agent.json", s.Recognized(server.Only("GET, HEAD", d.card)))
	s.Public("/.well-known/agent-card.json", s.Recognized(server.Only("GET, HEAD", d.a2aCard)))
}

func (d *Door) serve(w http.ResponseWriter, r *http.Request) {
	who := caller.From(r.Context())
	who.Door = "cstp"
	r = r.WithContext(caller.With(r.Context(), who))
	body, err := server.ReadJSON(r)
	if err != nil {
		server.Refuse(w, r, err)
		return
	}
	if len(body) == 0 {
		server.Answer(w, http.StatusOK, failed(nil, malformed(parseError, parseHint, "The body is empty")))
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
	w.WriteHeader(http.StatusNoContent) // nothing but notifications
}

// health is what CSTP's users ask whether a server is there.
func (d *Door) health(w http.ResponseWriter, _ *http.Request) {
	server.Answer(w, http.StatusOK, map[string]any{"status": "healthy", "version": d.options.Card.Version, "uptime_seconds": time.Since(d.begun).Seconds(), "timestamp": time.Now().UTC()})
}

// atOnce is how many calls of a batch that only reads are answered at the same time.
const atOnce = 8

// answerAll answers a batch: in order, or where all of it only reads, several at once. Each call after the first counts as a
// request of its own.
func (d *Door) answerAll(r *http.Request, entries []entry) []*answer {
	answers := make([]*answer, len(entries))
	var group errgroup.Group
	group.SetLimit(1)
	if !slices.ContainsFunc(entries, func(e entry) bool { return e.wrong == nil && !d.reads(e.method) }) {
		group.SetLimit(atOnce)
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
	_ = group.Wait() // none fails
	return answers
}

func (d *Door) reads(method string) bool {
	return !slices.ContainsFunc(d.methods[method], func(o tools.Operation) bool { return !o.Hints.ReadOnly })
}

// answer answers one call; nil where it is a notification, of which nobody hears how it went.
func (d *Door) answer(ctx context.Context, e entry) *answer {
	result, wrong := any(nil), e.wrong
	if wrong == nil {
		result, wrong = d.call(ctx, e.method, e.params)
	}
	if e.id == nil && e.method != "" {
		if wrong != nil {
			d.options.Log.Debug().Str("method", shortened(e.method)).Int("code", wrong.Code).Str("request", server.RequestID(ctx)).Msg("a notification failed")
		}
		return nil
	}
	if wrong != nil {
		a := failed(e.id, wrong)
		return &a
	}
	return &answer{JSONRPC: version, ID: e.id, Result: result}
}

// operation gives the operation that a method is for a caller: of those that name it, the first that the caller may use. So one method gives
// everything to who may read here, and to agents of other servers what is shared with them.
func (d *Door) operation(ctx context.Context, method string) (tools.Operation, *problem) {
	named := d.methods[method]
	if len(named) == 0 {
		available := d.available(caller.From(ctx))
		f := apperr.Newf(apperr.NotFound, "There is no method '%s'", shortened(method)).WithHint("`available` lists the methods that you may call").With("available", available)
		if near := apperr.Nearest(strings.TrimPrefix(shortened(method), "cstp."), bare(available)); len(near) > 0 {
			f = f.WithHint("Did you mean cstp.%s?", strings.Join(near, " or cstp."))
		}
		return tools.Operation{}, &problem{Code: methodNotFound, Message: f.Error(), Data: notFoundData{f, available}}
	}
	for _, o := range named {
		if o.Permits(caller.From(ctx)) {
			return o, nil
		}
	}
	return named[0], nil // it says what it needs
}

// notFoundData is the fault of a method that is not there, with the methods there are beside it, where CSTP's clients look for them.
type notFoundData struct {
	*apperr.Error
	Available []string `json:"available"`
}

// bare are names of methods without what they all begin with.
func bare(methods []string) []string {
	names := make([]string, len(methods))
	for i, method := range methods {
		names[i] = strings.TrimPrefix(method, "cstp.")
	}
	return names
}

// available are the methods that a caller may call.
func (d *Door) available(c caller.Caller) []string {
	var names []string
	for method, named := range d.methods {
		if slices.ContainsFunc(named, func(o tools.Operation) bool { return o.Permits(c) }) {
			names = append(names, method)
		}
	}
	slices.Sort(names)
	return names
}

// call answers a method. An answer that can hold recorded text has a field that says what such text is.
func (d *Door) call(ctx context.Context, method string, params json.RawMessage) (any, *problem) {
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

func (d *Door) answered(ctx context.Context, o tools.Operation, method string, params json.RawMessage) (any, *problem) {
	shape := shapes[method]
	given, err := unspelled(ctx, o, params, shape)
	if err != nil {
		if o.Gate {
			err = apperr.From(err).Deny()
		}
		return nil, problemOf(err, method)
	}
	if shape.instead != nil {
		if out, done, err := shape.instead(ctx, d, given); err != nil {
			return nil, problemOf(err, method)
		} else if done {
			return out, nil
		}
	}
	arguments, err := text(given)
	if err != nil {
		return nil, problemOf(err, method)
	}
	out, err := d.runner.Run(ctx, o, arguments)
	if err == nil || shape.failed == nil {
		if err != nil {
			return nil, problemOf(err, method)
		}
		return spelled(ctx, d, o, out, shape, given)
	}
	if said := shape.failed(err); said != nil {
		return said, nil
	}
	return nil, problemOf(err, method)
}

func shortened(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxNameLength)], "")
}
