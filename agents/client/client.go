package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/loopback"
	"nomograph/internal/retry"
	"nomograph/internal/uid"
)

// agentHeader names the acting agent for a Nomograph server without authentication.
const agentHeader = "X-Nomograph-Agent"

const (
	connectTime     = 10 * time.Second
	maxAnswerLength = 4 << 20 // bytes: far more than fifty decisions need
	minBackoff      = 200 * time.Millisecond
	maxBackoff      = 5 * time.Second
)

// Client calls agents. It is safe for concurrent use and should be shared, because it holds idle connections.
type Client struct {
	// AllowHTTP allows sending tokens over unencrypted connections.
	AllowHTTP bool
	// Name is the agent name for servers without a token.
	Name string

	version string
	http    *http.Client
}

// New returns a client that reports this program version.
func New(version string) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second}).DialContext
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	transport.MaxResponseHeaderBytes = 64 << 10
	transport.MaxIdleConnsPerHost = 8
	return &Client{version: cmp.Or(version, "dev"),
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Call calls a method of an agent and decodes the result. An error of the agent is returned with our codes. It returns
// unavailable if the agent does not answer within its timeout or not in CSTP.
func (c *Client) Call(ctx context.Context, a Agent, method string, params, result any) error {
	if err := c.check(a); err != nil {
		return err
	}
	id := uid.Random()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return apperr.New(apperr.Validation, "Cannot encode the call as JSON").
			WithHint("Use text, numbers, lists and objects").Because(err)
	}
	answer, err := c.inTime(ctx, a, func(ctx context.Context) ([]byte, error) { return c.post(ctx, a, body) })
	if err != nil {
		return err
	}
	found, err := resultOf(a, id, answer)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(found, result); err != nil {
		return invalidAnswer(a).Because(err)
	}
	return nil
}

// check returns the reason why an agent cannot be called.
func (c *Client) check(a Agent) error {
	if a.problem != "" {
		return apperr.Newf(apperr.Validation, "Cannot call agent '%s': %s", a.Name, a.problem).
			WithHint("Correct the agents file, then try again")
	}
	address, err := url.Parse(a.URL)
	if err != nil {
		return apperr.Newf(apperr.Validation, "The address of agent '%s' is invalid", a.Name).
			WithHint("Correct its address in the agents file or with `add_agent`")
	}
	if a.token != "" && address.Scheme == "http" && !c.AllowHTTP && !loopback.Is(address.Hostname()) {
		return apperr.Newf(apperr.Validation, "The token of '%s' would be sent to %s unencrypted, so the call was not made", a.Name, address.Host).
			WithHint("Use https://, or set remote.allow_http on a trusted network")
	}
	return nil
}

// inTime calls the agent within its timeout. It repeats a request that may have been lost, with growing, randomized
// delays.
func (c *Client) inTime(ctx context.Context, a Agent, send func(context.Context) ([]byte, error)) ([]byte, error) {
	within, cancel := context.WithTimeout(ctx, cmp.Or(a.Timeout, defaultTimeout))
	defer cancel()
	end, _ := within.Deadline()
	answer, err := retry.Do(within, retry.Policy{Attempts: a.Retries + 1, First: minBackoff, Max: maxBackoff,
		Elapsed: time.Until(end)}, func() ([]byte, error) { return send(within) })
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil: // the caller canceled, which says nothing about the agent
		return nil, apperr.Newf(apperr.Unavailable, "'%s' had not answered when the call ended", a.Name).
			WithHint("Allow more time, or leave this agent out").Because(ctx.Err()).With("left_alone", true)
	case within.Err() != nil:
		return nil, apperr.Newf(apperr.Unavailable, "'%s' did not answer within %s", a.Name,
			cmp.Or(a.Timeout, defaultTimeout)).
			WithHint("Raise timeout_seconds in the agents file to wait longer").Because(within.Err())
	}
	return nil, err
}

// BreakerOpen returns the error for an agent that did not answer recently and is not called now.
func BreakerOpen(a Agent) error {
	return apperr.Newf(apperr.Unavailable, "'%s' is skipped because it did not answer recently", a.Name).
		WithHint("Nomograph asks it again %s after the failure", cmp.Or(a.Cooldown, defaultCooldown)).
		With("left_alone", true)
}

// IsNoAnswer reports whether an agent did not answer, in contrast to answering with an error, or to a call
// that was not made or not awaited.
func IsNoAnswer(err error) bool {
	return apperr.Is(err, apperr.Unavailable) && apperr.From(err).Details["left_alone"] != true
}

// post sends a call once. An error that a retry cannot fix is permanent.
func (c *Client) post(ctx context.Context, a Agent, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL+"/cstp", bytes.NewReader(body))
	if err != nil {
		return nil, retry.Stop(invalidAnswer(a).Because(err))
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	} else if c.Name != "" {
		r.Header.Set(agentHeader, url.QueryEscape(c.Name))
	}
	status, header, text, err := c.send(r, maxAnswerLength)
	switch {
	case err != nil:
		return nil, unreachableError(ctx, a, err)
	case len(text) > maxAnswerLength:
		return nil, retry.Stop(apperr.Newf(apperr.Unavailable, "The answer of '%s' is larger than %d MB", a.Name,
			maxAnswerLength>>20).WithHint("Ask for fewer results"))
	}
	text = removeToken(text, a.token)
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, err := strconv.Atoi(header.Get("Retry-After"))
		if err != nil || seconds <= 0 {
			return nil, httpStatusError(a, status)
		}
		return nil, retry.After(httpStatusError(a, status), time.Duration(min(seconds, 3600))*time.Second)
	}
	if status/100 != 2 && !json.Valid(text) { // a CSTP error has its own body
		return nil, retry.Stop(notCSTP(a, status))
	}
	return text, nil
}

// send sends a request and reads at most one byte more than the limit of the response.
func (c *Client) send(r *http.Request, limit int64) (status int, header http.Header, text []byte, err error) {
	r.Header.Set("User-Agent", "nomograph/"+c.version)
	response, err := c.http.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err = io.ReadAll(io.LimitReader(response.Body, limit+1))
	return response.StatusCode, response.Header, text, err
}
