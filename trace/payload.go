package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/redact"
)

const (
	maxPayload = 64 << 10 // bytes of JSON
	minText    = 256      // bytes to which a text is cut at most; a payload that is still too long is one of very many fields
)

// payloadText gives a payload as the JSON that is stored: without secrets, and no longer than maxPayload. It returns a
// validation_error for what has no JSON.
func payloadText(payload map[string]any) (string, error) {
	if payload == nil {
		payload = map[string]any{}
	}
	raw, err := json.Marshal(graph.Parameters(payload))
	var tree any
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber() // numbers stay as they were written
		err = decoder.Decode(&tree)
	}
	if err != nil {
		return "", apperr.New(apperr.Validation, "Cannot encode the event as JSON").WithHint("Use text, numbers, lists and objects").Because(err)
	}
	masked, _ := redact.Value(tree) // before it is cut: half a secret is not known for one
	text, err := jsonText(masked)
	for most := maxPayload / 2; err == nil && len(text) > maxPayload && most >= minText; most /= 2 {
		text, err = jsonText(cutTexts(masked, most))
	}
	if err == nil && len(text) > maxPayload {
		text, err = jsonText(map[string]any{"cut": cut(text, maxPayload/2)}) // a quote in it takes two bytes again
	}
	return text, err
}

// cutTexts cuts all texts in a value that are longer than most bytes.
func cutTexts(value any, most int) any {
	switch v := value.(type) {
	case string:
		return cut(v, most)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = cutTexts(item, most)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = cutTexts(item, most)
		}
		return out
	}
	return value
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s [cut: %d of %d bytes]", text[:end], end, len(text))
}

func jsonText(value any) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// payloadOf reads what payloadText wrote. Of what somebody else wrote there, it gives the text.
func payloadOf(text string) map[string]any {
	var whole graph.Parameters
	if json.Unmarshal([]byte(text), &whole) == nil {
		return whole
	}
	var large map[string]any // with an integer of more than 64 bits
	if json.Unmarshal([]byte(text), &large) == nil {
		return large
	}
	return map[string]any{"text": text}
}
