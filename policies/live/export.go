package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/pattern"
	"nomograph/policies"
)

// ExportQuery selects thresholds to export as shell variables.
type ExportQuery struct {
	DecisionTable string   `json:"decision_table,omitempty" jsonschema:"decision table of the thresholds, such as D10" rule:"maxLength=200"`
	Names         []string `json:"names,omitempty" jsonschema:"names" rule:"maxItems=200"`
	Prefix        *string  `json:"prefix,omitempty" jsonschema:"prefix of variable names (default none if names are given, otherwise NOMOGRAPH_T_)" rule:"maxLength=50"`
	LineBreaks    bool     `json:"line_breaks,omitempty" jsonschema:"allow values with line breaks"`
	Format        string   `json:"format,omitempty" jsonschema:"output format; github is for a workflow's GITHUB_ENV file" rule:"enum=sh|fish|dotenv|github,default=\"sh\""`
}

// Variable is a threshold with a valid variable name.
type Variable struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Threshold string `json:"threshold"`
}

// Export is a set of variables with the shell text that sets them.
type Export struct {
	Variables []Variable `json:"variables"`
	Script    string     `json:"script" jsonschema:"text that sets the variables, quoted for the format"`
}

// exportLimit is far above what a script reads.
const exportLimit = 500

// prefix returns the prefix of a threshold's variable. A threshold that the caller names can keep its own name; any
// other name is chosen by anyone who can write to the graph.
func (q ExportQuery) prefix() string {
	switch {
	case q.Prefix != nil:
		return *q.Prefix
	case len(q.Names) > 0:
		return ""
	}
	return DefaultPrefix
}

// ExportThresholds returns thresholds as variables: names in upper case with underscores, values quoted for the format.
// It returns a conflict for two thresholds with the same variable, for a threshold without a value, and for a name or
// value that Export refuses; not_found if no threshold matches.
func (s *Store) ExportThresholds(ctx context.Context, q ExportQuery) (Export, error) {
	list, err := s.Thresholds(ctx, ThresholdFilter{DecisionTable: q.DecisionTable, Names: q.Names,
		Page: policies.Page{Limit: exportLimit}})
	if err != nil {
		return Export{}, err
	}
	if list.NextCursor != "" {
		return Export{}, apperr.Newf(apperr.Validation, "%d thresholds are too many for a shell", list.Total).
			WithHint("Name a decision table or the thresholds")
	}
	held := lists.Map(list.Thresholds, func(t ThresholdRow) string { return fmt.Sprint(t.Name) })
	for _, name := range q.Names {
		if slices.Contains(held, name) {
			continue
		}
		if _, err := s.Threshold(ctx, ThresholdQuery{Name: name}); err != nil {
			return Export{}, err
		}
		return Export{}, apperr.Newf(apperr.NotFound, "SYS_Threshold node '%s' does not belong to decision table '%s'",
			name, q.DecisionTable).
			WithHint("Name either the table or the thresholds")
	}
	switch {
	case len(list.Thresholds) == 0 && q.DecisionTable == "":
		return Export{}, apperr.New(apperr.NotFound, "No SYS_Threshold node in the graph").
			WithHint("Add thresholds with `apply_packs`, for example the pack core")
	case len(list.Thresholds) == 0:
		return Export{}, apperr.Newf(apperr.NotFound, "No SYS_Threshold node belongs to decision table '%s'",
			q.DecisionTable).
			WithHint("List tables with `list_tables`")
	}
	variables, owner := make([]Variable, 0, len(list.Thresholds)), map[string]string{}
	for _, t := range list.Thresholds {
		threshold := fmt.Sprint(t.Name)
		name := variableName(q.prefix() + threshold)
		first, clash := owner[name]
		if clash && first == threshold {
			if _, err := s.Threshold(ctx, ThresholdQuery{Name: threshold}); err != nil { // its error names both nodes
				return Export{}, err
			}
		}
		if clash {
			return Export{}, apperr.Newf(apperr.Conflict, "The thresholds '%s' and '%s' would both set %s", first,
				threshold, name).
				WithHint("Export them separately with different prefixes")
		}
		owner[name] = threshold
		if t.Value == nil {
			return Export{}, apperr.Newf(apperr.Conflict, "SYS_Threshold node '%s' has no value", threshold).
				WithHint("Set one with `set_threshold`")
		}
		variables = append(variables, Variable{name, policies.ShowValue(t.Value), threshold})
	}
	return q.export(variables)
}

// export validates variables and writes the text that sets them. It returns a conflict for a name that a program
// interprets and for a value that the format cannot express.
func (q ExportQuery) export(variables []Variable) (Export, error) {
	var script strings.Builder
	for _, v := range variables {
		switch {
		case isReserved(v.Name, q.prefix()):
			return Export{}, apperr.Newf(apperr.Conflict,
				"SYS_Threshold node '%s' would set the variable %s, which programs interpret", v.Threshold, v.Name).
				WithHint("Leave `prefix` out for the default %s, or choose another prefix", DefaultPrefix)
		case !q.LineBreaks && strings.ContainsAny(v.Value, "\n\r\v\f\u0085\u2028\u2029"):
			return Export{}, apperr.Newf(apperr.Conflict, "The value of SYS_Threshold node '%s' has a line break",
				v.Threshold).
				WithHint("Pass `line_breaks` if the reader expects that, or name the thresholds that you need")
		case q.Format == "dotenv" && dotenv(v.Name, v.Value) == "":
			return Export{}, apperr.Newf(apperr.Conflict,
				"SYS_Threshold node '%s' cannot be written to a .env file: its quotes or backslashes would be misread",
				v.Threshold).
				WithHint("Use another --format, or name the thresholds that you need")
		case strings.ContainsRune(v.Value, 0):
			return Export{}, apperr.Newf(apperr.Conflict,
				"SYS_Threshold node '%s' contains a zero byte, which a variable cannot hold", v.Threshold).
				WithHint("Correct it with `set_threshold`, or name the thresholds that you need")
		}
		script.WriteString(assignment(q.Format, v.Name, v.Value))
	}
	return Export{variables, script.String()}, nil
}

// Recheck validates a server's answer before a shell runs it. Arguments are those of the request. It returns a conflict
// if the answer has a different name, threshold or text than the arguments allow.
func (e Export) Recheck(arguments json.RawMessage) error {
	var q ExportQuery
	if err := json.Unmarshal(arguments, &q); err != nil {
		return err
	}
	for _, v := range e.Variables {
		if v.Name != variableName(q.prefix()+v.Threshold) || len(q.Names) > 0 &&
			!slices.Contains(q.Names, v.Threshold) {
			return apperr.Newf(apperr.Conflict, "The server returned the variable %s, which was not requested", v.Name).
				WithHint("Use the same version of nomograph here and on the server")
		}
	}
	own, err := q.export(e.Variables)
	if err == nil && own.Script != e.Script {
		err = apperr.New(apperr.Conflict, "The server's text does not set exactly these variables").
			WithHint("Use the same version of nomograph here and on the server")
	}
	return err
}

// variableName converts a name to upper case and replaces invalid characters by _.
func variableName(name string) string {
	return strings.ToUpper(leadingDigit.ReplaceAllString(invalidInName.ReplaceAllString(name, "_"), "_$0"))
}

var (
	invalidInName = pattern.New(`[^A-Za-z0-9_]`)
	leadingDigit  = pattern.New(`^[0-9]`)
)
