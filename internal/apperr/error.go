// Package apperr holds the error type of all transports: a code for programs, a message for the person who can act on
// it, and a hint that says what to do. The cause is logged and never part of an answer.
package apperr

import (
	"errors"
	"fmt"

	"nomograph/internal/uid"
)

// Code names a class of failure. The set is closed: every door maps it (exit codes, HTTP status, CSTP numbers).
type Code string

// The codes, as the design settles them.
const (
	Validation       Code = "validation_error"
	Unauthenticated  Code = "unauthenticated"
	PermissionDenied Code = "permission_denied" // missing rights, never a policy's verdict
	NotFound         Code = "not_found"
	Conflict         Code = "conflict"
	RateLimited      Code = "rate_limited"
	QueryRefused     Code = "query_refused"
	QueryFailed      Code = "query_failed"
	QueryTimeout     Code = "query_timeout"
	RuleFailed       Code = "rule_failed"
	Unavailable      Code = "unavailable"
	Internal         Code = "internal_error"
)

// Error is what a caller sees. ID is a UUID that stands in the log beside the cause.
type Error struct {
	Code    Code           `json:"error"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	ID      string         `json:"id"`
	Details map[string]any `json:"details,omitempty"`
	// Allowed is false where a gate could not judge: whoever reads only this field does not go on.
	Allowed *bool `json:"allowed,omitempty"`
	cause   error
}

// hints say what to do about an error of a code where nothing better is said. Operations and commands stand in backticks under their names,
// which each transport writes in its own way.
var hints = map[Code]string{
	Validation:       "Correct the value that the message names, then try again",
	Unauthenticated:  "Send the header Authorization: Bearer TOKEN",
	PermissionDenied: "Ask an administrator for a token with the permission",
	NotFound:         "Check the spelling, or list the existing items",
	Conflict:         "Read the current state, then decide again",
	RateLimited:      "Wait, then try again",
	QueryRefused:     "Use a query that only reads",
	QueryFailed:      "Correct the query, then try again",
	QueryTimeout:     "Narrow the query, or allow more time",
	RuleFailed:       "Find broken rules with `lint_policies`",
	Unavailable:      "Try again in a moment; find lasting causes with `run_doctor`",
	Internal:         "Find the cause in the log under this error's id",
}

// New makes an error with a fresh ID, and the hint of its code until WithHint gives a better one. The message is shown to callers, so it must not hold internals or secrets.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message, Hint: hints[code], ID: uid.Random()}
}

// Newf is New with a format.
func Newf(code Code, format string, args ...any) *Error {
	return New(code, fmt.Sprintf(format, args...))
}

// WithHint says what the caller can do about it.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = format
	if len(args) > 0 {
		e.Hint = fmt.Sprintf(format, args...)
	}
	return e
}

// Deny gives the error as the answer of a gate: not allowed. It is a copy, since others may be told of the same failure.
func (e *Error) Deny() *Error {
	no, denied := false, *e
	denied.Allowed = &no
	return &denied
}

// With adds a fact that a program can read, such as the names that came nearest.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Because keeps what went wrong underneath for the log.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error is the message, followed by the hint where there is one.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ". " + e.Hint
}

// Unwrap gives what Because kept, for the log and errors.Is.
func (e *Error) Unwrap() error { return e.cause }

// From finds the Error in err's chain, or wraps err as an internal error whose text stays in the log.
// A nil err gives nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(Internal, "Internal error").
		WithHint("Find the cause in the log under this error's id").Because(err)
}

// Is tells whether err carries the code.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
