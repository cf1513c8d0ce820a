package server

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"

	"nomograph/internal/apperr"
)

// WithStatus returns an error a more precise HTTP status than that of its code.
func WithStatus(status int, err error) error { return withStatus(status, err) }

// ReadJSON returns the body of a request, whose content type must be JSON; nil without a body. It returns a
// validation_error, which has status 415 for any other content type.
func ReadJSON(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, BodyError(err)
	}
	if body = bytes.TrimSpace(body); len(body) == 0 {
		return nil, nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, withStatus(http.StatusUnsupportedMediaType, apperr.Newf(apperr.Validation, "Unsupported Content-Type %q", shorten(r.Header.Get("Content-Type"))).
			WithHint("Send JSON with Content-Type: application/json"))
	}
	return body, nil
}

// BaseURL returns scheme, host and port as the client sees them. A proxy in front reports whether the client used TLS.
func BaseURL(r *http.Request) string {
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
