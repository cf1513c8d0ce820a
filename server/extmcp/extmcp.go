package extmcp

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"

	contract "nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/document"
	"nomograph/server"
	"nomograph/server/hooks"
	"nomograph/tools"
)

const (
	client = "agentgateway"
	// budget is less than the ten seconds after which the gateway does not wait by default.
	budget     = 8 * time.Second
	maxMessage = 4 << 20 // bytes
)

// Server answers the gateway.
type Server struct{ runner tools.Runner }

// New returns the endpoint.
func New(runner tools.Runner) *Server { return &Server{runner} }

// Serve adds the routes to a server.
func (d *Server) Serve(s *server.Server) {
	methods := File_ext_mcp_proto.Services().Get(0).Methods()
	handle(s, methods.ByName("CheckRequest"), d.request)
	handle(s, methods.ByName("CheckResponse"), func(context.Context, *McpResponse) *McpResponseResult {
		return &McpResponseResult{Pass: &Pass{}} // what has happened cannot be prevented
	})
}

// handle serves a method of the service over gRPC. It accepts no compressed messages.
func handle[In, Out any](s *server.Server, m protoreflect.MethodDescriptor, answer func(context.Context, *In) *Out) {
	procedure := "/" + string(m.Parent().FullName()) + "/" + string(m.Name())
	s.Handle(procedure, connect.NewUnaryHandler(procedure,
		func(ctx context.Context, r *connect.Request[In]) (*connect.Response[Out], error) {
			return connect.NewResponse(answer(ctx, r.Msg)), nil
		}, connect.WithSchema(m), connect.WithReadMaxBytes(maxMessage), connect.WithCompression("gzip", nil, nil)))
}

// request answers whether the gateway may forward a request. Errors are refusals: after an error of gRPC, the gateway
// may be configured to continue.
func (d *Server) request(ctx context.Context, r *McpRequest) *McpRequestResult {
	who := caller.From(ctx)
	who.Transport = client
	ctx, cancel := context.WithTimeout(caller.With(ctx, who), budget)
	defer cancel()
	v, err := d.evaluate(ctx, r)
	out := &AuthorizationError{Code: AuthorizationError_PERMISSION_DENIED}
	switch {
	case err == nil && v.Decision == contract.Allow:
		return &McpRequestResult{Result: &McpRequestResult_Pass{Pass: &Pass{}}}
	case err == nil:
		out.McpError, _ = json.Marshal(map[string]string{"verdict_id": v.ID}) // text always encodes
	case apperr.Is(err, apperr.Validation):
		out.Code = AuthorizationError_INVALID
	case apperr.Is(err, apperr.RateLimited):
		out.Code = AuthorizationError_RESOURCE_EXHAUSTED
	}
	if err != nil {
		v = contract.Unchecked(tools.SpellError(apperr.From(err), tools.Command))
	}
	out.Reason = v.Reason
	return &McpRequestResult{Result: &McpRequestResult_Error{Error: out}}
}

// evaluate checks a request. Lists and handshakes are no actions.
func (d *Server) evaluate(ctx context.Context, r *McpRequest) (contract.Verdict, error) {
	v := contract.Verdict{Decision: contract.Allow}
	if strings.HasSuffix(r.GetMethod(), "/list") || r.GetMethod() == "initialize" || r.GetMethod() == "ping" {
		return v, nil
	}
	actions, err := actionsOf(ctx, r)
	metadata := r.GetMetadataContext().AsMap()
	for _, action := range actions {
		action.Subagent, _ = metadata["agent"].(string)
		arguments := action.Arguments(client)
		facts, _ := arguments["context"].(map[string]any)
		facts["metadata"] = metadata
		if user, ok := metadata["user"].(string); ok {
			facts["user"] = user
		}
		next, err := hooks.Ask(ctx, d.runner, arguments)
		if err != nil {
			return v, err
		}
		v = v.Add(next)
	}
	return v, err
}

// actionsOf returns the actions of a request: of a tool call, or a call of a tool with the name of the method.
func actionsOf(ctx context.Context, r *McpRequest) ([]contract.Action, error) {
	var params map[string]any
	raw := r.GetMcpRequest()
	if raw == nil {
		raw = []byte("null")
	}
	err := document.JSON(ctx, raw, document.DefaultLimits())
	if err == nil {
		err = json.Unmarshal(raw, &params)
	}
	if err != nil || r.GetMethod() == "" {
		return nil, apperr.New(apperr.Validation, "The parameters of the request are not a JSON object").
			WithHint("Use agentgateway 1.3 or newer").Because(err)
	}
	tool, input := r.GetMethod(), any(params)
	if tool == "tools/call" {
		tool, _ = params["name"].(string)
		input = params["arguments"]
	}
	if input == nil || params == nil {
		input = map[string]any{}
	}
	actions, err := contract.ToolCall(cmp.Or(strings.Join(r.GetServiceNames(), ","), client), tool, input)
	for i := range actions {
		actions[i].Event, actions[i].Session = r.GetMethod(), sessionOf(r)
	}
	return actions, err
}

// sessionOf returns the MCP session of a request, unless the configuration of the gateway names another.
func sessionOf(r *McpRequest) string {
	if session, ok := r.GetMetadataContext().AsMap()["session"].(string); ok {
		return session
	}
	for _, header := range r.GetHeaders() {
		if strings.EqualFold(header.GetKey(), "mcp-session-id") {
			return string(header.GetValue())
		}
	}
	return ""
}
