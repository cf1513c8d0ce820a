package cstp

import (
	"cmp"
	"context"
	"net/http"
	"unicode"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"nomograph/agents"
	"nomograph/decisions/precedents"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/policies/check"
	"nomograph/server"
	"nomograph/tools"
)

// Service describes the gRPC service with the four most used methods.
func Service() protoreflect.ServiceDescriptor { return File_cstp_proto.Services().Get(0) }

// methodOf returns the JSON-RPC method of a gRPC method.
func methodOf(m protoreflect.MethodDescriptor) string {
	name := []rune(string(m.Name()))
	name[0] = unicode.ToLower(name[0])
	return "cstp." + string(name)
}

// serveGRPC serves the service over gRPC, gRPC-Web and Connect JSON, with the same authentication.
func (d *Server) serveGRPC(s *server.Server) {
	serveMethod[QueryDecisionsRequest, QueryDecisionsResponse](d, s, "QueryDecisions")
	serveMethod[CheckGuardrailsRequest, CheckGuardrailsResponse](d, s, "CheckGuardrails")
	serveMethod[RecordDecisionRequest, RecordDecisionResponse](d, s, "RecordDecision")
	serveMethod[AnnounceIntentRequest, AnnounceIntentResponse](d, s, "AnnounceIntent")
}

// message is a pointer to a generated type.
type message[T any] interface {
	*T
	proto.Message
}

func serveMethod[In, Out any, PIn message[In], POut message[Out]](d *Server, s *server.Server, name protoreflect.Name) {
	m := Service().Methods().ByName(name)
	procedure := procedureOf(m)
	s.Handle(procedure, d.beforeReading(m, connect.NewUnaryHandler(procedure,
		func(ctx context.Context, r *connect.Request[In]) (*connect.Response[Out], error) {
			out := new(Out)
			if err := d.unary(ctx, m, PIn(r.Msg), POut(out)); err != nil {
				return nil, err
			}
			return connect.NewResponse(out), nil
		}, connect.WithSchema(m), connect.WithReadMaxBytes(maxBodyLength))))
}

func procedureOf(m protoreflect.MethodDescriptor) string {
	return "/" + string(m.Parent().FullName()) + "/" + string(m.Name())
}

// beforeReading refuses callers without the permission before it reads their message, and refuses compressed messages,
// which the library would decompress without a limit.
func (d *Server) beforeReading(m protoreflect.MethodDescriptor, next http.Handler) http.Handler {
	errors := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := throughGRPC(r.Context())
		var err error
		if coding := r.Header.Get("Grpc-Encoding"); coding != "" && coding != "identity" {
			err = connect.NewError(connect.CodeUnimplemented,
				apperr.Newf(apperr.Validation, "Unsupported message encoding %q", shorten(coding)).
					WithHint("Send the message without encoding"))
		} else if o, wrong := d.operation(ctx, methodOf(m)); wrong == nil && !o.Permits(caller.From(ctx)) {
			_, refusal := d.runner.Run(ctx, o, nil)
			err = connectError(refusal)
		}
		if err != nil {
			_ = errors.Write(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func throughGRPC(ctx context.Context) context.Context {
	who := caller.From(ctx)
	who.Transport = "grpc"
	return caller.With(ctx, who)
}

var (
	toArguments = protojson.MarshalOptions{UseProtoNames: true}
	fromAnswer  = protojson.UnmarshalOptions{DiscardUnknown: true}
)

// unary answers one call with the operation of the JSON-RPC method, without its spelling.
func (d *Server) unary(ctx context.Context, m protoreflect.MethodDescriptor, in, answer proto.Message) error {
	ctx = throughGRPC(ctx)
	o, wrong := d.operation(ctx, methodOf(m))
	if wrong != nil { // every method of the service is in the catalog
		return connect.NewError(connect.CodeUnimplemented, apperr.New(apperr.NotFound, wrong.Message))
	}
	arguments, err := toArguments.Marshal(in)
	if err != nil {
		return connectError(apperr.New(apperr.Validation, "Invalid message").
			WithHint("Use the messages of server/cstp/cstp.proto").Because(err))
	}
	out, err := d.run(ctx, o, arguments)
	if err != nil {
		return connectError(err)
	}
	raw, err := text(out)
	if err != nil {
		return connectError(err)
	}
	if o.Recorded() {
		raw = render.MarkRecorded(raw)
	}
	if err := fromAnswer.Unmarshal(raw, answer); err != nil {
		return connectError(err)
	}
	return nil
}

// run runs an operation and returns its answer in the form of the messages.
func (d *Server) run(ctx context.Context, o tools.Operation, arguments []byte) (any, error) {
	out, err := d.runner.Run(ctx, o, arguments)
	if err != nil {
		return nil, err
	}
	switch answer := out.(type) {
	case check.Verdict:
		return agents.VerdictOf(answer), nil
	case precedents.Matches:
		matches, err := inCamelCase(o, answer) // which the messages accept, too
		_, _ = queryOut(ctx, d, matches, nil)
		return matches, err
	}
	return out, nil
}

// gRPC codes of our error codes; others are internal errors.
var codes = map[apperr.Code]connect.Code{
	apperr.Validation: connect.CodeInvalidArgument, apperr.Unauthenticated: connect.CodeUnauthenticated,
	apperr.PermissionDenied: connect.CodePermissionDenied,
	apperr.NotFound:         connect.CodeNotFound, apperr.Conflict: connect.CodeFailedPrecondition,
	apperr.RateLimited: connect.CodeResourceExhausted, apperr.QueryRefused: connect.CodeInvalidArgument,
	apperr.QueryFailed: connect.CodeInvalidArgument, apperr.QueryTimeout: connect.CodeDeadlineExceeded,
	apperr.Unavailable: connect.CodeUnavailable,
}

// connectError converts an error. The metadata have the error's code and id, and say whether a policy check failed.
func connectError(err error) *connect.Error {
	f := tools.SpellError(apperr.From(err), displayMethod)
	e := connect.NewError(cmp.Or(codes[f.Code], connect.CodeInternal), f)
	e.Meta().Set("nomograph-error", string(f.Code))
	e.Meta().Set("nomograph-id", f.ID)
	if f.Allowed != nil {
		e.Meta().Set("nomograph-allowed", "false")
	}
	return e
}
