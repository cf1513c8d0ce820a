package ofrep

import (
	"encoding/json"
	"net/http"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/policies"
	"nomograph/server"
	"nomograph/tools"
)

// Options configures the endpoint.
type Options struct {
	// Events is the path and query of the Server-Sent Events stream that signals changed flags; "" for none.
	Events string
}

// Server evaluates flags.
type Server struct {
	runner                                  tools.Runner
	options                                 Options
	threshold, policy, thresholds, policies tools.Operation
}

// New returns the endpoint.
func New(runner tools.Runner, o Options) *Server {
	d := &Server{runner: runner, options: o}
	for name, into := range map[string]*tools.Operation{"get_threshold": &d.threshold, "get_policy": &d.policy,
		"list_thresholds": &d.thresholds, "list_policies": &d.policies} {
		*into, _ = tools.Find(tools.Catalog, name)
	}
	return d
}

const path = "/ofrep/v1/evaluate/flags"

// Serve adds the routes to a server.
func (d *Server) Serve(s *server.Server) {
	for pattern, handler := range map[string]http.HandlerFunc{path: d.evaluateAll, path + "/{key}": d.evaluateOne} {
		s.Handle(pattern, server.Through("ofrep", server.Compressed(server.Only(http.MethodPost, handler))))
	}
}

// Error codes of OpenFeature that occur here. No flag needs a targeting key.
const (
	parseError     = "PARSE_ERROR"
	invalidContext = "INVALID_CONTEXT"
	flagNotFound   = "FLAG_NOT_FOUND"
	general        = "GENERAL"
)

// failure is the error of one or all flags.
type failure struct {
	Key          string `json:"key,omitempty"`
	ErrorCode    string `json:"errorCode,omitempty"`
	ErrorDetails string `json:"errorDetails"`
	status       int
}

func failed(key string, err error) failure {
	f := failure{Key: key, ErrorCode: general, ErrorDetails: tools.SpellError(apperr.From(err), tools.Command).Error(),
		status: server.Status(err)}
	switch {
	case f.status == http.StatusNotFound:
		f.ErrorCode = flagNotFound
	case f.status == http.StatusConflict: // the protocol has no code for duplicate names
		f.status = http.StatusBadRequest
	case f.status >= http.StatusInternalServerError:
		f.ErrorCode = ""
	}
	return f
}

func (f failure) answer(w http.ResponseWriter, r *http.Request, err error) {
	switch f.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		server.Refuse(w, r, err) // the protocol does not define their body
		return
	}
	server.Answer(w, f.status, f)
}

// scopeOf reads the scope from the evaluation context. Nothing else in the context affects a value.
func scopeOf(r *http.Request) (scope string, f *failure) {
	body, err := server.ReadJSON(r)
	if err != nil {
		return "", &failure{ErrorCode: parseError, ErrorDetails: tools.SpellError(apperr.From(err), tools.Command).
			Error(), status: http.StatusBadRequest}
	}
	var request, given map[string]json.RawMessage
	switch {
	case document.JSON(r.Context(), body, document.DefaultLimits()) != nil || json.Unmarshal(body, &request) != nil ||
		request == nil:
		return "", &failure{ErrorCode: parseError, ErrorDetails: `The body is not a valid JSON object. Send {"context": {"targetingKey": "..."}}`, status: http.StatusBadRequest}
	case request["context"] == nil || string(request["context"]) == "null":
		return "", nil
	case json.Unmarshal(request["context"], &given) != nil || given == nil:
		return "", &failure{ErrorCode: invalidContext, ErrorDetails: "context is not an object",
			status: http.StatusBadRequest}
	}
	for _, name := range []string{"scope", "targetingKey"} {
		var text string
		if raw, ok := given[name]; ok && json.Unmarshal(raw, &text) != nil {
			return "", &failure{ErrorCode: invalidContext, ErrorDetails: name + " in the context is not text",
				status: http.StatusBadRequest}
		}
		if name == "scope" {
			scope = text
		}
	}
	return scope, nil
}

// evaluateOne evaluates one flag.
func (d *Server) evaluateOne(w http.ResponseWriter, r *http.Request) {
	key := r.PathValue("key")
	scope, f := scopeOf(r)
	if f != nil {
		f.Key = key
		server.Answer(w, f.status, f)
		return
	}
	operation, name := d.threshold, key
	policy, ok := strings.CutPrefix(key, ofPolicy)
	if ok {
		operation, name = d.policy, policy
	}
	node, err := server.Run[policies.Node](r.Context(), d.runner, operation,
		map[string]any{"name": name, "scope": scope})
	if err != nil {
		failed(key, err).answer(w, r, err)
		return
	}
	flag, f := flagOf(key, node)
	if f != nil {
		server.Answer(w, f.status, f)
		return
	}
	server.Answer(w, http.StatusOK, flag)
}
