package inference

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	contract "nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/webhook"
	"nomograph/server"
	"nomograph/server/hooks"
	"nomograph/tools"
)

// Path of the endpoint.
const Path = "/inference-hooks"

const (
	// budget is less than the five seconds after which Anthropic does not wait for a verdict by default.
	budget = 4 * time.Second
	// maxBody is more than a conversation has that fits a model.
	maxBody   = 16 << 20
	maxReason = 500 // characters of a reason that are shown
)

// Options of the endpoint.
type Options struct {
	Secrets []string // that sign requests; two while the secret changes
	Enforce bool     // whether denials are answered; otherwise every request is allowed, and verdicts only recorded
	Log     zerolog.Logger
}

// Server answers inference hooks.
type Server struct {
	runner  tools.Runner
	options Options
	recent  contract.Recent
}

// New returns the endpoint.
func New(runner tools.Runner, o Options) *Server {
	return &Server{runner: runner, options: o}
}

// Serve adds the route to a server if there are secrets.
func (d *Server) Serve(s *server.Server) {
	if len(d.options.Secrets) > 0 {
		s.LongBodies(Path, maxBody)
		s.Refuses(d.refuse)
		s.Public(Path, server.Only(http.MethodPost, d.hook))
	}
}

// refuse answers a request that could not be read: Anthropic takes every status except 200 for a failure, and may
// continue. A request without a valid signature gets no verdict.
func (d *Server) refuse(w http.ResponseWriter, r *http.Request, err *apperr.Error) bool {
	if r.URL.Path != Path || r.Method != http.MethodPost || err.Code == apperr.Unauthenticated ||
		err.Code == apperr.PermissionDenied {
		return false
	}
	d.answer(w, d.unchecked(err))
	return true
}

func (d *Server) hook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		server.Refuse(w, r, server.BodyError(err))
		return
	}
	if err := webhook.Verify(d.options.Secrets, r.Header, body, time.Now(), webhook.Tolerance); err != nil {
		server.Refuse(w, r, apperr.New(apperr.Unauthenticated, "The request has no valid signature").
			WithHint("Set inference_hooks.secrets to the signing secret of the hook").Because(err))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), budget)
	defer cancel()
	// a request that is sent again is the same event
	v, err := d.recent.Once(ctx, budget, r.Header.Get(webhook.HeaderID), contract.CallAgain,
		func(ctx context.Context) (contract.Verdict, error) { return d.evaluate(ctx, body) })
	if err != nil {
		v = d.unchecked(err)
	}
	d.answer(w, v)
}

// evaluate returns the strictest verdict about the actions of an event.
func (d *Server) evaluate(ctx context.Context, body []byte) (contract.Verdict, error) {
	var f frame
	if err := json.Unmarshal(body, &f); err != nil {
		return contract.Verdict{}, apperr.New(apperr.Validation,
			"The event is not the JSON object of an inference hook").
			WithHint("Check for a newer version of Nomograph").Because(err)
	}
	v := contract.Verdict{Decision: contract.Allow}
	if f.Type != promptEvent && f.Type != toolCallEvent {
		d.options.Log.Warn().Str("event", redact.Mask(f.Type)).Msg("unknown inference hook allowed")
		return v, nil
	}
	actions, err := f.actions()
	ctx = caller.With(ctx, caller.Caller{Name: f.user(), Authenticated: true,
		Permissions: []caller.Permission{caller.Read}, Transport: "inference", Shadow: !d.options.Enforce})
	for _, action := range actions {
		arguments := action.Arguments(f.application())
		facts, _ := arguments["context"].(map[string]any)
		facts["model"], facts["tenant"] = f.Model, f.Tenant
		var next contract.Verdict
		if next, err = hooks.Ask(ctx, d.runner, arguments); err != nil {
			break
		}
		v = v.Add(next)
	}
	return v, err
}

// unchecked is the verdict about an event that could not be checked.
func (d *Server) unchecked(err error) contract.Verdict {
	d.options.Log.Warn().Err(err).Bool("enforced", d.options.Enforce).Msg("inference hook not checked")
	return contract.Unchecked(tools.SpellError(apperr.From(err), tools.Command))
}

// verdict is the answer. The user sees the reason; the reference is recorded in Anthropic's activity feed.
type verdict struct {
	Action    contract.Decision `json:"action"`
	Reason    string            `json:"deny_reason,omitempty"`
	Reference string            `json:"reference_id,omitempty"`
}

// answer writes a verdict. Nobody can be asked, so that an approval is a denial.
func (d *Server) answer(w http.ResponseWriter, v contract.Verdict) {
	out := verdict{Action: contract.Allow}
	if v.Decision != contract.Allow && d.options.Enforce {
		reason := []rune(redact.Mask(v.ForPerson()))
		out = verdict{contract.Deny, string(reason[:min(len(reason), maxReason)]), v.ID}
	}
	server.Answer(w, http.StatusOK, out)
}
