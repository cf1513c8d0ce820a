package search

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/retry"
)

// Endpoint is a server with an OpenAI-compatible /embeddings endpoint.
type Endpoint struct {
	URL     string // base URL, such as http://127.0.0.1:11434/v1
	Model   string
	Key     string        // optional
	Timeout time.Duration // per request; 0 means 10 s
}

const (
	maxInputs      = 128     // texts per request
	maxInputBytes  = 256_000 // per request
	attempts       = 3       // per request
	maxRetryAfter  = 60      // maximum Retry-After in seconds
	defaultTimeout = 10 * time.Second
)

// NewOpenAI returns an embedder that calls an endpoint. Its errors are unavailable errors that never contain the key.
func NewOpenAI(e Endpoint) Embedder {
	return &endpoint{e, &http.Client{Timeout: cmp.Or(e.Timeout, defaultTimeout)}}
}

// statusError is the HTTP status of an answer without vectors.
type statusError int

func (e statusError) Error() string { return http.StatusText(int(e)) }

type endpoint struct {
	at   Endpoint
	http *http.Client
}

func (e *endpoint) Model() string { return e.at.Model }

func (e *endpoint) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var batch []int // indexes of texts; endpoints reject empty ones
	size, dimensions := 0, 0
	send := func() error {
		if len(batch) == 0 {
			return nil
		}
		inputs := lists.Map(batch, func(place int) string { return cut(redact.Mask(texts[place])) })
		got, err := e.request(ctx, inputs)
		if err != nil {
			return err
		}
		for i, place := range batch {
			if dimensions = cmp.Or(dimensions, len(got[i])); len(got[i]) != dimensions {
				return e.configError("vectors of %d and of %d dimensions", dimensions, len(got[i]))
			}
			vectors[place] = got[i]
		}
		batch, size = batch[:0], 0
		return nil
	}
	for place, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if bytes := min(len(text), maxText); len(batch) == maxInputs || size+bytes > maxInputBytes {
			if err := send(); err != nil {
				return nil, err
			}
		}
		batch, size = append(batch, place), size+min(len(text), maxText)
	}
	return vectors, send()
}

// embeddings is an answer of the endpoint.
type embeddings struct {
	Data []struct {
		Index     int
		Embedding []float32
	}
}

// send sends a request once. Only a lost connection and an overloaded server are worth another request.
func (e *endpoint) send(ctx context.Context, inputs []string) (answer embeddings, err error) {
	body, err := json.Marshal(map[string]any{"model": e.at.Model, "input": inputs, "encoding_format": "float"})
	if err != nil { // cannot happen: texts
		return answer, retry.Stop(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(e.at.URL, "/")+"/embeddings",
		bytes.NewReader(body))
	if err != nil {
		return answer, retry.Stop(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if e.at.Key != "" {
		r.Header.Set("Authorization", "Bearer "+e.at.Key)
	}
	response, err := e.http.Do(r)
	if certificate := (*tls.CertificateVerificationError)(nil); errors.As(err, &certificate) {
		err = retry.Stop(err)
	}
	if err != nil {
		return answer, err
	}
	defer func() { _ = response.Body.Close() }()
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests || status >= 500 && status != http.StatusNotImplemented:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return answer, retry.After(statusError(status), time.Duration(min(max(seconds, 0), maxRetryAfter))*time.Second)
	case status/100 != 2:
		return answer, retry.Stop(statusError(status))
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return answer, retry.Stop(err)
	}
	return answer, nil
}

// request returns the vectors of at most maxInputs texts and validates the response.
func (e *endpoint) request(ctx context.Context, inputs []string) ([][]float32, error) {
	answer, err := retry.Do(ctx, retry.Policy{Attempts: attempts, First: 500 * time.Millisecond, Max: defaultTimeout},
		func() (embeddings, error) { return e.send(ctx, inputs) })
	if err != nil {
		return nil, e.requestError(ctx, err)
	}
	if len(answer.Data) != len(inputs) {
		return nil, e.configError("%d vectors for %d texts", len(answer.Data), len(inputs))
	}
	vectors := make([][]float32, len(inputs))
	for _, item := range answer.Data {
		if item.Index < 0 || item.Index >= len(vectors) || vectors[item.Index] != nil {
			return nil, e.configError("an invalid or repeated index %d", item.Index)
		}
		if vectors[item.Index] = unit(item.Embedding); vectors[item.Index] == nil {
			return nil, e.configError("a vector of length 0")
		}
	}
	return vectors, nil
}

func (e *endpoint) configError(format string, args ...any) error {
	return apperr.Newf(apperr.Unavailable, "The embedder at %s gave %s", e.host(), fmt.Sprintf(format, args...)).
		WithHint("Check that the endpoint speaks OpenAI's /embeddings and that embedder.model names an embedding model")
}

// requestError converts an error and omits the response body, which can contain the key.
func (e *endpoint) requestError(ctx context.Context, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var cause error
	message, hint := "does not answer", "Check embedder.url and that the server runs; decisions are found by keyword meanwhile"
	var status statusError
	_ = errors.As(err, &status)
	switch {
	case ctx.Err() != nil:
		message, cause = "had not answered when the call ended", ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		message, hint = "did not answer in time", "Check embedder.timeout and the server's load; decisions are found by keyword meanwhile"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		message, hint = fmt.Sprintf("refused the key (%d)", status), "Check embedder.key"
	case status > 0:
		message, hint = fmt.Sprintf("answered %d %s", status, status.Error()), "Check embedder.url and embedder.model"
	case errors.As(err, &syntax), errors.As(err, &kind):
		return e.configError("an invalid answer")
	}
	if cause == nil && e.at.Key != "" {
		cause = errors.New(strings.ReplaceAll(err.Error(), e.at.Key, "***"))
	}
	return apperr.Newf(apperr.Unavailable, "The embedder at %s %s", e.host(), message).WithHint("%s", hint).
		Because(cmp.Or(cause, err))
}

// host returns the host of the endpoint, without a password or key in its URL.
func (e *endpoint) host() string {
	if u, err := url.Parse(e.at.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return "embedder.url"
}
