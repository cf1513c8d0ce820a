package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/retry"
	"nomograph/internal/uid"
)

// Call is one call of an operation.
type Call struct {
	Operation string
	Arguments json.RawMessage // an object; nil for none
	// Repeatable is true if a second call does no harm. Call then retries after a lost response.
	Repeatable bool
	// Keyed is true if the operation accepts an idempotency key, by which the server recognizes a repeated call, and
	// the arguments have none.
	Keyed bool
	// Asks is true if a person can be asked for missing input. A question of the operation is then returned as an error
	// (tools.AskAgain).
	Asks bool
}

const (
	maxTries        = 3
	maxRetryAfter   = 5 * time.Second // maximum delay that a server may request before a retry
	maxAnswerLength = 256 << 20       // bytes
)

// Call runs an operation at the server and returns its answer. It returns the operation's errors, and unavailable if
// the server cannot be reached, does not respond in time, or is not Nomograph.
func (c *Client) Call(ctx context.Context, call Call) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	key := ""
	if call.Keyed {
		key = uid.Random()
	}
	return retry.Do(ctx, retry.Policy{Attempts: maxTries, First: c.options.Wait}, func() (json.RawMessage, error) {
		answer, again, err := c.try(ctx, call, key)
		switch {
		case err == nil:
			return answer, nil
		case again < 0:
			return answer, retry.Stop(err)
		}
		return answer, retry.After(err, again)
	})
}

// try sends a call. again is the minimum delay before a retry; negative for no retry.
func (c *Client) try(ctx context.Context, call Call, key string) (answer json.RawMessage, again time.Duration,
	err error) {
	body := call.Arguments
	if len(body) == 0 {
		body = json.RawMessage("{}")
	}
	r, err := c.request(ctx, http.MethodPost, "/api/v1/tools/"+url.PathEscape(call.Operation), body)
	if err != nil {
		return nil, -1, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	if call.Asks {
		r.Header.Set(asksHeader, "true")
	}
	again = -1
	if call.Repeatable || key != "" {
		again = 0
	}
	response, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil || isTrust(err) {
			again = -1
		}
		return nil, again, c.unreachableError(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, requestedDelay(response, again), c.refusal(response)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerLength+1))
	switch {
	case err != nil:
		return nil, again, c.unreachableError(ctx, err)
	case len(text) > maxAnswerLength || !json.Valid(text):
		return nil, -1, c.notNomograph(response)
	}
	return bytes.TrimSpace(text), -1, nil
}

// requestedDelay returns the delay that a refusing server requested. If the call was not started, any call may be
// repeated.
func requestedDelay(response *http.Response, again time.Duration) time.Duration {
	switch response.StatusCode {
	case http.StatusTooManyRequests:
		again = 0
	case http.StatusBadGateway, http.StatusServiceUnavailable:
	default:
		return -1
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if wait := time.Duration(seconds) * time.Second; err == nil && again >= 0 {
		if again = wait; wait > maxRetryAfter {
			return -1
		}
	}
	return again
}

// refusal returns the error in a response.
func (c *Client) refusal(response *http.Response) error {
	const maxProblemLength = 1 << 20
	var problem apperr.Error
	text, err := io.ReadAll(io.LimitReader(response.Body, maxProblemLength))
	if err == nil {
		err = json.Unmarshal(text, &problem)
	}
	if err != nil || problem.Code == "" || problem.Message == "" {
		return c.notNomograph(response)
	}
	if problem.Code == apperr.Unauthenticated && c.options.Token == "" {
		_ = problem.WithHint("Set NOMOGRAPH_TOKEN, or name the variable that holds the token with --token-env; `create_token` makes one at the server")
	}
	return &problem
}

// notNomograph returns the error for a response that is not from Nomograph: from a proxy or another server.
func (c *Client) notNomograph(response *http.Response) error {
	status := response.StatusCode
	f := apperr.Newf(apperr.Unavailable, "%s answered %d %s, which is not a Nomograph answer", c.Server(), status,
		http.StatusText(status)).
		WithHint("Check the address, and the proxy before the server")
	switch {
	case response.Header.Get("Location") != "":
		f.Hint = "It redirects elsewhere. If that is intended, use the address that it redirects to"
	case status == http.StatusUnauthorized || status == http.StatusProxyAuthRequired:
		f.Code = apperr.Unauthenticated
	case status == http.StatusForbidden:
		f.Code = apperr.PermissionDenied
	}
	return f
}

// unreachableError returns the error for a server that cannot be reached.
func (c *Client) unreachableError(ctx context.Context, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return apperr.Newf(apperr.Unavailable, "%s did not answer within %s", c.Server(), c.options.Timeout).
			WithHint("The server may still be working on the call. Raise remote.timeout to wait longer").Because(err)
	case ctx.Err() != nil:
		return apperr.New(apperr.Unavailable, "The call was interrupted").
			WithHint("Check whether the server executed it before you call again").Because(err)
	case isTrust(err):
		return apperr.Newf(apperr.Unavailable, "The certificate of %s is not trusted: %v", c.Server(), err).
			WithHint("If the authority is your own, name its certificate with --ca-file").Because(err)
	}
	return apperr.Newf(apperr.Unavailable, "Cannot reach the server at %s: %v", c.Server(), err).
		WithHint("Check that it runs (`nomograph serve --http`) and that --url or NOMOGRAPH_URL is right").Because(err)
}

// isTrust reports whether a connection failed because the server's certificate is not trusted.
func isTrust(err error) bool {
	var unverified *tls.CertificateVerificationError
	var noTLS tls.RecordHeaderError
	return errors.As(err, &unverified) || errors.As(err, &noTLS)
}
