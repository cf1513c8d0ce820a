package rest

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/server"
)

// Arguments that headers can set.
const (
	requestKey = "request_key"
	ifVersion  = "if_version"
)

// underConditions adds arguments from conditional headers. A condition that would be ignored is refused, because its
// sender relies on it.
func (rt *route) underConditions(r *http.Request, arguments json.RawMessage) (json.RawMessage, error) {
	if rt.operation.Hints.ReadOnly {
		return arguments, nil // the call is idempotent and changes nothing
	}
	var err error
	if key := idempotencyKey(r.Header); key != "" {
		switch {
		case rt.operation.Input().Properties[requestKey] != nil:
			if arguments, err = withArgument(arguments, requestKey, key, "Idempotency-Key"); err != nil {
				return nil, err
			}
		case !rt.operation.Hints.Idempotent:
			return nil, apperr.Newf(apperr.Validation, "`%s` does not support Idempotency-Key: each call acts again",
				rt.operation.Name).
				WithHint("Send the call without the header, and check the state before you repeat it")
		}
	}
	if given := r.Header.Values("If-None-Match"); given != nil && !strings.HasPrefix(rt.operation.Name, "create_") {
		if _, any := server.Tags(given); any {
			return nil, server.WithStatus(http.StatusPreconditionFailed,
				apperr.Newf(apperr.Conflict, "`%s` changes only what exists, which If-None-Match: * forbids",
					rt.operation.Name).
					WithHint("Send If-Match with the ETag of your last read"))
		}
		return nil, apperr.Newf(apperr.Validation, "`%s` does not support If-None-Match", rt.operation.Name).
			WithHint("Send the call without the header")
	}
	if r.Header.Values("If-Match") == nil {
		return arguments, nil
	}
	versions, any := server.Tags(r.Header.Values("If-Match"))
	switch {
	case any:
		return arguments, nil // a missing node cannot be changed anyway
	case rt.operation.Input().Properties[ifVersion] == nil:
		return nil, apperr.Newf(apperr.Validation, "`%s` does not support If-Match", rt.operation.Name).
			WithHint("Send the call without the header")
	case len(versions) != 1:
		return nil, apperr.New(apperr.Validation, "If-Match must name one version").
			WithHint(`Send the ETag of your last read: If-Match: "..."`)
	case len(versions[0]) < *rt.operation.Input().Properties[ifVersion].MinLength: // no version of ours is so short
		return nil, server.WithStatus(http.StatusPreconditionFailed,
			apperr.New(apperr.Conflict, "The current version is another one than If-Match names").
				WithHint("Read it again and send its ETag"))
	}
	return withArgument(arguments, ifVersion, versions[0], "If-Match")
}

// idempotencyKey is a string, which may be quoted.
func idempotencyKey(h http.Header) string {
	key := strings.TrimSpace(h.Get("Idempotency-Key"))
	if len(key) > 1 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	return key
}

// Content types of answers.
const (
	asJSON = "application/json"
	asText = "text/plain"
)

// kind negotiates the content type: JSON, or the text of a document. It returns an error with status 406 if the client
// accepts neither.
func (rt *route) kind(r *http.Request) (string, error) {
	offered := []string{asJSON}
	if rt.document != "" {
		offered = append(offered, asText)
	}
	ranges := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(ranges) == "" {
		return asJSON, nil
	}
	best, limit := "", 0.0
	for _, kind := range offered {
		if weight := weightOf(kind, ranges); weight > limit {
			best, limit = kind, weight
		}
	}
	if best == "" {
		return "", server.WithStatus(http.StatusNotAcceptable,
			apperr.New(apperr.Validation, "No answer has the type that Accept requests").
				WithHint("Available: %s", strings.Join(offered, " and ")))
	}
	return best, nil
}

// weightOf returns the quality value of a type, from 0 to 1, by the most specific range of Accept.
func weightOf(kind, ranges string) float64 {
	weight, closest := 0.0, -1
	family, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(ranges, ",") {
		wanted, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		closeness := -1
		switch wanted {
		case kind:
			closeness = 2
		case family + "/*":
			closeness = 1
		case "*/*":
			closeness = 0
		}
		if closeness <= closest {
			continue
		}
		weight, closest = 1, closeness
		if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
			weight = q
		}
	}
	return weight
}
