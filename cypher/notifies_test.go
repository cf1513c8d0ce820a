package cypher_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
)

// TestNotifies_EveryStatement_DeclaresItsEventLabels compares declarations with statement texts. A missing label delays
// subscribers, an unnecessary one wakes them.
func TestNotifies_EveryStatement_DeclaresItsEventLabels(t *testing.T) {
	changed := map[string]string{ // nodes that the statement updates but does not create
		"policies/check/appeal_decide": "Appeal",
		"sessions/approval_answer":     "Approval",
		"sessions/approval_undo":       "Approval",
		"sessions/exception_renew":     "Approval",
		"sessions/exception_revoke":    "Approval",
	}
	clause := regexp.MustCompile(`\b(CREATE|MERGE|MATCH|SET|WITH|RETURN|UNWIND|CALL|FOREACH|WHERE|REMOVE|DELETE)\b`)
	node := regexp.MustCompile(`\(\w*:(?:\w+:)*(` + strings.Join(cypher.EventLabels, "|") + `)\b`)
	for name, statement := range cypher.Catalog {
		text, labels := statement.Text(), []string{}
		clauses := clause.FindAllStringIndex(text, -1)
		for i, at := range clauses {
			end := len(text)
			if i+1 < len(clauses) {
				end = clauses[i+1][0]
			}
			if keyword := text[at[0]:at[1]]; keyword == "CREATE" || keyword == "MERGE" {
				for _, found := range node.FindAllStringSubmatch(text[at[1]:end], -1) {
					labels = append(labels, found[1])
				}
			}
		}
		if label := changed[name]; label != "" {
			labels = append(labels, label)
		}
		slices.Sort(labels)
		want := slices.Compact(labels)
		graphtest.Equal(t, strings.Join(slices.Sorted(slices.Values(statement.Notifies())), " "), strings.Join(want, " "),
			name, "declares other labels than its text creates or changes")
		if statement.WithoutNotification().Notifies() != nil {
			t.Errorf("%s notifies although it must not", name)
		}
	}
}
