package cstp

import (
	"cmp"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/tools"
)

// Error codes of JSON-RPC, of the CSTP design, and of CSTP in use. The last codes are Nomograph's, for errors without a
// code in the others.
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

// problem is a JSON-RPC error. Data is our error: its code, hint, id and details, and allowed: false if a policy check
// failed.
type problem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// failures maps a method to the code of its errors.
var failures = map[string]int{
	"cstp.queryDecisions": queryFailed, "cstp.listDecisions": queryFailed, "cstp.getDecision": queryFailed,
	"cstp.getStats":        queryFailed,
	"cstp.checkGuardrails": guardrailEvalFailed, "cstp.preAction": guardrailEvalFailed,
	"cstp.announceIntent": guardrailEvalFailed, "cstp.listGuardrails": guardrailEvalFailed,
	"cstp.recordDecision": recordFailed, "cstp.updateDecision": recordFailed, "cstp.recordThought": recordFailed,
	"cstp.reviewDecision": reviewFailed, "cstp.attributeOutcomes": attributionFailed,
}

// problemCodes maps our error codes to those of the protocol; others are internal errors.
var problemCodes = map[apperr.Code]int{apperr.Validation: invalidParams, apperr.Unauthenticated: authenticationRequired,
	apperr.RateLimited: rateLimited, apperr.PermissionDenied: permissionDenied, apperr.NotFound: notFound,
	apperr.Conflict: conflict, apperr.QueryRefused: queryFailed, apperr.QueryFailed: queryFailed,
	apperr.RuleFailed: guardrailEvalFailed}

// displayMethod returns the name of an operation for errors: its CSTP method, or its command.
func displayMethod(name string) (string, bool) {
	o, ok := tools.Find(tools.Catalog, name)
	if !ok || o.CSTP != "" {
		return o.CSTP, ok
	}
	return o.Shell(), true
}

// malformedRequest returns the problem of a request without a valid method. Its data is an error, as for every problem.
func malformedRequest(code int, hint, format string, args ...any) *problem {
	f := apperr.Newf(apperr.Validation, format, args...).WithHint("%s", hint)
	return &problem{Code: code, Message: f.Error(), Data: f}
}

// problemOf converts the error of a method to the protocol's codes.
func problemOf(err error, method string) *problem {
	f := tools.SpellError(apperr.From(err), displayMethod)
	code := problemCodes[f.Code]
	if f.Code == apperr.Unavailable || f.Code == apperr.QueryTimeout {
		code = failures[method]
	}
	return &problem{Code: cmp.Or(code, internalError), Message: f.Error(), Data: f}
}

// refusal is the response to a request that reached no method.
func refusal(f *apperr.Error) any {
	p := problemOf(f, "")
	if f.Code == apperr.Validation { // the request is invalid, not its params
		p.Code = invalidRequest
	}
	return failed(nil, p)
}

// text is JSON as every transport writes it.
func text(value any) ([]byte, error) { return render.JSON(value) }
