package live

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"nomograph/fault"
	"nomograph/policies"
)

// ExportQuery asks for thresholds as variables of a shell.
type ExportQuery struct {
	DecisionTable string   `json:"decision_table,omitempty" jsonschema:"only the thresholds of this table: D10" rule:"maxLength=200"`
	Names         []string `json:"names,omitempty" jsonschema:"only these thresholds" rule:"maxItems=200"`
	Prefix        string   `json:"prefix,omitempty" jsonschema:"put before each variable's name" rule:"maxLength=50"`
	Format        string   `json:"format,omitempty" jsonschema:"what reads it; github is a workflow's GITHUB_ENV file" rule:"enum=sh|fish|dotenv|github,default=\"sh\""`
}

// Variable is a threshold under a name that a shell accepts.
type Variable struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Threshold string `json:"threshold"`
}

// Export is a set of variables and the shell text that sets them.
type Export struct {
	Variables []Variable `json:"variables"`
	Script    string     `json:"script" jsonschema:"what sets them, values quoted for the format"`
}

// exportLimit is far above what a script reads; a graph that holds more needs a narrower question.
const exportLimit = 500

// ExportThresholds gives thresholds as variables: names in upper case with underscores, values quoted for a POSIX shell.
// Two thresholds that would share a variable are a conflict, as is one without a value; nothing to export is not_found.
func (s *Store) ExportThresholds(ctx context.Context, q ExportQuery) (Export, error) {
	list, err := s.Thresholds(ctx, ThresholdFilter{DecisionTable: q.DecisionTable, Names: q.Names, Page: policies.Page{Limit: exportLimit}})
	if err != nil {
		return Export{}, err
	}
	if list.NextCursor != "" {
		return Export{}, fault.Newf(fault.Validation, "There are %d thresholds, more than a shell should get", list.Total).
			WithHint("Name a decision table or the thresholds")
	}
	held := map[string]bool{}
	for _, t := range list.Thresholds {
		held[fmt.Sprint(t.Name)] = true
	}
	for _, name := range q.Names {
		if held[name] {
			continue
		}
		if _, err := s.Threshold(ctx, ThresholdQuery{Name: name}); err != nil {
			return Export{}, err
		}
		return Export{}, fault.Newf(fault.NotFound, "SYS_Threshold node '%s' does not belong to decision table '%s'", name, q.DecisionTable).
			WithHint("Name either the table or the thresholds")
	}
	switch {
	case len(list.Thresholds) == 0 && q.DecisionTable == "":
		return Export{}, fault.New(fault.NotFound, "There is no SYS_Threshold node in the graph").WithHint("`apply_packs` brings some in, such as those of the pack core")
	case len(list.Thresholds) == 0:
		return Export{}, fault.Newf(fault.NotFound, "No SYS_Threshold node belongs to decision table '%s'", q.DecisionTable).
			WithHint("`list_tables` shows which tables there are")
	}
	export := Export{Variables: make([]Variable, 0, len(list.Thresholds))}
	owner := map[string]string{}
	var script strings.Builder
	for _, t := range list.Thresholds {
		threshold := fmt.Sprint(t.Name)
		name := variableName(q.Prefix + threshold)
		first, clash := owner[name]
		if clash && first == threshold {
			if _, err := s.Threshold(ctx, ThresholdQuery{Name: threshold}); err != nil { // which shows both
				return Export{}, err
			}
		}
		if clash {
			return Export{}, fault.Newf(fault.Conflict, "The thresholds '%s' and '%s' would both be %s", first, threshold, name).
				WithHint("Export them separately, each with a prefix of its own")
		}
		owner[name] = threshold
		if t.Value == nil {
			return Export{}, fault.Newf(fault.Conflict, "SYS_Threshold node '%s' has no value", threshold).
				WithHint("Give it one with `set_threshold`")
		}
		value := policies.Shown(t.Value)
		switch {
		case decidesWhatRuns(name):
			return Export{}, fault.Newf(fault.Conflict, "SYS_Threshold node '%s' would set %s, which decides what a command runs", threshold, name).
				WithHint("Put something before the names, such as --prefix T_, or name the thresholds that you need")
		case q.Format == "dotenv" && dotenv(name, value) == "":
			return Export{}, fault.Newf(fault.Conflict, "SYS_Threshold node '%s' cannot stand in a .env file, whose readers would make another value of its quotes or backslashes", threshold).
				WithHint("Take another --format, or name the thresholds that you need")
		case strings.ContainsRune(value, 0):
			return Export{}, fault.Newf(fault.Conflict, "SYS_Threshold node '%s' holds a zero byte, which no variable can", threshold).
				WithHint("Mend it with `set_threshold`, or name the thresholds that you need")
		}
		export.Variables = append(export.Variables, Variable{name, value, threshold})
		script.WriteString(setting(q.Format, name, value))
	}
	export.Script = script.String()
	return export, nil
}

// variableName upper-cases a name and puts _ for what a shell does not accept in one.
func variableName(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || r == '_'):
			b.WriteRune(unicode.ToUpper(r))
		case r < unicode.MaxASCII && unicode.IsDigit(r):
			if i == 0 {
				b.WriteByte('_')
			}
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}
