package server

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
)

// ReadJSON returns the body of a request, whose content type must be JSON; nil without a body. It returns a
// validation_error, which has status 415 for any other content type and comes with the body.
func ReadJSON(r *http.Request) ([]byte, error) {
	body, err := ReadText(r)
	if err != nil || len(body) == 0 {
		return nil, err
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return body, unsupportedType(r, "Send JSON with Content-Type: application/json")
	}
	return body, nil
}

// ReadText returns the body of a request without surrounding blanks. It returns a validation_error for bytes that are
// not text in UTF-8 or UTF-16, and for a charset that is neither, with status 415.
func ReadText(r *http.Request) ([]byte, error) {
	_, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch strings.ToLower(parameters["charset"]) {
	case "", "utf-8", "utf8", "us-ascii", "utf-16", "utf-16le", "utf-16be":
	default:
		return nil, unsupportedType(r, "Send the body as UTF-8")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, BodyError(err)
	}
	if body, err = document.Decode(body); err != nil {
		return nil, document.NotText("The body", err)
	}
	return bytes.TrimSpace(body), nil
}

func unsupportedType(r *http.Request, hint string) error {
	return WithStatus(http.StatusUnsupportedMediaType,
		apperr.Newf(apperr.Validation, "Unsupported Content-Type %q", shorten(r.Header.Get("Content-Type"))).
			WithHint("%s", hint))
}

// BaseURL returns scheme, host and port as the client sees them. A proxy in front reports whether the client used TLS.
func BaseURL(r *http.Request) string {
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
