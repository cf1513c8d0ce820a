package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/internal/retry"
)

// CSTP error codes with a meaning other than "the agent could not answer".
const (
	authRequired   = -32001
	rateLimited    = -32002
	notFound       = -32007
	methodNotFound = -32601
	invalidParams  = -32602
	invalidRequest = -32600

	permissionDenied = -32009 // sent by Nomograph servers
)

const maxRemoteText = 500 // characters of another agent's text inside our error

// resultOf returns the result in the response to the request with this id, or the agent's error.
func resultOf(a Agent, id string, text []byte) (json.RawMessage, error) {
	var response struct {
		ID     json.RawMessage
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	err := json.Unmarshal(text, &response)
	failed := response.Error != nil
	var of string
	switch {
	case err != nil || failed == (len(response.Result) > 0):
		return nil, invalidAnswer(a)
	case failed && string(response.ID) == "null": // a response to an unreadable request has no id
	case json.Unmarshal(response.ID, &of) != nil || of != id:
		return nil, invalidAnswer(a)
	}
	if !failed {
		return response.Result, nil
	}
	message := render.Cut(render.OneLine(response.Error.Message), maxRemoteText)
	code, hint := apperr.QueryFailed, ""
	switch response.Error.Code {
	case authRequired:
		code, hint = apperr.Unauthenticated, "Set the token in the agents file: agents: [{name, url, token: \"${VARIABLE}\"}]"
	case rateLimited:
		code = apperr.RateLimited
	case methodNotFound, notFound:
		code = apperr.NotFound
	case invalidParams, invalidRequest:
		code = apperr.Validation
	case permissionDenied:
		code = apperr.PermissionDenied
	}
	return nil, apperr.Newf(code, "'%s' answered: %s", a.Name, render.OrDash(message)).WithHint("%s", hint).
		With("code", response.Error.Code)
}

// IsMethodNotFound reports whether an agent does not know the method.
func IsMethodNotFound(err error) bool {
	f := apperr.From(err)
	return f != nil && f.Details["code"] == methodNotFound
}

// IsMethodDenied reports whether an agent knows the method but denies it to this caller.
func IsMethodDenied(err error) bool {
	f := apperr.From(err)
	return f != nil && f.Details["code"] == permissionDenied
}

func invalidAnswer(a Agent) *apperr.Error {
	return apperr.Newf(apperr.Unavailable, "The answer of '%s' is not CSTP", a.Name).
		WithHint("Check the address: %s", a.URL)
}

func httpStatusError(a Agent, status int) error {
	return apperr.Newf(apperr.Unavailable, "'%s' answered %d %s", a.Name, status, http.StatusText(status)).
		WithHint("Try again later")
}

// notCSTP returns the error for an HTTP status without a CSTP body.
func notCSTP(a Agent, status int) error {
	switch status {
	case http.StatusUnauthorized:
		return apperr.Newf(apperr.Unauthenticated, "'%s' rejected the token or got none", a.Name).
			WithHint("Set the token in the agents file")
	case http.StatusForbidden:
		return apperr.Newf(apperr.PermissionDenied, "'%s' does not permit this with this server's token", a.Name).
			WithHint("Ask its operator for a token with the permission")
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return apperr.Newf(apperr.NotFound, "The server of '%s' has no /cstp endpoint", a.Name).
			WithHint("Check the address: %s", a.URL)
	}
	return apperr.Newf(apperr.Unavailable, "'%s' answered %d %s, which is not CSTP", a.Name, status,
		http.StatusText(status)).
		WithHint("Check the address: %s", a.URL)
}

// unreachableError returns the error for an agent that cannot be reached. An agent with an invalid certificate is not
// retried.
func unreachableError(ctx context.Context, a Agent, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) { // without the URL, since errors show the agent's name
		err = wrapped.Err
	}
	var unverified *tls.CertificateVerificationError
	var noTLS tls.RecordHeaderError
	f := apperr.Newf(apperr.Unavailable, "Cannot reach '%s' at %s", a.Name, a.URL).
		WithHint("Check that the server runs and that the address is right").Because(err)
	switch {
	case ctx.Err() != nil:
		return retry.Stop(f)
	case errors.As(err, &unverified), errors.As(err, &noTLS):
		f.Message = "'" + a.Name + "' has no trusted certificate for " + a.URL
		return retry.Stop(f.WithHint("Use a certificate of an authority that this system trusts"))
	}
	return f
}

const hidden = "[secret]"

// removeToken removes the token from an agent's response: an agent can echo it, and responses are stored and shown. In
// JSON that is written again, the token has only one spelling.
func removeToken(text []byte, token string) []byte {
	if token == "" {
		return text
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err == nil && bytes.Contains(text, []byte(`\`)) {
		text, _ = render.JSON(tree)
		spelled, _ := render.JSON(token)
		token = string(spelled[1 : len(spelled)-1]) // without the quotes
	}
	return bytes.ReplaceAll(text, []byte(token), []byte(hidden))
}
