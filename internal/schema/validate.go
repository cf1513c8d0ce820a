package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nomograph/internal/lists"
)

// types are the JSON types in the order of messages.
var types = []string{"null", "boolean", "number", "integer", "string", "array", "object"}

// violation is a keyword that a value violates. what is the message; names are missing or unknown keys.
type violation struct {
	path    []string
	keyword string
	what    string
	names   []string
}

// violations appends the violations of a value. For anyOf it adds a single violation, not those of each branch.
func (n *node) violations(value any, path []string, found []violation) []violation {
	report := func(keyword, format string, args ...any) {
		found = append(found, violation{path: slices.Clone(path), keyword: keyword, what: fmt.Sprintf(format, args...)})
	}
	kind := kindOf(value)
	switch {
	case n.never || kind == "":
		report("", "is not allowed")
		return found
	case n.types != nil && !slices.Contains(n.types, kind) &&
		!(kind == "number" && slices.Contains(n.types, "integer") && exactly(value).IsInt()):
		report("type", "must be %s, not %s", strings.Join(n.types, " or "), kind)
		return found
	case n.enum != nil && !slices.ContainsFunc(n.enum, func(one any) bool { return equal(value, one) }):
		want := lists.Map(n.enum, func(one any) string { return fmt.Sprint(one) })
		report("enum", "must be one of %s", strings.Join(want, ", "))
		return found
	}
	if n.ref != nil {
		found = n.ref.violations(value, path, found)
	}
	switch v := value.(type) {
	case map[string]any:
		found = n.ofObject(v, path, found)
	case []any:
		switch {
		case n.minItems != nil && len(v) < *n.minItems:
			report("minItems", "must have at least %d items, not %d", *n.minItems, len(v))
		case n.maxItems != nil && len(v) > *n.maxItems:
			report("maxItems", "must have at most %d items, not %d", *n.maxItems, len(v))
		}
		if n.uniqueItems && hasDuplicates(v) {
			report("uniqueItems", "names the same twice")
		}
		for i := 0; i < len(v) && n.items != nil; i++ {
			found = n.items.violations(v[i], append(path, strconv.Itoa(i)), found)
		}
	case string:
		switch length := utf8.RuneCountInString(v); {
		case n.minLength != nil && length < *n.minLength && *n.minLength == 1:
			report("minLength", "must not be empty")
		case n.minLength != nil && length < *n.minLength:
			report("minLength", "must have at least %d characters, not %d", *n.minLength, length)
		case n.maxLength != nil && length > *n.maxLength:
			report("maxLength", "must have at most %d characters, not %d", *n.maxLength, length)
		}
		if n.pattern != nil && !n.pattern.MatchString(v) {
			report("pattern", "is %q, which does not match %s", v, n.pattern)
		}
	}
	if kind == "number" {
		switch {
		case n.minimum != nil && exactly(value).Cmp(n.minimum) < 0:
			report("minimum", "must be at least %s, not %s", decimal(n.minimum), decimal(exactly(value)))
		case n.maximum != nil && exactly(value).Cmp(n.maximum) > 0:
			report("maximum", "must be at most %s, not %s", decimal(n.maximum), decimal(exactly(value)))
		}
	}
	return n.ofChoices(value, path, found)
}

func (n *node) ofObject(object map[string]any, path []string, found []violation) []violation {
	at := func(keyword string, names []string) {
		if len(names) > 0 {
			found = append(found, violation{path: slices.Clone(path), keyword: keyword, names: names})
		}
	}
	if n.minProperties != nil && len(object) < *n.minProperties {
		found = append(found, violation{path: slices.Clone(path), keyword: "minProperties",
			what: "does not fit: minProperties"})
	}
	var missing, unknown []string
	for _, name := range n.required {
		if _, ok := object[name]; !ok {
			missing = append(missing, name)
		}
	}
	at("required", missing)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch property := n.properties[name]; {
		case property != nil:
			found = property.violations(object[name], append(path, name), found)
		case n.additional != nil && n.additional.never:
			unknown = append(unknown, name)
		case n.additional != nil:
			found = n.additional.violations(object[name], append(path, name), found)
		}
	}
	at("additionalProperties", unknown)
	return found
}

// ofChoices appends the violations of not, anyOf, oneOf and if.
func (n *node) ofChoices(value any, path []string, found []violation) []violation {
	report := func(keyword, message string) {
		found = append(found, violation{path: slices.Clone(path), keyword: keyword, what: message})
	}
	fits := func(one *node) bool { return len(one.violations(value, path, nil)) == 0 }
	if n.not != nil && fits(n.not) {
		report("not", "does not fit: not")
	}
	if n.anyOf != nil && !slices.ContainsFunc(n.anyOf, fits) {
		report("anyOf", "must be text, a number, a boolean, or a list of one of these")
	}
	if n.oneOf != nil {
		fitting := 0
		var all []violation
		for _, one := range n.oneOf {
			wrong := one.violations(value, path, nil)
			if all = append(all, wrong...); len(wrong) == 0 {
				fitting++
			}
		}
		switch {
		case fitting == 0:
			found = append(found, all...)
		case fitting > 1:
			report("oneOf", "does not fit: oneOf")
		}
	}
	if n.when != nil {
		next := n.otherwise
		if fits(n.when) {
			next = n.then
		}
		if next != nil {
			found = next.violations(value, path, found)
		}
	}
	return found
}

// kindOf returns the JSON type of a value, "number" also for integers; "" for values that JSON does not have.
func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return "number"
	case float32:
		return kindOf(float64(v))
	case json.Number, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return ""
}

// maxExponentLength is the maximum absolute exponent that is computed exactly. Numbers beyond it, which also exceed
// float64, are above or below all limits.
const maxExponentLength = 400

// exactly returns the exact value of a number.
func exactly(value any) *big.Rat {
	text := fmt.Sprint(value)
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		exponent, err := strconv.Atoi(text[at+1:])
		switch negative := strings.HasPrefix(text, "-"); {
		case err == nil && exponent >= -maxExponentLength && exponent <= maxExponentLength:
		case strings.HasPrefix(text[at+1:], "-") || strings.Trim(text[:at], "-+0.") == "":
			return new(big.Rat)
		case negative:
			return new(big.Rat).SetInt64(math.MinInt64)
		default:
			text = "1e" + strconv.Itoa(maxExponentLength)
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok { // an invalid json.Number
		return new(big.Rat)
	}
	return r
}

// Whole returns an integer without its fraction or exponent: 5 for 5.0. Other numbers stay as they are.
func Whole(number json.Number) json.Number {
	if r := exactly(number); strings.ContainsAny(number.String(), ".eE") && r.IsInt() && r.Num().IsInt64() {
		return json.Number(r.Num().String())
	}
	return number
}

// decimal formats a number as a decimal: 1.2 and not 6/5.
func decimal(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, value := range a {
			if other, ok := b[key]; !ok || !equal(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	if kindOf(a) == "number" && kindOf(b) == "number" {
		return exactly(a).Cmp(exactly(b)) == 0
	}
	return a == b && kindOf(b) != ""
}

// hasDuplicates reports whether a list contains duplicates. Strings, the usual items, are not compared pairwise.
func hasDuplicates(list []any) bool {
	seen := map[string]bool{}
	for i, item := range list {
		if text, ok := item.(string); ok {
			if seen[text] {
				return true
			}
			seen[text] = true
			continue
		}
		if slices.ContainsFunc(list[:i], func(other any) bool { return equal(item, other) }) {
			return true
		}
	}
	return false
}
