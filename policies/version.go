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

// identity are the properties that say which node it is, not what it says: they are no part of a version, so that the same
// content has the same version in every graph.
var identity = []string{"uid", "schema_version"}

// Version is the SHA-256, in hex, of the canonical form of a node's properties and of the links that belong to its
// meaning ("TYPE key").
func Version(properties map[string]any, links []string) string {
	sum := sha256.Sum256([]byte(canonical(properties, links)))
	return hex.EncodeToString(sum[:])
}

// canonical is {"links":[...],"properties":{...}} with sorted keys and links, without blanks. A float keeps its point
// (1.0 is not 1), because Cypher and CEL tell them apart.
func canonical(properties map[string]any, links []string) string {
	var b strings.Builder
	sorted := slices.Sorted(slices.Values(links))
	b.WriteString(`{"links":`)
	writeCanonical(&b, sorted)
	b.WriteString(`,"properties":`)
	content := maps.Clone(properties)
	for _, key := range identity {
		delete(content, key)
	}
	writeCanonical(&b, content)
	b.WriteString("}")
	return b.String()
}

func writeCanonical(b *strings.Builder, value any) {
	switch v := value.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			writeText(b, key)
			b.WriteByte(':')
			writeCanonical(b, v[key])
		}
		b.WriteByte('}')
	case []any:
		writeList(b, v)
	case []string:
		writeList(b, v)
	case float64:
		b.WriteString(floatText(v))
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

func floatText(f float64) string {
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
