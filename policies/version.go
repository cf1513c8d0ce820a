package policies

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

// Identity are the properties that say which node it is, not what it says: they are no part of a version, so that the same
// content has the same version in every graph.
var Identity = []string{"uid", "schema_version"}

// Version is the SHA-256, in hex, of the canonical form of a node's properties, of the links that belong to its meaning
// ("TYPE key"), and of the properties of a decision table's rows.
func Version(properties map[string]any, links []string, rows ...any) string {
	sum := sha256.Sum256([]byte(Canonical(properties, links, rows)))
	return hex.EncodeToString(sum[:])
}

// Canonical is {"links":[...],"properties":{...}} with sorted keys and links, without blanks, and "rows":[...] at its end
// where there are any. A float keeps its point (1.0 is not 1), because Cypher and CEL tell them apart.
func Canonical(properties map[string]any, links []string, rows []any) string {
	var b strings.Builder
	sorted := slices.Sorted(slices.Values(links))
	b.WriteString(`{"links":`)
	WriteCanonical(&b, sorted)
	b.WriteString(`,"properties":`)
	b.WriteString(canonicalProperties(properties))
	if len(rows) > 0 {
		lines := make([]string, len(rows))
		for i, row := range rows {
			properties, _ := row.(map[string]any) // the statements give maps
			lines[i] = canonicalProperties(properties)
		}
		slices.Sort(lines)
		b.WriteString(`,"rows":[` + strings.Join(lines, ",") + "]")
	}
	b.WriteString("}")
	return b.String()
}

func canonicalProperties(properties map[string]any) string {
	var b strings.Builder
	writeMap(&b, properties, Identity)
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
		writeText(b, key)
		b.WriteByte(':')
		WriteCanonical(b, m[key])
	}
	b.WriteByte('}')
}

// WriteCanonical writes a value in the canonical form: maps by sorted keys, no blanks, floats with a point.
func WriteCanonical(b *strings.Builder, value any) {
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
	case string:
		writeText(b, v)
	case nil, bool, int:
		writeJSON(b, v)
	default:
		// A time, point or the like: its shown form, marked with its type so that it is not taken for the same text.
		form := graph.JSON(v)
		switch form.(type) {
		case string, map[string]any:
		default:
			form = fmt.Sprint(v)
		}
		name := reflect.TypeOf(v).Name() // Date, Duration, Point2D, ...: a driver's package may be renamed
		WriteCanonical(b, map[string]any{"$" + name: form})
	}
}

func writeList[T any](b *strings.Builder, list []T) {
	b.WriteByte('[')
	for i, item := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		WriteCanonical(b, item)
	}
	b.WriteByte(']')
}

// FloatText writes a float with a point or an exponent; what JSON has no number for is a text.
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

// writeText writes a JSON string. Most text needs no escape, and this runs with every read.
func writeText(b *strings.Builder, text string) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			writeJSON(b, text)
			return
		}
	}
	b.WriteByte('"')
	b.WriteString(text)
	b.WriteByte('"')
}

func writeJSON(b *strings.Builder, scalar any) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(scalar) // a scalar into memory cannot fail
	b.Write(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

// Same compares by canonical form, in which 1 and 1.0 differ, as they do in Cypher.
func Same(a, b any) bool {
	var x, y strings.Builder
	WriteCanonical(&x, a)
	WriteCanonical(&y, b)
	return x.String() == y.String()
}
