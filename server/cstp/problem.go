package cstp

import (
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/tools"
)

// The codes of JSON-RPC, of CSTP's design, and of CSTP as its users have it. The last ones are ours, for what neither has a word.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
	internalError  = -32603

	authenticationRequired = -32001
	rateLimited            = -32002
	queryFailed            = -32003
	guardrailEvalFailed    = -32004

	recordFailed      = -32005
	reviewFailed      = -32006
	notFound          = -32007
	attributionFailed = -32008

	permissionDenied = -32009
	conflict         = -32010
)

// problem is an error of JSON-RPC. Data is the fault: its code, hint, id and details, and allowed: false where a gate could not judge.
type problem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// failures are what a method's own code is where it could not do what it is for.
var failures = map[string]int{
	"cstp.queryDecisions": queryFailed, "cstp.listDecisions": queryFailed, "cstp.getDecision": queryFailed, "cstp.getStats": queryFailed,
	"cstp.checkGuardrails": guardrailEvalFailed, "cstp.preAction": guardrailEvalFailed, "cstp.announceIntent": guardrailEvalFailed, "cstp.listGuardrails": guardrailEvalFailed,
	"cstp.recordDecision": recordFailed, "cstp.updateDecision": recordFailed, "cstp.recordThought": recordFailed,
	"cstp.reviewDecision": reviewFailed, "cstp.attributeOutcomes": attributionFailed,
}

// spelledMethod has errors name what a caller of CSTP calls: the method of an operation, or its command where it has none.
func spelledMethod(name string) (string, bool) {
	o, known := tools.Find(tools.Catalog, name)
	if !known || o.CSTP != "" {
		return o.CSTP, known
	}
	return o.Shell(), true
}

// malformed is the problem of a request that comes to no method. Its data is a fault, as that of every problem.
func malformed(code int, hint, format string, args ...any) *problem {
	f := apperr.Newf(apperr.Validation, format, args...).WithHint("%s", hint)
	return &problem{Code: code, Message: f.Error(), Data: f}
}

// problemOf says a fault in the codes of the protocol, as the failure of a method.
func problemOf(err error, method string) *problem {
	f := tools.Spelled(apperr.From(err), spelledMethod)
	p := &problem{Message: f.Error(), Data: f}
	switch f.Code {
	case apperr.Validation:
		p.Code = invalidParams
	case apperr.Unauthenticated:
		p.Code = authenticationRequired
	case apperr.RateLimited:
		p.Code = rateLimited
	case apperr.PermissionDenied:
		p.Code = permissionDenied
	case apperr.NotFound:
		p.Code = notFound
	case apperr.Conflict:
		p.Code = conflict
	case apperr.QueryRefused, apperr.QueryFailed:
		p.Code = queryFailed
	case apperr.RuleFailed:
		p.Code = guardrailEvalFailed
	case apperr.Unavailable, apperr.QueryTimeout:
		if p.Code = failures[method]; p.Code == 0 {
			p.Code = internalError
		}
	default:
		p.Code = internalError
	}
	return p
}

// refusal is how a request is refused that came to no method.
func refusal(f *apperr.Error) any {
	p := problemOf(f, "")
	if f.Code == apperr.Validation { // of the request, not of params
		p.Code = invalidRequest
	}
	return failed(nil, p)
}

// text is JSON as every door writes it.
func text(value any) ([]byte, error) { return render.JSON(value) }
