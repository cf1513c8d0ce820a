package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/history"
	"nomograph/tools/toolstest"
)

// spellings returns variants of a name that a person, a client or an attacker may write.
func spellings(name string) []string {
	half := len(name) / 2
	written := []string{name, " " + name, name + " ", name + "\n", "\t" + name + "\r\n", name + "\u2028", "\u00a0" +
		name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:],
		"\ufeff" + name, name + "\ufe0f", name + "\u3164", name + "\x00"}
	for _, hidden := range []string{"\u200b", "\u200d", "\u2060", "\u00ad", "\u034f", "\u180e", "\U000e0061", "\x07"} {
		written = append(written, name[:half]+hidden+name[half:])
	}
	wide := strings.Map(func(r rune) rune {
		if r > ' ' && r <= '~' {
			return r + 0xfee0
		}
		return r
	}, name)
	return append(written, wide)
}

var addresses = []string{"a/b.git", "a/b/", "a//b", "https://host.example/a/b", "https://host.example/A/B.git",
	"https://u:p@host.example/a/b", "ssh://git@host.example:22/a/b.git",
	"git@host.example:a/b.git", "host.example/a/b", "https://host.example/a%2Fb", "https://host.example/a/b/tree/main",
	`a\b`}

// TestCheck_OtherSpelling_IsDeniedToo: every rule forbids its subject, so an allowed action has bypassed the rule.
func TestCheck_OtherSpelling_IsDeniedToo(t *testing.T) {
	g, env := toolstest.Open(t)
	forbids := func(name, about string) string {
		return "(:SYS_Policy {name: '" + name + "', active: true, requires: 'false', " + about + "})"
	}
	when := func(name, condition string) string { return forbids(name, "applies_when: '"+condition+"'") }
	toolstest.Rules(t, g, strings.Join([]string{forbids("scope", "scope: 'a/b'"), forbids("glob", "scope: ['a/*']"),
		forbids("address", "scope: 'https://host.example/A/b.git'"), forbids("actions", "actions: ['Git.Push']"),
		when("project", `project == "A/b"`), when("category", `action.category == "Rollout"`),
		when("name", `action.name in ["git.PUSH"]`), when("tag", `action.tags.exists(t, t == "Auth")`),
		when("agent", `agent == "Ada"`),
		`(:SYS_Policy {name: 'cypher', active: true, forbids_pattern: 'WITH $action AS a WHERE a.category = "rollout" AND a.name = "git.push" AND $agent = "ada" AND $project = "a/b" AND "auth" IN a.tags RETURN a.name AS name, $written.name AS written'})`,
		`(:SYS_Threshold {name: 'most_a/b', value: 1, scope: 'A/B.git'}), (:SYS_Threshold {name: 'most', value: 9})`,
		`(:SYS_Policy {name: 'scoped', active: true, requires: 'threshold("most", project) > 1'})`}, ", "))
	all := []string{"actions", "address", "agent", "category", "cypher", "glob", "name", "project", "scope", "scoped",
		"tag"}
	base := check.ActionCheck{Description: "x", Category: "rollout", Name: "git.push", Project: "a/b", AgentID: "ada",
		Tags: []string{"db", "auth"}}
	checkAs := func(field, written string) check.Verdict {
		t.Helper()
		c := base
		c.Tags = slices.Clone(base.Tags)
		*map[string]*string{"category": &c.Category, "name": &c.Name, "project": &c.Project, "agent": &c.AgentID,
			"tags": &c.Tags[1]}[field] = written
		v := graphtest.Must(env.Checks.Check(t.Context(), c))(t)
		return v
	}
	for field, name := range map[string]string{"category": "rollout", "name": "git.push", "project": "a/b",
		"agent": "ada", "tags": "auth"} {
		written := spellings(name)
		if field == "project" {
			written = append(written, addresses...)
		}
		for _, spelled := range written {
			v := checkAs(field, spelled)
			if got := ids(v.Violations); !slices.Equal(got, all) {
				t.Errorf("%s %q: got violations %v, want %v", field, spelled, got, all)
			}
			if _, entries := v.NormalizedNames[field]; entries != (spelled != name) {
				t.Errorf("%s %q: got normalized names %v", field, spelled, v.NormalizedNames)
			}
		}
	}

	v := checkAs("name", "Git.Push\n")
	golden.Equal(t, "normalized names", fmt.Sprint(v.NormalizedNames, v.Violations[4].Found[0]["written"],
		len(v.Violations[4].Found)), "map[name:git.push]Git.Push\n1")
	e, err := env.Checks.Explain(t.Context(), check.VerdictQuery{ID: v.VerdictID, Replay: true})
	if err != nil || fmt.Sprint(e.NormalizedNames) != "map[name:git.push]" ||
		!strings.Contains(string(e.Action), `"Git.Push\n"`) ||
		fmt.Sprint(e.Today.NormalizedNames) != "map[name:git.push]" {
		t.Errorf("got %+v, %s, %v, want the normalized name git.push and the caller's spelling in the action", e,
			e.Action, err)
	}
	for _, other := range []struct{ field, name string }{{"category", "roll out"}, {"name", "git.pull"},
		{"project", "c/d"}, {"agent", "adam"}, {"tags", "authz"}} {
		if v := checkAs(other.field, other.name); len(v.Violations) == len(all) {
			t.Errorf("%s %q: got the violations of a different name", other.field, other.name)
		}
	}
	for _, nothing := range []string{"", " ", "\u200b", "\n"} { // without a project, the rules of all projects apply
		if got := ids(checkAs("project", nothing).Violations); !slices.Contains(got, "scope") ||
			!slices.Contains(got, "glob") {
			t.Errorf("project %q: got violations %v, want scope and glob", nothing, got)
		}
	}
	guardrails, err := env.Checks.Rules(t.Context())
	if err != nil || len(guardrails.InForce("https://host.example/A/B")) != len(guardrails.InForce("a/b")) ||
		len(guardrails.InForce("c/d")) >= len(guardrails.InForce("a/b")) {
		t.Errorf("the rules that a context shows: %v", err)
	}
}

// TestRules_UnreadableDeactivated_IsRecorded: deactivation of an unreadable rule is recorded like that of any
// other.
func TestRules_UnreadableDeactivated_IsRecorded(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'r', active: 'yes', requires: 'true'}), (:SYS_Policy {name: 'other', active: true, requires: 'true'})`)
	for _, change := range []string{"", "MATCH (p:SYS_Policy {name: 'r'}) REMOVE p.active"} {
		if change != "" {
			g.Exec(t, change, nil)
		}
		v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Context: graph.Parameters{}})
		if err != nil || v.Allowed != (change != "") || v.Evaluated != map[bool]int{true: 1, false: 2}[change != ""] {
			t.Errorf("after %q: %+v %v", change, v, err)
		}
	}
	entries, err := env.History.Entries(t.Context(),
		history.Query{Subject: policies.Subject{Kind: "policy", Name: "r"}})
	if err != nil || len(entries.Entries) != 2 {
		t.Errorf("got %+v %v, want len(Entries)=2", entries, err)
	}
}
