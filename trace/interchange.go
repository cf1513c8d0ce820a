package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// genesis is the previous hash of the first event in a TRACE/1.0 chain.
var genesis = strings.Repeat("0", 64)

// traceEvent is an event in TRACE/1.0. The field nomograph is an extension that TRACE/1.0 does not hash. It holds the
// same event as Nomograph's own chain covers it.
type traceEvent struct {
	Version      string          `json:"trace_version"`
	ID           string          `json:"event_id"`
	TraceID      string          `json:"trace_id"`
	SpanID       string          `json:"span_id"`
	ParentSpanID *string         `json:"parent_span_id,omitempty"`
	SessionID    string          `json:"session_id"`
	Sequence     int64           `json:"sequence"`
	Timestamp    string          `json:"timestamp"`
	Type         string          `json:"event_type"`
	Payload      json.RawMessage `json:"payload"`
	Hash         string          `json:"event_hash"`
	Previous     string          `json:"previous_event_hash"`
	Own          *ownEvent       `json:"nomograph,omitempty"`
}

// traceTypes maps event types to those of TRACE/1.0, which has a closed list. All other types become action.executed.
var traceTypes = map[string]string{"session.started": "session.started", "session.ended": "session.ended",
	"context.given": "context.injected", "check": "policy.evaluated",
	"query": "carp.request.received", "lookup": "carp.request.received", "stats": "carp.request.received",
	"approval.granted": "action.approved", "approval.denied": "action.denied"}

func traceType(kind string, payload []byte) string {
	if kind == "action.reported" {
		var text struct{ Decision string }
		_ = json.Unmarshal(payload, &text) // if this fails, the type is action.requested
		switch text.Decision {
		case "approved", "denied":
			return "action." + text.Decision
		}
		return "action.requested"
	}
	return cmp.Or(traceTypes[kind], "action.executed")
}

// asTRACE writes the event in TRACE/1.0 after the event with the hash previous, and returns its TRACE/1.0 hash.
func (e ownEvent) asTRACE(b *strings.Builder, previous string) (string, error) {
	event := traceEvent{Version: "1.0", ID: e.UID, TraceID: e.Session, SpanID: e.UID, SessionID: e.SessionID,
		Sequence: e.Seq, Timestamp: e.At.Format(time.RFC3339Nano),
		Type: traceType(e.Type, e.Payload), Payload: e.Payload, Previous: previous}
	if e.Forgotten {
		event.Payload = json.RawMessage("null")
	}
	event.Hash = event.hash()
	e.Payload = nil // already in event.Payload
	event.Own = &e
	return event.Hash, writeLine(b, event)
}

// hash returns the hash of TRACE/1.0: the SHA-256 in hex of the concatenated fields without separators.
func (e traceEvent) hash() string {
	parent := ""
	if e.ParentSpanID != nil {
		parent = *e.ParentSpanID
	}
	var form bytes.Buffer
	for _, field := range []string{e.Version, e.ID, e.TraceID, e.SpanID, parent, e.SessionID,
		strconv.FormatInt(e.Sequence, 10), hashedTime(e.Timestamp), e.Type} {
		form.WriteString(field)
	}
	form.WriteString(canonicalTRACE(e.Payload))
	form.WriteString(e.Previous)
	return digest(form.Bytes())
}

// hashedTime formats a time as the reference implementation of TRACE/1.0 does for hashing: with an offset and 0, 3, 6
// or
// 9 fractional digits.
func hashedTime(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	at = at.UTC()
	form := "2006-01-02T15:04:05"
	switch n := at.Nanosecond(); {
	case n == 0:
	case n%1_000_000 == 0:
		form += ".000"
	case n%1000 == 0:
		form += ".000000"
	default:
		form += ".000000000"
	}
	return at.Format(form) + "+00:00"
}

// canonicalTRACE returns the JSON that TRACE/1.0 hashes: sorted unescaped keys, no white space, and numbers and texts
// in the format of its reference implementation.
func canonicalTRACE(raw json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	var b strings.Builder
	writeTRACE(&b, value)
	return b.String()
}

// plainer undoes the only escapes of Go's JSON that TRACE/1.0 does not have: it escapes only quotes, backslashes and
// control characters.
var plainer = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029")

func writeTRACE(b *strings.Builder, value any) {
	switch v := value.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + key + `":`)
			writeTRACE(b, v[key])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeTRACE(b, item)
		}
		b.WriteByte(']')
	case json.Number:
		b.WriteString(numberTRACE(v.String()))
	case string:
		text, _ := jsonText(v) // a text can always be encoded
		b.WriteString(plainer.Replace(text))
	case bool:
		b.WriteString(strconv.FormatBool(v))
	default:
		b.WriteString("null")
	}
}

// numberTRACE keeps 64-bit integers. Other numbers get the shortest exact representation, with a decimal point or an
// exponent.
func numberTRACE(text string) string {
	if !strings.ContainsAny(text, ".eE") && text != "-0" {
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return text
		}
		if _, err := strconv.ParseUint(text, 10, 64); err == nil {
			return text
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	power, _ := strconv.Atoi(exponent)
	const minPlain, maxPlain = -5, 15 // powers of ten between which the reference implementation writes no exponent
	if power < minPlain || power > maxPlain {
		return mantissa + "e" + strconv.Itoa(power)
	}
	if text = strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
