package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// genesis stands for the hash before the first event of a TRACE/1.0 chain.
var genesis = strings.Repeat("0", 64)

// traceEvent is an event in the form TRACE/1.0. What stands under nomograph is no part of that form, and not of its hash: the same event
// as our own chain covers it.
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

// traceTypes say which of the types of TRACE/1.0 an event of ours is; it has a closed list of them. What it has no word for was done.
var traceTypes = map[string]string{"session.started": "session.started", "session.ended": "session.ended", "context.given": "context.injected", "check": "policy.evaluated",
	"query": "carp.request.received", "lookup": "carp.request.received", "stats": "carp.request.received", "approval.granted": "action.approved", "approval.denied": "action.denied"}

func traceType(kind string, payload []byte) string {
	if kind == "action.reported" {
		var said struct{ Decision string }
		_ = json.Unmarshal(payload, &said) // else it was requested, and no more is known
		switch said.Decision {
		case "approved", "denied":
			return "action." + said.Decision
		}
		return "action.requested"
	}
	if known := traceTypes[kind]; known != "" {
		return known
	}
	return "action.executed"
}

// asTRACE writes the event in the form TRACE/1.0 behind the one with the hash previous, and gives its hash there.
func (e ownEvent) asTRACE(b *strings.Builder, previous string) (string, error) {
	event := traceEvent{Version: "1.0", ID: e.UID, TraceID: e.Session, SpanID: e.UID, SessionID: e.SessionID, Sequence: e.Seq, Timestamp: e.At.Format(time.RFC3339Nano),
		Type: traceType(e.Type, e.Payload), Payload: e.Payload, Previous: previous}
	if e.Forgotten {
		event.Payload = json.RawMessage("null")
	}
	event.Hash = event.hash()
	e.Payload = nil // it stands above
	event.Own = &e
	return event.Hash, writeLine(b, event)
}

// hash is that of TRACE/1.0: the SHA-256, in hex, of the fields one after the other, without anything between them.
func (e traceEvent) hash() string {
	parent := ""
	if e.ParentSpanID != nil {
		parent = *e.ParentSpanID
	}
	var form bytes.Buffer
	for _, field := range []string{e.Version, e.ID, e.TraceID, e.SpanID, parent, e.SessionID, strconv.FormatInt(e.Sequence, 10), hashedTime(e.Timestamp), e.Type} {
		form.WriteString(field)
	}
	form.WriteString(canonicalTRACE(e.Payload))
	form.WriteString(e.Previous)
	sum := sha256.Sum256(form.Bytes())
	return hex.EncodeToString(sum[:])
}

// hashedTime is how TRACE/1.0's own implementation writes a time where it hashes it: with the offset, and with 0, 3, 6 or 9 digits of the second.
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

// canonicalTRACE is the JSON that TRACE/1.0 hashes: keys sorted and not escaped, no blanks, numbers and texts as its implementation writes
// them.
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
		quoteTRACE(b, v)
	case bool:
		b.WriteString(strconv.FormatBool(v))
	default:
		b.WriteString("null")
	}
}

// quoteTRACE escapes quotes, backslashes and control characters, and nothing else.
func quoteTRACE(b *strings.Builder, text string) {
	const hexDigits = "0123456789abcdef"
	short := map[byte]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}
	b.WriteByte('"')
	for i := range len(text) {
		c := text[i]
		switch to, ok := short[c]; {
		case ok:
			b.WriteByte('\\')
			b.WriteByte(to)
		case c < 0x20:
			b.WriteString(`\u00`)
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
}

// numberTRACE keeps integers of 64 bits; any other number has the fewest digits that say it, with a point or an exponent.
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
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	power, _ := strconv.Atoi(exponent)
	point := power + 1 // digits before the point
	const mostPlain, leastPlain = 16, -5
	switch {
	case f == 0:
		return sign + "0.0"
	case len(digits) <= point && point <= mostPlain:
		return sign + digits + strings.Repeat("0", point-len(digits)) + ".0"
	case point > 0 && point <= mostPlain:
		return sign + digits[:point] + "." + digits[point:]
	case point > leastPlain && point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	case len(digits) == 1:
		return sign + digits + "e" + strconv.Itoa(power)
	}
	return sign + digits[:1] + "." + digits[1:] + "e" + strconv.Itoa(power)
}
