package cstp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"nomograph/internal/document"
	"nomograph/internal/lists"
)

// answer is the response to one request.
type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *problem        `json:"error,omitempty"`
}

var null = json.RawMessage("null")

func failed(id json.RawMessage, p *problem) answer {
	if id == nil {
		id = null
	}
	return answer{JSONRPC: version, ID: id, Error: p}
}

const (
	version       = "2.0"
	maxCalls      = 100 // maximum in one batch
	maxIDLength   = 256 // bytes
	maxNameLength = 200

	parseHint   = "Send one request of JSON-RPC 2.0, or a list of them"
	requestHint = `A request looks like {"jsonrpc": "2.0", "id": 1, "method": "cstp.queryDecisions", "params": {"query": "migrations"}}`
)

// entry is one member of a batch, or the only request of JSON-RPC 2.0: a call or its error.
type entry struct {
	id     json.RawMessage // as sent; nil for a notification
	method string
	params json.RawMessage // an object; nil if absent
	wrong  *problem
}

// read parses a body: its calls, and whether they are a batch. An error of the whole body is a problem.
func read(ctx context.Context, body []byte) (entries []entry, batch bool, wrong *problem) {
	limits := document.DefaultLimits()
	limits.Bytes = maxBodyLength
	var unread *document.Error
	if err := document.JSON(ctx, body, limits); errors.As(err, &unread) {
		if unread.Problems[0].Path == nil {
			return nil, false, malformedRequest(parseError, parseHint, "The body is not valid JSON: %s", unread.Error())
		}
		return nil, false, malformedRequest(invalidRequest, requestHint, "Invalid request: %s", unread.Error())
	} else if err != nil {
		return nil, false, problemOf(err, "")
	}
	if body[0] != '[' {
		return []entry{entryOf(body)}, false, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, false, malformedRequest(parseError, parseHint, "The body is not JSON")
	}
	if len(list) == 0 || len(list) > maxCalls {
		return nil, false, malformedRequest(invalidRequest, "Send them in several batches",
			"A batch has 1 to %d requests, not %d", maxCalls, len(list))
	}
	entries = lists.Map(list, entryOf)
	return entries, true, nil
}

// entryOf parses one request. Names are case-sensitive, and members unknown to JSON-RPC are ignored.
func entryOf(raw json.RawMessage) entry {
	var e entry
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return entry{wrong: malformedRequest(invalidRequest, requestHint,
			"A request is an object with jsonrpc, method, params and id")}
	}
	if id, ok := fields["id"]; ok {
		if e.id = bytes.TrimSpace(id); !isID(e.id) {
			return entry{wrong: malformedRequest(invalidRequest, requestHint,
				"`id` must be text or a number of at most %d bytes", maxIDLength)}
		}
	}
	wrong := func(message string) entry {
		e.wrong = malformedRequest(invalidRequest, requestHint, "%s", message)
		return e
	}
	var body string
	if json.Unmarshal(fields["jsonrpc"], &body) != nil || body != version {
		return wrong("`jsonrpc` is not \"2.0\"")
	}
	if isNull(fields["method"]) || json.Unmarshal(fields["method"], &e.method) != nil || e.method == "" {
		return wrong("`method` is not the name of a method, such as cstp.queryDecisions")
	}
	switch e.params = bytes.TrimSpace(fields["params"]); {
	case len(e.params) == 0 || isNull(e.params):
		e.params = nil
	case e.params[0] == '[':
		e.wrong = malformedRequest(invalidParams, requestHint,
			"`params` must be an object, since parameters have names")
	case e.params[0] != '{':
		return wrong("`params` must be an object")
	}
	return e
}

// isID reports whether a value is a JSON-RPC id: a string, a number or null.
func isID(raw json.RawMessage) bool {
	if len(raw) == 0 || len(raw) > maxIDLength {
		return false
	}
	c := raw[0]
	return c == '"' || c == '-' || c >= '0' && c <= '9' || isNull(raw)
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, null) }
