package learning

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/lists"
)

// Operator is a comparison of a fact of an act with a value.
type Operator string

const (
	Equals   Operator = "=="
	Has      Operator = "has"
	Contains Operator = "in"
	AtMost   Operator = "<="
	Above    Operator = ">"
)

// Condition is a single statement about the facts of an act.
type Condition struct {
	Path     string   `json:"path" jsonschema:"the fact, such as action.category or action.params.branch"`
	Operator Operator `json:"operator" jsonschema:"==, has, in (a list contains the value), <= or >"`
	Value    any      `json:"value,omitempty" jsonschema:"text, number or true/false; absent for has"`
}

// CEL returns the condition as a rule writes it. It tests optional facts for presence first, so that an act without
// them does not match.
func (c Condition) CEL() string {
	switch c.Operator {
	case Has:
		return "has(" + c.Path + ")"
	case Contains:
		return c.guarded(c.literal() + " in " + c.Path)
	default:
		return c.guarded(c.Path + " " + string(c.Operator) + " " + c.literal())
	}
}

// commonFacts are the facts that every action has.
var commonFacts = []string{"action.category", "action.name", "action.stakes", "action.pattern", "action.tags",
	"action.description", "agent", "project"}

func (c Condition) guarded(text string) string {
	if slices.Contains(commonFacts, c.Path) {
		return text
	}
	return "has(" + c.Path + ") && " + text
}

// literal returns the value as CEL. Stakes are constants, which have an order.
func (c Condition) literal() string {
	switch v := c.Value.(type) {
	case string:
		if c.Path == "action.stakes" {
			return v
		}
		return strconv.Quote(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// String returns the condition for people.
func (c Condition) String() string {
	name := strings.TrimPrefix(c.Path, "action.")
	switch c.Operator {
	case Has:
		return "has " + name
	case Contains:
		return fmt.Sprintf("%s has %v", name, c.Value)
	case Equals:
		return fmt.Sprintf("%s is %v", name, c.Value)
	default:
		return fmt.Sprintf("%s %s %v", name, c.Operator, c.Value)
	}
}

// Expression joins conditions as rules write them.
func Expression(conditions []Condition) string {
	parts := lists.Map(conditions, func(c Condition) string { return c.CEL() })
	return strings.Join(parts, " && ")
}
