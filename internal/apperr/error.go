// Package apperr holds the error type of all transports: a code for programs, a message for the person who can act on
// it, and a hint that says what to do. The cause is logged and never part of an answer.
package apperr

import (
	"errors"
	"fmt"

	"nomograph/internal/uid"
)

// Code is a class of errors. The set is closed: every transport maps it to exit codes, HTTP statuses or CSTP numbers.
type Code string

// The error codes of the design.
const (
	Validation       Code = "validation_error"
	Unauthenticated  Code = "unauthenticated"
	PermissionDenied Code = "permission_denied" // missing permission, never a policy's verdict
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

// Error is the error that a caller sees. ID is a UUID that is logged with the cause.
type Error struct {
	Code    Code           `json:"error"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	ID      string         `json:"id"`
	Details map[string]any `json:"details,omitempty"`
	// Allowed is false for errors of policy checks, so that a client that reads only this field does not continue.
	Allowed *bool `json:"allowed,omitempty"`
	cause   error
}

// hints are the default hints by code. Operations and commands appear in backticks by name; each transport translates
// them.
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

// New returns an error with a new ID and the default hint of its code. The message is shown to callers, so it must not
// contain internals or secrets.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message, Hint: hints[code], ID: uid.Random()}
}

// Newf is New with a format string.
func Newf(code Code, format string, args ...any) *Error {
	return New(code, fmt.Sprintf(format, args...))
}

// WithHint sets the hint: what the caller can do about the error.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = format
	if len(args) > 0 {
		e.Hint = fmt.Sprintf(format, args...)
	}
	return e
}

// Deny returns the error as the result of a policy check: not allowed. It returns a copy, because the error may be
// shared.
func (e *Error) Deny() *Error {
	no, denied := false, *e
	denied.Allowed = &no
	return &denied
}

// With adds a machine-readable detail, such as similar names.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Because sets the cause, which is logged.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error returns the message, followed by the hint if there is one.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ". " + e.Hint
}

// Unwrap returns the cause, for logging and errors.Is.
func (e *Error) Unwrap() error { return e.cause }

// From returns the Error in err's chain, or wraps err as an internal error whose text is only logged. It returns nil
// for nil.
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

// Is reports whether err has this code.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
