package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
)

// retryAfter is the detail of an error with the seconds until a retry makes sense.
const retryAfter = "retry_after_seconds"

// RetryIn adds the seconds until a retry makes sense to an error.
func RetryIn(seconds int, f *apperr.Error) *apperr.Error { return f.With(retryAfter, seconds) }

// statuses are the HTTP statuses of error codes; others are internal errors.
var statuses = map[apperr.Code]int{
	apperr.Validation:       http.StatusBadRequest,
	apperr.Unauthenticated:  http.StatusUnauthorized,
	apperr.PermissionDenied: http.StatusForbidden,
	apperr.NotFound:         http.StatusNotFound,
	apperr.Conflict:         http.StatusConflict,
	apperr.RateLimited:      http.StatusTooManyRequests,
	apperr.QueryRefused:     http.StatusBadRequest,
	apperr.QueryFailed:      http.StatusBadRequest,
	apperr.QueryTimeout:     http.StatusGatewayTimeout,
	apperr.Unavailable:      http.StatusServiceUnavailable,
}

// Status returns the HTTP status of an error.
func Status(err error) int {
	var precise *statusError
	if errors.As(err, &precise) {
		return precise.status
	}
	return cmp.Or(statuses[apperr.From(err).Code], http.StatusInternalServerError)
}

// statusError is an error with an HTTP status of its own.
type statusError struct {
	error
	status int
}

// WithStatus returns an error with a more precise HTTP status than that of its code.
func WithStatus(status int, err error) error { return &statusError{err, status} }

func (p *statusError) Unwrap() error { return p.error }

// problem is an error in the format of RFC 9457 with additional members.
type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance"`
	*apperr.Error
}

// Refuse answers with an error in the form of RFC 9457.
func Refuse(w http.ResponseWriter, r *http.Request, err error) {
	f, status := apperr.From(err), Status(err)
	record, ok := r.Context().Value(recordKey{}).(*record)
	if ok && slices.ContainsFunc(record.refusals,
		func(answer func(http.ResponseWriter, *http.Request, *apperr.Error) bool) bool { return answer(w, r, f) }) {
		return
	}
	if ok && record.failsClosed {
		f = f.Deny()
	}
	h := w.Header()
	if seconds, ok := f.Details[retryAfter].(int); ok {
		h.Set("Retry-After", strconv.Itoa(seconds))
	} else if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1") // the database may answer the next request
	}
	if more := ScopeChallenge(r, err); more != "" {
		h.Set("WWW-Authenticate", more)
	}
	h.Del("Content-Length")
	if ok && record.form != nil {
		Answer(w, status, record.form(f))
		return
	}
	h.Set("Content-Type", "application/problem+json")
	text, err := render.JSON(problem{Type: "urn:nomograph:problem:" + string(f.Code), Title: http.StatusText(status),
		Status: status, Detail: f.Message,
		Instance: "urn:uuid:" + f.ID, Error: f})
	if err != nil { // strings and numbers always encode
		text = fmt.Appendf(nil, `{"status":%d}`, status)
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append(text, '\n'))
	}
}
