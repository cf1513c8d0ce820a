package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/render"
)

const (
	maxPayload = 64 << 10 // bytes of JSON
	minText    = 256      // minimum bytes of a truncated text; a payload that is still too long has very many fields
)

// payloadText returns a payload as JSON with secrets masked, truncated to maxPayload. It returns a validation_error for
// values that JSON cannot represent.
func payloadText(payload map[string]any) (string, error) {
	if payload == nil {
		payload = map[string]any{}
	}
	raw, err := json.Marshal(graph.Parameters(payload))
	var tree any
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber() // numbers stay as written
		err = decoder.Decode(&tree)
	}
	if err != nil {
		return "", apperr.New(apperr.Validation, "Cannot encode the event as JSON").
			WithHint("Use text, numbers, lists and objects").Because(err)
	}
	masked, _ := redact.Value(tree) // before truncation, since half a secret is not recognized
	text, err := jsonText(masked)
	for limit := maxPayload / 2; err == nil && len(text) > maxPayload && limit >= minText; limit /= 2 {
		text, err = jsonText(cutTexts(masked, limit))
	}
	if err == nil && len(text) > maxPayload {
		text, err = jsonText(map[string]any{"cut": cut(text, maxPayload/2)}) // escaping can double the length
	}
	return text, err
}

// cutTexts truncates all texts in a value to most bytes.
func cutTexts(value any, limit int) any {
	switch v := value.(type) {
	case string:
		return cut(v, limit)
	case []any:
		return lists.Map(v, func(item any) any { return cutTexts(item, limit) })
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = cutTexts(item, limit)
		}
		return out
	}
	return value
}

func cut(text string, limit int) string {
	head := render.Prefix(text, limit)
	if head == text {
		return text
	}
	return fmt.Sprintf("%s [cut: %d of %d bytes]", head, len(head), len(text))
}

func jsonText(value any) (string, error) {
	var out strings.Builder
	err := writeLine(&out, value)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// payloadOf parses a stored payload. Invalid JSON is returned as text.
func payloadOf(text string) map[string]any {
	var payload graph.Parameters
	if json.Unmarshal([]byte(text), &payload) == nil {
		return payload
	}
	var large map[string]any // an integer has more than 64 bits
	if json.Unmarshal([]byte(text), &large) == nil {
		return large
	}
	return map[string]any{"text": text}
}
