package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"nomograph/internal/pattern"
)

// codes of JSON-RPC.
const (
	invalidRequest = -32600
	invalidParams  = -32602
)

// batchRevision is the only revision that has batches.
const batchRevision = "2025-03-26"

// maxBatch is the limit of messages in a batch.
const maxBatch = 100

// isBatch reports whether a message is a list.
func isBatch(message []byte) bool {
	return len(message) > 0 && message[0] == '[' && json.Valid(message)
}

// invalid returns why a message is no valid message of JSON-RPC, with the error code; "" if it is valid, or no JSON,
// which the library reports.
func invalid(message []byte) (problem string, code int) {
	if !json.Valid(message) {
		return "", 0
	}
	m := members(message)
	switch {
	case m == nil:
		return "A message must be an object", invalidRequest
	case m["method"] == nil:
		return "", 0 // an answer to a question of this server, or reported by the library
	case m["method"][0] != '"':
		return "method must be text", invalidRequest
	case m["result"] != nil || m["error"] != nil:
		return "A message has either a method or a result", invalidRequest
	case m["id"] != nil && !validID(m["id"]) && !(string(m["id"]) == "null" &&
		strings.HasPrefix(string(m["method"]), `"notifications/`)):
		return "id must be text or a whole number", invalidRequest
	case m["params"] != nil && m["params"][0] != '{' && string(m["params"]) != "null":
		return "params must be an object", invalidParams
	}
	return "", 0
}

// invalidInBatch is problemOf for a message of a batch.
func invalidInBatch(message []byte) (problem string, code int) {
	if gjson.GetBytes(message, "method").Str == string(mcp.MethodInitialize) {
		return "initialize cannot be part of a batch", invalidRequest
	}
	return problemOf(message)
}

// members returns the members of an object, nil for any other value.
func members(message []byte) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(message, &m) // m stays nil
	return m
}

// validID reports whether a request may have this id.
func validID(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	number, err := strconv.ParseFloat(string(id), 64)
	return err == nil && number == math.Trunc(number)
}

// refusal returns the answer to a request that cannot be processed; nil for a notification and for an answer of the
// client. An invalid id becomes null.
func refusal(message []byte, problem string, code int) []byte {
	m := members(message)
	id := m["id"]
	switch {
	case m != nil && (m["method"] == nil || id == nil):
		return nil
	case m == nil || !validID(id):
		id = json.RawMessage("null")
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": problem}})
	if err != nil { // cannot happen: valid JSON
		return nil
	}
	return answer
}

// batch returns the messages of a batch. If the batch is refused, it returns the answers to its requests.
func batch(message []byte, revision string) (messages []json.RawMessage, refused [][]byte) {
	_ = json.Unmarshal(message, &messages) // isBatch said that it is a list
	var problem string
	switch {
	case len(messages) == 0:
		return nil, [][]byte{refusal(nil, "The batch is empty", invalidRequest)}
	case revision != batchRevision:
		problem = "Only protocol version " + batchRevision + " has batches. Send each message alone"
	case len(messages) > maxBatch:
		problem = fmt.Sprintf("The batch has more than %d messages", maxBatch)
	default:
		return messages, nil
	}
	for _, one := range messages {
		if answer := refusal(one, problem, invalidRequest); answer != nil {
			refused = append(refused, answer)
		}
	}
	return nil, refused
}

// list writes the answers of a batch, nil if there are none.
func list(answers [][]byte) []byte {
	if len(answers) == 0 {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(answers, []byte(","))...), ']')
}

// asWritten begins an id in the form for the library, which would round large numbers: the number of the batch, or
// nothing, a colon, and the id as the client wrote it.
const asWritten = "as-written:"

// exact matches ids that the library returns as they came.
var exact = pattern.New(`^(?:-?[0-9]{1,15}|"[^\\]*")$`)

// forLibrary returns a message with ids in the form for the library. batch is the number of its batch, 0 for none.
func forLibrary(message []byte, batch int) []byte {
	message = asCall(message)
	paths := []string{"id", `params._meta.progressToken`}
	switch found := gjson.GetManyBytes(message, "method", "id"); {
	case !found[0].Exists():
		return message
	case found[0].Str == "notifications/cancelled":
		paths = []string{"params.requestId"}
	}
	for _, path := range paths {
		raw, prefix := gjson.GetBytes(message, path).Raw, asWritten+":"
		if path == "id" && batch > 0 {
			prefix = asWritten + strconv.Itoa(batch) + ":"
		} else if exact.MatchString(raw) && !strings.HasPrefix(raw, `"`+asWritten) {
			continue
		}
		if raw == "" || raw == "null" {
			continue
		}
		if changed, err := sjson.SetBytes(message, path, prefix+raw); err == nil {
			message = changed
		}
	}
	return message
}

// written returns an id as the client wrote it, and the number of its batch.
func written(id string) (raw json.RawMessage, batch int, ok bool) {
	id, ok = strings.CutPrefix(id, asWritten)
	number, text, _ := strings.Cut(id, ":")
	batch, _ = strconv.Atoi(number) // 0 for none
	return json.RawMessage(text), batch, ok
}

// fromLibrary returns a message of the library with ids as the client wrote them, and the number of the batch that it
// answers, 0 for none.
func fromLibrary(message []byte) (_ []byte, batch int) {
	message = withResult(message)
	if !bytes.Contains(message, []byte(asWritten)) {
		return message, 0
	}
	const subscription = `_meta.io\.modelcontextprotocol/subscriptionId`
	for _, path := range []string{"id", "params." + subscription, "result." + subscription} {
		raw, of, ok := written(gjson.GetBytes(message, path).Str)
		if !ok {
			continue
		}
		if changed, err := sjson.SetRawBytes(message, path, raw); err == nil {
			message, batch = changed, max(batch, of)
		}
	}
	return message, batch
}

// isListChanged reports whether a message says that a list changed.
func isListChanged(message []byte) bool {
	const long = 1000 // bytes; no such notification has as many
	return len(message) < long && strings.HasSuffix(gjson.GetBytes(message, "method").Str, "/list_changed")
}
