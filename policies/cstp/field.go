package cstp

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"nomograph/internal/document"
	"nomograph/internal/pattern"
	"nomograph/policies"
	"nomograph/policies/condition"
)

// importedField maps a field of a CSTP guardrail to a fact of Nomograph's conditions.
type importedField struct {
	path string // as in conditions and messages
	kind fieldKind
	// given is the condition that the field is present; "" if it always is.
	given string
	// yes and no are the conditions for true and false, for a boolean field that Nomograph expresses by another field.
	yes, no string
}

type fieldKind int

const (
	anyKind fieldKind = iota // a context fact
	textKind
	floatKind
	wholeKind
	stakesKind
	tagsKind
	flagKind
)

// optional returns a field that an action can lack.
func optional(path string, kind fieldKind) importedField {
	return importedField{path: path, kind: kind, given: "has(" + path + ")"}
}

// nonEmpty returns a text that is empty if it is absent.
func nonEmpty(path string) importedField {
	return importedField{path: path, kind: textKind, given: path + ` != ""`}
}

// flagOf returns a boolean field that another field expresses: its value is that of a comparison, or else of the
// opposite one.
func flagOf(path, subject, yes, no string) importedField {
	return importedField{path: path, kind: flagKind, yes: subject + yes, no: subject + no}
}

// ownFields are fields of the action itself; all others are in its context.
var ownFields = map[string]importedField{
	"stakes":                    {path: "action.stakes", kind: stakesKind},
	"confidence":                optional("action.confidence", floatKind),
	"quality_score":             optional("action.quality_score", floatKind),
	"quality":                   optional("action.quality_score", floatKind),
	"description":               optional("action.description", textKind),
	"category":                  optional("action.category", textKind),
	"pattern":                   optional("action.pattern", textKind),
	"phase":                     optional("action.phase", textKind),
	"name":                      optional("action.name", textKind),
	"tags":                      {path: "action.tags", kind: tagsKind},
	"reason_count":              {path: "action.reason_count", kind: wholeKind},
	"deliberation_inputs_count": {path: "action.deliberation_count", kind: wholeKind},
	"project":                   nonEmpty("project"),
	"scope":                     nonEmpty("project"),
	"agent":                     nonEmpty("agent"),
	"agent_id":                  nonEmpty("agent"),
	"has_pattern":               flagOf("action.pattern", "action.pattern", ` != ""`, ` == ""`),
	"has_tags":                  flagOf("action.tags", "size(action.tags)", " > 0", " == 0"),
	"has_deliberation":          flagOf("action.deliberation_count", "action.deliberation_count", " > 0", " == 0"),
	"has_reasoning":             flagOf("action.reason_count", "action.reason_count", " > 0", " == 0"),
}

func fieldOf(name string) importedField {
	if own, ok := ownFields[name]; ok {
		return own
	}
	if condition.Selectable(name) {
		return importedField{path: "action.context." + name, given: "has(action.context." + name + ")"}
	}
	key := strconv.Quote(name)
	return importedField{path: "action.context[" + key + "]", given: key + " in action.context"}
}

var writtenOperator = pattern.New(`^\s*(<=|>=|==|!=|<|>)\s*(\S(?:.*\S)?)\s*$`)

// operatorOf parses the value of a guardrail: "< 0.5" compares, anything else must be equal.
func operatorOf(value any) (operator string, operand any) {
	text, ok := value.(string)
	parts := writtenOperator.FindStringSubmatch(text)
	if !ok || parts == nil {
		return "==", value
	}
	if number, err := document.YAML(context.Background(), parts[2], document.DefaultLimits()); err == nil {
		switch value := number.Value(); value.(type) {
		case uint64, int64, float64, bool:
			return parts[1], value
		}
	}
	return parts[1], strings.Trim(parts[2], `"'`)
}

// comparison expresses a comparison in CEL. It is false for an absent field.
func (r *importedRule) comparison(f importedField, operator string, value any) ([]string, error) {
	if f.kind == flagKind {
		return f.flag(operator, value)
	}
	if list, ok := value.([]any); ok {
		return r.oneOf(f, operator, list)
	}
	text, err := f.literal(value)
	if err != nil {
		return nil, err
	}
	switch {
	case f.kind == tagsKind && operator == "==":
		r.note("reads a value for tags as one of the tags")
		return []string{text + " in " + f.path}, nil
	case f.kind == tagsKind:
		return nil, fmt.Errorf("tags cannot be compared with %s", operator)
	case f.given == "", operator == "==" && f.kind == textKind && value != "":
		return []string{f.subject(value) + " " + operator + " " + text}, nil
	}
	return []string{f.given, f.path + " " + operator + " " + text}, nil
}

// subject returns the field as a number of the value's type.
func (f importedField) subject(value any) string {
	if _, ok := value.(float64); ok && f.kind == wholeKind {
		return "double(" + f.path + ")"
	}
	return f.path
}

func (f importedField) flag(operator string, value any) ([]string, error) {
	is, isBool := value.(bool)
	switch {
	case !isBool || operator != "==" && operator != "!=":
		return nil, fmt.Errorf("it compares %s, which is true or false, with %s %v", f.path, operator, value)
	case is == (operator == "=="):
		return []string{f.yes}, nil
	}
	return []string{f.no}, nil
}

func (r *importedRule) oneOf(f importedField, operator string, values []any) ([]string, error) {
	texts := make([]string, len(values))
	for i, value := range values {
		text, err := f.literal(value)
		if err != nil {
			return nil, err
		}
		texts[i] = text
	}
	r.note("reads a list of values as alternatives")
	list := "[" + strings.Join(texts, ", ") + "]"
	switch {
	case operator != "==":
		return nil, fmt.Errorf("a list cannot be compared with %s", operator)
	case f.kind == tagsKind:
		return []string{"action.tags.exists(t, t in " + list + ")"}, nil
	case f.given == "" || f.kind == textKind:
		return []string{f.path + " in " + list}, nil
	}
	return []string{f.given, f.path + " in " + list}, nil
}

// literal writes a value as CEL for a field.
func (f importedField) literal(value any) (string, error) {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v), nil
	case string:
		if f.kind != stakesKind {
			return strconv.Quote(v), nil
		}
		if _, ok := condition.ParseStakes(v); !ok {
			return "", fmt.Errorf("'%s' is not one of the stakes: low, medium, high, critical", v)
		}
		return v, nil
	case int64:
		return f.number(float64(v), strconv.FormatInt(v, 10))
	case uint64:
		if v <= math.MaxInt64 {
			return f.number(float64(v), strconv.FormatUint(v, 10))
		}
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return f.number(v, policies.FloatText(v))
		}
	}
	return "", fmt.Errorf("%v (%s) cannot be compared with %s", value, formOf(value), f.path)
}

// number writes a number as CEL for a field.
func (f importedField) number(value float64, text string) (string, error) {
	switch f.kind {
	case stakesKind:
		return "", fmt.Errorf("stakes cannot be compared with the number %s", text)
	case floatKind:
		return policies.FloatText(value), nil
	}
	return text, nil
}
