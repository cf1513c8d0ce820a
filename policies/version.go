package policies

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"nomograph/graph"
)

// Identity are the properties that identify a node and are not part of its version, so that the same content has the
// same version in every graph.
var Identity = []string{"uid", "schema_version"}

// Version returns the SHA-256, in hex, of the canonical form of a node's properties, of the links that belong to its
// meaning ("TYPE key"), and of the properties of a decision table's rows.
func Version(properties map[string]any, links []string, rows ...any) string {
	return Hash(Canonical(properties, links, rows))
}

// Hash returns the SHA-256 of a text, in hex.
func Hash(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// Canonical returns {"links":[...],"properties":{...}} with sorted keys and links, without blanks, and "rows":[...] at
// the end if there are any. A float keeps its point (1.0 is not 1), because Cypher and CEL distinguish them.
func Canonical(properties map[string]any, links []string, rows []any) string {
	var b strings.Builder
	b.WriteString(`{"links":`)
	writeCanonical(&b, slices.Sorted(slices.Values(links)))
	b.WriteString(`,"properties":`)
	writeMap(&b, properties, Identity)
	if len(rows) > 0 {
		lines := make([]string, len(rows))
		for i, row := range rows {
			properties, _ := row.(map[string]any) // the statements return maps
			var line strings.Builder
			writeMap(&line, properties, Identity)
			lines[i] = line.String()
		}
		slices.Sort(lines)
		b.WriteString(`,"rows":[` + strings.Join(lines, ",") + "]")
	}
	b.WriteString("}")
	return b.String()
}

func writeMap(b *strings.Builder, m map[string]any, without []string) {
	b.WriteByte('{')
	first := true
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(without, key) {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		writeJSON(b, key)
		b.WriteByte(':')
		writeCanonical(b, m[key])
	}
	b.WriteByte('}')
}

// CanonicalText returns a value in the canonical form: sorted keys, no blanks, floats with a point.
func CanonicalText(value any) string {
	var b strings.Builder
	writeCanonical(&b, value)
	return b.String()
}

func writeCanonical(b *strings.Builder, value any) {
	switch v := value.(type) {
	case map[string]any:
		writeMap(b, v, nil)
	case []any:
		writeList(b, v)
	case []string:
		writeList(b, v)
	case float64:
		b.WriteString(FloatText(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case string, nil, bool, int:
		writeJSON(b, v)
	default:
		// A time, point or similar value: its JSON form, marked with its type to distinguish it from the same text.
		form := graph.JSON(v)
		switch form.(type) {
		case string, map[string]any:
		default:
			form = fmt.Sprint(v)
		}
		name := reflect.TypeOf(v).Name() // Date, Duration, Point2D, ...: independent of the driver's package name
		writeCanonical(b, map[string]any{"$" + name: form})
	}
}

func writeList[T any](b *strings.Builder, list []T) {
	b.WriteByte('[')
	for i, item := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		writeCanonical(b, item)
	}
	b.WriteByte(']')
}

// FloatText formats a float with a point or an exponent; values without a JSON number become strings.
func FloatText(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return `"` + strconv.FormatFloat(f, 'g', -1, 64) + `"`
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

func writeJSON(b *strings.Builder, scalar any) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(scalar) // cannot fail: a scalar into memory
	b.Write(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

// Same compares the canonical forms, in which 1 and 1.0 differ, as in Cypher.
func Same(a, b any) bool { return CanonicalText(a) == CanonicalText(b) }
