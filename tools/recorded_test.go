package tools

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nomograph/internal/render"
)

// ofOurs lists fields with texts by Nomograph or an administrator in answers that are not marked.
var ofOurs = regexp.MustCompile(`(^|[._])(id|uid|uri|hash|at|outcome|status|mode|reindexed|indexed|updated_fields|embedder|model|recorded_model|note|notes|problem|tail_check|token|name|permissions|projects|databases|revoked|period_start|period_end)$|^\.tools\.(summary|arguments|command)$`)

// notReached lists unexported fields with text. Cleaned does not change them, so no answer may show them.
var notReached = map[string]string{
	"agents.Similar.pattern":               "finds what is alike",
	"insights.ContradictionSide.project":   "selects",
	"insights.ContradictionSide.status":    "selects",
	"insights.ContradictionSide.uid":       "an id of ours",
	"attribution.OutcomeProposal.decision": "decides what is accepted",
	"check.Counted.holds":                  "the compiled rule, for storing the verdict",
	"cases.Result.file":                    "the file of a caller, for JUnit, which is cleaned where it is written",
	"cases.RowCoverage.place":              "the place in a caller's pack",
	"cases.RuleCoverage.place":             "the place in a caller's pack",
	"cases.RuleCoverage.rule":              "the caller's pack",
	"cases.TableCoverage.place":            "the place in a caller's pack",
	"change.PlannedChange.cut":             "what is written",
	"change.PlannedChange.item":            "what is written",
	"change.PlannedChange.missing":         "what is written",
	"change.PlannedChange.node":            "what is written",
	"change.PlannedChange.properties":      "what is written",
	"lab.ProposalQuestion.allowed":         "ranks reviews",
	"lab.Question.open":                    "ranks reviews",
	"lab.Question.reviewed":                "ids of sessions",
	"policies.Value.any":                   "a threshold's value, which its history says as it was",
	"sessions.Context.uid":                 "an id of ours",
}

// outputTexts calls text with the path of each text in a type, and hidden with each unexported field that can hold one.
func outputTexts(t reflect.Type, path string, above []reflect.Type, text func(path string), hidden func(field string)) {
	if slices.Contains(above, t) || t.PkgPath() == "time" {
		return
	}
	above = append(slices.Clone(above), t)
	switch t.Kind() {
	case reflect.String, reflect.Interface:
		text(path)
	case reflect.Pointer, reflect.Slice, reflect.Map:
		outputTexts(t.Elem(), path, above, text, hidden)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && f.Type.Kind() == reflect.Struct:
				outputTexts(f.Type, path, above, text, hidden)
			case name == "-": // the text is in no answer
			case f.IsExported():
				outputTexts(f.Type, path+"."+name, above, text, hidden)
			default:
				found := false
				outputTexts(f.Type, "", above, func(string) { found = true }, func(string) { found = true })
				if found {
					hidden(t.String() + "." + f.Name)
				}
			}
		}
	}
}

// TestCatalog_AnswersWithRecordedText_AreMarked walks the types of all answers: one that says that it holds no
// recorded text can hold none, and Cleaned reaches every text that is shown.
func TestCatalog_AnswersWithRecordedText_AreMarked(t *testing.T) {
	for _, o := range Catalog {
		outputTexts(o.out, "", nil, func(path string) {
			if !o.Recorded() && !ofOurs.MatchString(path) {
				t.Errorf("%s declares that its answer has only %s, but it has %s", o.Name, o.Ours, path)
			}
		}, func(field string) {
			if notReached[field] == "" {
				t.Errorf("%s: Cleaned does not reach %s", o.Name, field)
			}
		})
		text, err := o.JSON(json.RawMessage(`{"a":1}`))
		begins := strings.HasPrefix(string(text), `{"`+render.RecordedField)
		if declared := o.Output().Properties[render.RecordedField] != nil; err != nil || begins != o.Recorded() ||
			declared != o.Recorded() {
			t.Errorf("%s: recorded %t, answers %s, its schema has the mark: %t (%v)", o.Name, o.Recorded(), text,
				declared, err)
		}
	}
}
