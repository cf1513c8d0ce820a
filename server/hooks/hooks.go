package hooks

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/rs/zerolog"

	contract "nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/server"
	"nomograph/tools"
)

// Options of the transport.
type Options struct {
	// Fired is called for each event that could be read, with the client's version if it is known; may be nil.
	Fired func(client, event, version string)
	// NotRecorded is called for executed tool calls that the database could not store; Recorded after others were
	// stored. May be nil.
	NotRecorded func(ctx context.Context, client string, executed []check.Execution)
	Recorded    func(ctx context.Context, client string)
	// PromptContext returns context that fits a prompt.
	PromptContext bool
	Log           zerolog.Logger
}

// Server answers hooks.
type Server struct {
	runner  tools.Runner
	options Options
	// recordExecutions records executed tool calls, sessionContext reads the context of a prompt.
	recordExecutions, sessionContext tools.Operation

	recent contract.Recent
}

// Path of the endpoint, which the name of a client follows.
const Path = "/hooks/"

const (
	budget = 10 * time.Second
	// recordBudget limits how long a client waits after a tool.
	recordBudget = 4 * time.Second
	// contextBudget limits how long a prompt waits for its context.
	contextBudget = budget / 2
	mayPass       = "fail_open" // parameters of the query
	version       = "contract"
	ofEvent       = "event"
	longEach      = 200     // bytes of a parameter
	longEvent     = 1 << 20 // bytes of a refused request that are read
)

// New returns the transport.
func New(runner tools.Runner, o Options) *Server {
	d := &Server{runner: runner, options: o}
	d.recordExecutions, _ = tools.Find(tools.Catalog, "record_executions")
	d.sessionContext, _ = tools.Find(tools.Catalog, "get_session_context")
	return d
}

// Serve adds the route of the transport to a server.
func (d *Server) Serve(s *server.Server) {
	s.Refuses(refuse)
	known := s.RequireCaller(server.Through("hook", http.HandlerFunc(d.hook)), server.Refuse)
	s.Public(Path+"{client}", server.Only(http.MethodPost, known.ServeHTTP))
}

// refuse answers a refused request in the client's form with status 200, too: neither an expired token nor a long body
// may let a client continue. An event that stops nothing, and a prompt that may pass unchecked, get a neutral answer.
func refuse(w http.ResponseWriter, r *http.Request, err *apperr.Error) bool {
	name, isHook := strings.CutPrefix(r.URL.Path, Path)
	c, unknown := contract.Find(name)
	if !isHook || unknown != nil || r.Method != http.MethodPost {
		return false
	}
	in := contract.Input{Event: eventOf(r)}
	in.Stdin, _ = io.ReadAll(io.LimitReader(r.Body, longEvent)) // without the body, the event is one that blocks
	c = c.Sender(in)
	event, v := c.EventOf(in), uncheckedVerdict(err)
	if !event.Blocks() || event.Use == contract.BeforePrompt &&
		contract.MayPass(r.URL.Query()[mayPass], []contract.Action{{Kind: contract.PromptSubmit}}) {
		v = contract.Verdict{Decision: contract.Allow}
	}
	body := c.Answer(event.Name, v).Stdout
	if body == "" && v.Decision != contract.Allow { // the client denies by exit code
		return false
	}
	write(w, body)
	return true
}

// eventOf returns the event that the query names; "" if it names none.
func eventOf(r *http.Request) string {
	event := r.URL.Query().Get(ofEvent)
	if len(event) > longEach {
		return ""
	}
	return event
}

// write writes an answer of status 200.
func write(w http.ResponseWriter, body string) {
	w.Header().Set("Cache-Control", "no-store")
	if body != "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(http.StatusOK)
	_, _ = io.WriteString(w, body)
}

// hook answers one event in the form of the client. Errors become denials with status 200: many versions of clients
// take any other status for a failed hook, and go on.
func (d *Server) hook(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), budget)
	defer cancel()
	c, err := contract.Find(r.PathValue("client"))
	if err == nil && !c.HTTP {
		err = apperr.Newf(apperr.NotFound, "%s does not support HTTP hooks", c.Title).
			WithHint("Use the command: nomograph hook %s", c.Name)
	}
	if err != nil {
		server.Refuse(w, r, err)
		return
	}
	query := r.URL.Query()
	in := contract.Input{Event: eventOf(r)}
	if in.Stdin, err = server.ReadJSON(r); err != nil {
		r.Body = io.NopCloser(bytes.NewReader(in.Stdin)) // the refusal depends on the event
		server.Refuse(w, r, err)
		return
	}
	if c = c.Sender(in); query.Get(version) != contract.Contract {
		err = apperr.Newf(apperr.Validation, "The hook uses contract %q, and this server supports %q",
			query.Get(version), contract.Contract).
			WithHint("Write it again: nomograph hook install %s", r.PathValue("client"))
	}
	actions, event, v := []contract.Action(nil), c.EventOf(in).Name, contract.Verdict{Decision: contract.Allow}
	defer func() {
		d.denyAfter(recover(), w, c, event)
	}()
	if err == nil {
		actions, event, err = c.Read(in)
	}
	if err != nil {
		v = uncheckedVerdict(err)
	}
	if err == nil && d.options.Fired != nil {
		clientVersion := ""
		if len(actions) > 0 {
			clientVersion = actions[0].Version
		}
		d.options.Fired(c.Name, event, clientVersion)
	}
	if err == nil && c.Use(event) == contract.AfterTool {
		d.record(ctx, c, c.Executed(in))
	}
	fits := d.promptContext(ctx, c.Prompt(actions))
	for _, action := range actions {
		v = v.Add(d.evaluate(ctx, c, action, query[mayPass]))
	}
	write(w, c.Answer(event, c.WithContext(actions, v, fits())).Stdout)
}

// denyAfter denies an action whose check panicked with a value, unless it is nil.
func (d *Server) denyAfter(broken any, w http.ResponseWriter, c contract.Client, event string) {
	switch broken {
	case nil:
		return
	case http.ErrAbortHandler:
		panic(broken)
	}
	d.options.Log.Error().Interface("panic", broken).Bytes("stack", debug.Stack()).Str("client", c.Name).
		Msg("hook failed")
	write(w, c.Answer(event, uncheckedVerdict(apperr.New(apperr.Internal,
		"Nomograph failed while it checked this action").WithHint("Report it"))).Stdout)
}

// record records executed tool calls. An error changes nothing for the client, which has executed them.
func (d *Server) record(ctx context.Context, c contract.Client, executed []check.Execution) {
	if len(executed) == 0 {
		return
	}
	within, cancel := context.WithTimeout(ctx, recordBudget)
	defer cancel()
	_, err := server.Run[any](within, d.runner, d.recordExecutions, check.Executions{Executions: executed})
	switch away := apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.QueryTimeout) || within.Err() != nil; {
	case err == nil && d.options.Recorded != nil:
		d.options.Recorded(ctx, c.Name)
	case err == nil:
	case away && d.options.NotRecorded != nil: // a call that was stored nevertheless counts once
		d.options.NotRecorded(ctx, c.Name, executed)
	default:
		d.options.Log.Warn().Err(err).Str("client", c.Name).Int("calls", len(executed)).
			Msg("executed tool calls not recorded")
	}
}

// promptContext starts to read the context of a prompt, and returns a function that waits for it. Without a prompt,
// and if it cannot be read in time, the text is empty.
func (d *Server) promptContext(ctx context.Context, prompt string) func() string {
	if prompt == "" || !d.options.PromptContext {
		return func() string { return "" }
	}
	ctx, cancel := context.WithTimeout(ctx, contextBudget)
	text := make(chan string, 1)
	go func() {
		found := ""
		defer func() {
			_ = recover() // a prompt is never stopped by its context
			text <- found
		}()
		if out, err := d.runner.Run(ctx, d.sessionContext, contract.PromptQuery(prompt)); err == nil {
			if c, ok := out.(interface{ Block() string }); ok {
				found = c.Block()
			}
		}
	}()
	return func() string {
		defer cancel()
		select {
		case found := <-text:
			return found
		case <-ctx.Done():
			return ""
		}
	}
}

func uncheckedVerdict(err error) contract.Verdict {
	return contract.Unchecked(tools.SpellError(apperr.From(err), tools.Command))
}

// evaluate returns the verdict about an action within the time that ctx has.
func (d *Server) evaluate(ctx context.Context, c contract.Client, action contract.Action,
	patterns []string) contract.Verdict {
	v, err := d.once(ctx, c, action)
	switch {
	case err == nil:
		return v
	case contract.MayPass(patterns, []contract.Action{action}):
		return contract.NotChecked(apperr.From(err))
	}
	return uncheckedVerdict(err)
}

// once checks an action once, however often it comes within the moment for which its answer counts.
func (d *Server) once(ctx context.Context, c contract.Client, action contract.Action) (contract.Verdict, error) {
	who := caller.From(ctx)
	key, lasts, err := action.Key(who.Name, c.Name)
	if err != nil {
		return contract.Verdict{}, err
	}
	return d.recent.Once(ctx, budget, key, lasts,
		func(ctx context.Context) (contract.Verdict, error) {
			return Ask(ctx, d.runner, action.Arguments(c.Name))
		})
}

// Ask runs check_action with arguments of an action.
func Ask(ctx context.Context, runner tools.Runner, arguments map[string]any) (contract.Verdict, error) {
	operation, _ := tools.Find(tools.Catalog, "check_action")
	v, err := server.Run[check.Verdict](ctx, runner, operation, arguments)
	if err != nil {
		return contract.Verdict{}, err
	}
	return contract.VerdictOf(v)
}
