package authzen

import (
	"context"
	"net/http"

	"golang.org/x/sync/errgroup"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/server"
	"nomograph/tools"
)

// Server answers access evaluation requests.
type Server struct {
	runner                                              tools.Runner
	check, judgeAccess, requestAccess, getAccessRequest tools.Operation
}

// New returns the endpoint.
func New(runner tools.Runner) *Server {
	d := &Server{runner: runner}
	d.check, _ = tools.Find(tools.Catalog, "check_action")
	for name, into := range map[string]*tools.Operation{"judge_access": &d.judgeAccess,
		"request_access": &d.requestAccess, "get_access_request": &d.getAccessRequest} {
		*into, _ = tools.Find(tools.AccessOperations, name)
	}
	return d
}

const (
	evaluationPath  = "/access/v1/evaluation"
	evaluationsPath = "/access/v1/evaluations"
	requestsPath    = "/access/v1/requests"
	metadataPath    = "/.well-known/authzen-configuration"
)

// Serve adds the routes to a server. The metadata is public.
func (d *Server) Serve(s *server.Server) {
	for path, handler := range map[string]http.Handler{evaluationPath: server.Only(http.MethodPost, d.serveOne),
		evaluationsPath:        server.Only(http.MethodPost, d.serveBatch),
		requestsPath:           server.Only(http.MethodPost, d.request),
		requestsPath + "/{id}": server.Only("GET, HEAD", d.task)} {
		s.Handle(path, server.Through("authzen", handler))
	}
	s.Public(metadataPath, server.Only("GET, HEAD", describe))
}

// describe returns the endpoint metadata with the host name that the client used.
func describe(w http.ResponseWriter, r *http.Request) {
	base := server.BaseURL(r)
	server.Answer(w, http.StatusOK, map[string]any{"policy_decision_point": base,
		"access_evaluation_endpoint":  base + evaluationPath,
		"access_evaluations_endpoint": base + evaluationsPath, "access_request_endpoint": base + requestsPath,
		"capabilities": []string{requestCapability}})
}

// refuse answers that nothing was evaluated. It includes a false decision for clients that read only that.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	status := server.Status(err)
	switch status {
	case http.StatusUnsupportedMediaType, http.StatusRequestEntityTooLarge,
		http.StatusRequestTimeout: // the standard has only 400 for client errors
		status = http.StatusBadRequest
	}
	server.Refuse(w, r, server.WithStatus(status, apperr.From(err).Deny()))
}

// serveOne evaluates one request.
func (d *Server) serveOne(w http.ResponseWriter, r *http.Request) {
	body, err := read(r)
	d.answer(w, r, body, err)
}

func (d *Server) answer(w http.ResponseWriter, r *http.Request, body request, err error) {
	var out decision
	if err == nil {
		out, err = d.evaluate(r.Context(), body.defaults, server.BaseURL(r))
	}
	if err != nil {
		refuse(w, r, err)
		return
	}
	server.Answer(w, http.StatusOK, out)
}

// serveBatch evaluates a batch. Only an error of the whole request is an error; an invalid item denies that item.
func (d *Server) serveBatch(w http.ResponseWriter, r *http.Request) {
	body, err := read(r)
	if err == nil && len(body.evaluations) == 0 {
		d.answer(w, r, body, nil)
		return
	}
	if err == nil && !d.check.Permits(caller.From(r.Context())) {
		_, err = d.evaluate(r.Context(), body.evaluations[0], "")
	}
	if err != nil {
		refuse(w, r, err)
		return
	}
	server.Answer(w, http.StatusOK, map[string]any{"evaluations": d.evaluateAll(r.Context(), body, server.BaseURL(r))})
}

// maxConcurrent is the number of evaluations of one request that run in parallel.
const maxConcurrent = 8

// evaluateAll returns decisions in the order of the evaluations. It stops at the one that decides the batch, if the
// request's semantics say so.
func (d *Server) evaluateAll(ctx context.Context, body request, base string) []decision {
	decisions := make([]decision, len(body.evaluations))
	if body.semantic == executeAll {
		var group errgroup.Group
		group.SetLimit(maxConcurrent)
		for i, e := range body.evaluations {
			group.Go(func() error {
				decisions[i] = d.evaluateOne(ctx, i, e, base)
				return nil
			})
		}
		_ = group.Wait() // no error possible
		return decisions
	}
	for i, e := range body.evaluations {
		decisions[i] = d.evaluateOne(ctx, i, e, base)
		if decisions[i].Decision == (body.semantic == permitOnFirst) {
			return decisions[:i+1]
		}
	}
	return decisions
}

// evaluateOne returns the decision of the nth evaluation. An error becomes a denial. Each evaluation after the first
// counts as a request of its own.
func (d *Server) evaluateOne(ctx context.Context, n int, e evaluation, base string) decision {
	var err error
	if n > 0 {
		err = caller.ChargeItem(ctx)
	}
	if err == nil {
		var out decision
		if out, err = d.evaluate(ctx, e, base); err == nil {
			return out
		}
	}
	return decision{Context: map[string]any{"error": map[string]any{"status": server.Status(err),
		"message": tools.SpellError(apperr.From(err), tools.Command).Error()}, "id": apperr.From(err).ID}}
}

// evaluate evaluates one request. A denial that an approval could lift says where to request it. A lifted denial
// contains the approval.
func (d *Server) evaluate(ctx context.Context, e evaluation, base string) (decision, error) {
	arguments, err := e.arguments()
	if err != nil {
		return decision{}, err
	}
	if e.approval() != "" {
		return d.evaluateWithApproval(ctx, e, base)
	}
	verdict, err := server.Run[check.Verdict](ctx, d.runner, d.check, arguments)
	if err != nil {
		return decision{}, err
	}
	return addRequestLink(decisionOf(verdict), verdict, base), nil
}
