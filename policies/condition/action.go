package condition

import (
	"fmt"
	"maps"
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"nomograph/policies/targets"
)

// Action is an action as rules see it. A rule that reads an absent fact without checking has() fails, and an enforced
// rule that fails denies.
type Action struct {
	Description, Category, Name, Pattern string
	// Phase is check, or record while a decision is being recorded.
	Phase  string
	Stakes Stakes
	// Confidence and QualityScore are from 0.0 to 1.0; nil if absent.
	Confidence, QualityScore *float64
	Params, Context          map[string]any
	Tags                     []string
	// Actors are the names of who acts: the subagent, the agent, the caller and its program, without
	// repetition. Callers state some of them, so they are for rules that deny.
	Actors            []string
	Reasons           []map[string]any
	DeliberationCount int
	// Consensus is the current consensus of other servers' agents on exactly this action: {id, quorum, agreed,
	// objected, at, valid_until}; nil if there is none.
	Consensus map[string]any
}

// Stakes say how much depends on an action. They are ordered: low < medium < high < critical.
type Stakes int

// The stakes, lowest first.
const (
	Low Stakes = iota + 1
	Medium
	High
	Critical
)

var stakes = []string{"low", "medium", "high", "critical"}

// String returns the name of the level, "" for an invalid one.
func (s Stakes) String() string {
	if s < Low || s > Critical {
		return ""
	}
	return stakes[s-1]
}

// ParseStakes parses the name of stakes; false for any other text.
func ParseStakes(name string) (Stakes, bool) {
	i := slices.Index(stakes, name)
	return Stakes(i + 1), i >= 0
}

// field is a field of an action in CEL: its type and how it is read. get returns nil if the field is absent.
type field struct {
	kind *types.Type
	get  func(*Action) any
}

var fields = map[string]field{
	"description":   {types.StringType, func(a *Action) any { return presentText(a.Description) }},
	"category":      {types.StringType, func(a *Action) any { return presentText(a.Category) }},
	"name":          {types.StringType, func(a *Action) any { return presentText(a.Name) }},
	"pattern":       {types.StringType, func(a *Action) any { return presentText(a.Pattern) }},
	"phase":         {types.StringType, func(a *Action) any { return presentText(a.Phase) }},
	"stakes":        {types.IntType, func(a *Action) any { return int64(a.Stakes) }},
	"confidence":    {types.DoubleType, func(a *Action) any { return number(a.Confidence) }},
	"quality_score": {types.DoubleType, func(a *Action) any { return number(a.QualityScore) }},
	"params": {types.NewMapType(types.StringType, types.DynType),
		func(a *Action) any { return object(a.Params) }},
	"context": {types.NewMapType(types.StringType, types.DynType),
		func(a *Action) any { return object(a.Context) }},
	"paths": {types.NewListType(types.StringType),
		func(a *Action) any { paths, _ := targets.Named(a.Params); return listOf(paths) }},
	"commands": {types.NewListType(types.StringType),
		func(a *Action) any { _, commands := targets.Named(a.Params); return listOf(commands) }},
	"force_pushed": {types.NewListType(types.StringType),
		func(a *Action) any { return listOf(targets.ForcePushed(a.Name, a.Description, a.Params)) }},
	"tags":   {types.NewListType(types.StringType), func(a *Action) any { return a.Tags }},
	"actors": {types.NewListType(types.StringType), func(a *Action) any { return listOf(a.Actors) }},
	"reasons": {types.NewListType(types.NewMapType(types.StringType, types.DynType)),
		func(a *Action) any { return a.Reasons }},
	"reason_count": {types.IntType, func(a *Action) any { return int64(len(a.Reasons)) }},
	"consensus": {types.NewMapType(types.StringType, types.DynType),
		func(a *Action) any { return consensus(a.Consensus) }},
	"deliberation_count": {types.IntType, func(a *Action) any { return int64(a.DeliberationCount) }},
}

// Facts returns the fields of the action; absent ones are nil.
func (a *Action) Facts() map[string]any {
	facts := make(map[string]any, len(fields))
	for name, f := range fields {
		facts[name] = f.get(a)
	}
	return facts
}

// textual are the fields that are "" if absent, because an empty text is harmless, unlike a number.
var textual = []string{"description", "category", "name", "pattern", "phase"}

func presentText(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func number(n *float64) any {
	if n == nil {
		return nil
	}
	return *n
}

func object(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func listOf(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// consensus is absent if there is none.
func consensus(c map[string]any) any {
	if c == nil {
		return nil
	}
	return c
}

const actionType = "Action"

// provider declares the type Action to CEL, so that a misspelled field is an error when a rule is written.
type provider struct{ *types.Registry }

func (p provider) FindStructType(name string) (*types.Type, bool) {
	if name == actionType {
		return types.NewTypeTypeWithParam(types.NewObjectType(actionType)), true
	}
	return p.Registry.FindStructType(name)
}

func (p provider) FindStructFieldNames(name string) ([]string, bool) {
	if name != actionType {
		return p.Registry.FindStructFieldNames(name)
	}
	return slices.Sorted(maps.Keys(fields)), true
}

func (p provider) FindStructFieldType(structType, name string) (*types.FieldType, bool) {
	if structType != actionType {
		return p.Registry.FindStructFieldType(structType, name)
	}
	f, ok := fields[name]
	if !ok {
		return nil, false
	}
	return &types.FieldType{
		Type:  f.kind,
		IsSet: func(target any) bool { return f.get(target.(*Action)) != nil },
		GetFrom: func(target any) (any, error) {
			value := f.get(target.(*Action))
			switch {
			case value != nil:
				return value, nil
			case slices.Contains(textual, name):
				return "", nil
			}
			return nil, fmt.Errorf("the action has no %s", name)
		},
	}, true
}

// NewValue prevents conditions from constructing actions.
func (p provider) NewValue(structType string, values map[string]ref.Val) ref.Val {
	if structType == actionType {
		return types.NewErr("a condition cannot make an action")
	}
	return p.Registry.NewValue(structType, values)
}
