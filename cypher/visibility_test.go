package cypher_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

func TestRestricted_Marker_BecomesCondition(t *testing.T) {
	s := cypher.New("test/markers", "MATCH (d:Decision) WHERE true /* visible: d:Decision */ AND CASE WHEN true /* unrestricted */ THEN 1 ELSE 0 END = 0 RETURN d", false)
	want := "MATCH (d:Decision) WHERE (toLower(d.project) IN $caller.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $caller.agent)) AND CASE WHEN false THEN 1 ELSE 0 END = 0 RETURN d"
	if got, ok := s.Restricted(); got != want || !ok {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, ok := cypher.New("test/none", "RETURN 1", false).Restricted(); got != "" || ok {
		t.Errorf("got %q for a statement without a marker, want empty got, ok=false", got)
	}
}

func TestNew_UnreadableMarker_Panics(t *testing.T) {
	for _, text := range []string{
		"MATCH (d) WHERE true /* visible: d */ RETURN d",
		"MATCH (d) WHERE true /* visible: d:Unknown */ RETURN d",
		"MATCH (d) WHERE true /* Visible: d:Decision */ RETURN d",
		"MATCH (d) WHERE true /*visible: d:Decision*/ RETURN d",
		"MATCH (d) WHERE d.x /* visible: d:Decision */ RETURN d",
		"MATCH (d) WHERE d.istrue /* visible: d:Decision */ RETURN d",
		"MATCH (d) WHERE true /* visible: d:Decision RETURN d",
		"RETURN 1 /* all of them */",
	} {
		t.Run(text, func(t *testing.T) {
			defer func() {
				graphtest.Contains(t, fmt.Sprint(recover()), "statement test/unreadable: cannot read the marker")
			}()
			cypher.New("test/unreadable", text, false)
		})
	}
}

func TestRestrict_EveryStatement_LeavesNoMarker(t *testing.T) {
	for name, s := range cypher.Catalog {
		if strings.Contains(s.Text(), "$caller") {
			t.Errorf("%s names $caller itself; use a marker", name)
		}
		if restricted, ok := s.Restricted(); ok && (strings.Contains(restricted, "/*") || restricted == s.Text()) {
			t.Errorf("%s is not restricted: %s", name, restricted)
		}
	}
}

// TestVisibility_EveryStatement_HasMarkerOrReason reads the labels in patterns and those of index results. It cannot
// detect nodes without a label in their pattern.
func TestVisibility_EveryStatement_HasMarkerOrReason(t *testing.T) {
	node := regexp.MustCompile(`\((\w*):(?:\w+[:&|])*(Decision|Verdict|Execution|Intent|Chunk|Session|Approval|Proposal|Appeal|MemoryProject|Atlas|Context)\b|\bYIELD node AS (\w+)()`)
	marker := regexp.MustCompile(`/\* visible: (?:\w+\.)*(\w+):(\w+) \*/`)
	comment := regexp.MustCompile(`(?m)^\s*//.*$`)
	reasons, used := map[string]string{}, map[string]bool{}
	for _, group := range golden.Cases(t, "testdata/unmarked.txt") {
		for _, name := range strings.Fields(group.Text) {
			graphtest.Equal(t, reasons[name], "", name, "has two reasons")
			reasons[name] = group.Name
		}
	}
	marked := 0
	for name, s := range cypher.Catalog {
		text := comment.ReplaceAllString(s.Text(), "")
		variables, labels := map[string]bool{}, map[string]bool{}
		for _, found := range marker.FindAllStringSubmatch(text, -1) {
			variables[found[1]], labels[found[2]] = true, true
		}
		if len(labels) > 0 {
			marked++
		}
		if !strings.Contains(text, "RETURN") {
			continue // it returns nothing to the caller
		}
		for _, found := range node.FindAllStringSubmatch(text, -1) {
			variable, label := found[1]+found[3], found[2]
			switch {
			case variables[variable], variable == "" && len(labels) > 0: // a node without a variable is not returned
				continue
			case label == "Session" && labels["Chunk"], (label == "Context" || variable == "c") &&
				labels["Atlas"]: // part of a node with a marker
				continue
			}
			reason := name[:strings.LastIndex(name, "/")+1]
			switch {
			case len(labels) > 0:
				reason = name + ":" + variable
			case reasons[name] != "":
				reason = name
			}
			if used[reason] = true; reasons[reason] == "" {
				t.Errorf("%s has no marker for (%s:%s): add `true /* visible: %[2]s:%[3]s */`, or a reason to unmarked.txt",
					name, variable, label)
			}
		}
	}
	for name := range reasons {
		if !used[name] {
			t.Errorf("%s needs no reason", name)
		}
	}
	t.Logf("%d of %d statements have markers", marked, len(cypher.Catalog))
}

// TestVisibility_DecisionsInFilteredStatements_HaveVariables: a node without a variable cannot have a marker, but
// reveals its existence.
func TestVisibility_DecisionsInFilteredStatements_HaveVariables(t *testing.T) {
	for name, s := range cypher.Catalog {
		if text := s.Text(); strings.Contains(text, ":Decision */") && strings.Contains(text, "(:Decision") {
			t.Errorf("%s matches a decision without a variable: give it one and a marker", name)
		}
	}
}
