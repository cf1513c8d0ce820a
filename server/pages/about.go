package pages

import (
	"cmp"
	"slices"

	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/autonomy"
	"nomograph/policies/check"
)

// record is the data of the page of an agent or project: how far it can be trusted, what it did and what was denied.
type record struct {
	Kind, Name string // kind is agent or project
	Filter     string // parameter of lists: agent_id or project
	counters.Stats
	Trust      string // one sentence
	Categories []reviewedGroup
	Stakes     []reviewedGroup
	Failures   []decisions.Summary
	Newest     []decisions.Summary
	Rules      []violatedRule
	Denials    int                 // verdicts that Rules counts
	Older      bool                // older denials exist that Rules does not count
	Verdicts   []check.VerdictRow  // newest verdicts, if there are no decisions and no denials
	Levels     []autonomy.Standing // earned by an agent, by stakes; empty without a rule about autonomy

	Choice []counters.Group // agents or projects to choose from, without a name
}

// PageTitle names the agent or project.
func (r record) PageTitle() string {
	if r.Name == "" {
		return capital(r.Kind) + "s"
	}
	return capital(r.Kind) + " " + r.Name
}

// namesOf returns the agents or projects of decisions, those with the most decisions first.
func (v *Visit) namesOf(kind string) ([]counters.Group, error) {
	stats, err := callIfMay[counters.Stats](v, "get_stats", counters.StatsQuery{GroupBy: kind})
	groups := slices.DeleteFunc(slices.Clone(stats.Groups), func(g counters.Group) bool { return g.Value == "" })
	slices.SortStableFunc(groups, func(a, b counters.Group) int {
		return cmp.Compare(b.TotalDecisions, a.TotalDecisions)
	})
	return groups, err
}

// reviewedGroup holds the reviewed decisions of one category or level of stakes.
type reviewedGroup struct {
	counters.Group
	rate
	By        string // category or stakes
	Decisions string // link to the reviewed decisions
}

// Words names the decisions of the group, such as "tooling" or "high stakes".
func (g reviewedGroup) Words() string {
	if g.By == "stakes" {
		return g.Value + " stakes"
	}
	return g.Value
}

// Bar draws the share of successes, with the stated confidence where it is known.
func (g reviewedGroup) Bar() bar {
	if g.N() < minReviews {
		return bar{}
	}
	share, low, high := g.success()
	if g.Overall == nil {
		return barOf(&share, low, high, nil)
	}
	return barOf(&share, low, high, &g.Overall.MeanConfidence)
}

// violatedRule is a rule with the number of denials that it caused.
type violatedRule struct {
	Name  string
	Count int
}

const (
	recentListed  = 10
	newestDenials = 500
)

// showRecord shows an agent or a project, after which its page is named.
func showRecord(v *Visit) (any, error) {
	kind, name := v.page.Name, v.Query("name")
	if name == "" {
		names, err := v.namesOf(kind)
		return record{Kind: kind, Choice: names}, err
	}
	out := record{Kind: kind, Name: name, Filter: kind}
	var of counters.Selection
	list := precedents.ListQuery{Limit: recentListed}
	denied := check.VerdictFilter{Allowed: new(bool), Page: policies.Page{Limit: newestDenials}}
	if kind == "agent" {
		out.Filter, list.AgentID, denied.AgentID, of.AgentID = "agent_id", name, name, name
	} else {
		list.Project, denied.Project, of.Project = name, name, name
	}
	failed := list
	failed.Outcome = "failure"
	var verdicts check.VerdictList
	var newest, failures precedents.List
	if err := concurrently(func() (err error) {
		newest, err = Call[precedents.List](v, "list_decisions", list)
		return err
	}, func() (err error) {
		failures, err = Call[precedents.List](v, "list_decisions", failed)
		return err
	}, reading(v, &verdicts, "list_verdicts", denied), func() (err error) {
		if kind == "agent" {
			out.Levels, err = v.levelsOf(name)
		}
		return err
	}, func() error { return out.compare(v, of) }); err != nil {
		return nil, err
	}
	if len(newest.Decisions) == 0 && len(verdicts.Verdicts) == 0 {
		all := denied
		all.Allowed, all.Page = nil, policies.Page{Limit: recentListed}
		allowed, err := callIfMay[check.VerdictList](v, "list_verdicts", all)
		if err != nil {
			return nil, err
		}
		if len(allowed.Verdicts) == 0 {
			return nil, apperr.Newf(apperr.NotFound, "No decisions or verdicts of the %s %q", kind, name).
				WithHint("Check the spelling, or search for the name; only case is ignored")
		}
		out.Verdicts = allowed.Verdicts
	}
	out.Newest, out.Failures = newest.Decisions, failures.Decisions
	out.countRules(verdicts)
	out.Trust = trust(rate{out.Outcomes.Success, out.Outcomes.Failure}, out.Categories, out.Stakes)
	return out, nil
}

// Counts returns the numbers of decisions by outcome.
func (r record) Counts() []outcomeCount {
	o := r.Outcomes
	return byOutcome(map[string]int{"success": int(o.Success), "partial": int(o.Partial), "failure": int(o.Failure),
		"abandoned": int(o.Abandoned), "pending": int(r.TotalDecisions - r.ReviewedDecisions)})
}

// levelsOf returns the levels of autonomy that an agent has earned; none without a rule about autonomy.
func (v *Visit) levelsOf(agent string) ([]autonomy.Standing, error) {
	found, err := callIfMay[check.AgentAutonomy](v, "get_autonomy", check.AutonomyQuery{Agent: agent})
	if apperr.Is(err, apperr.NotFound) {
		return nil, nil
	}
	return found.Levels, err
}

// countRules counts the violated rules of denials, most violated first.
func (r *record) countRules(denials check.VerdictList) {
	r.Denials, r.Older = len(denials.Verdicts), denials.NextCursor != ""
	count := map[string]int{}
	for _, verdict := range denials.Verdicts {
		for _, rule := range verdict.Rules {
			count[shownValue(rule)]++
		}
	}
	for name, n := range count {
		r.Rules = append(r.Rules, violatedRule{name, n})
	}
	slices.SortFunc(r.Rules, func(a, b violatedRule) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name))
	})
	r.Rules = r.Rules[:min(len(r.Rules), recentListed)]
}

// compare reads all outcomes, and those of each category and level of stakes.
func (r *record) compare(v *Visit, of counters.Selection) error {
	var byStakes counters.Stats
	err := concurrently(
		reading(v, &r.Stats, "get_stats", counters.StatsQuery{Selection: of, GroupBy: "category"}),
		reading(v, &byStakes, "get_stats", counters.StatsQuery{Selection: of, GroupBy: "stakes"}))
	r.Categories = r.reviewed("category", decisions.CategoryValues, r.Groups)
	r.Stakes = r.reviewed("stakes", decisions.StakesValues, byStakes.Groups)
	return err
}

// reviewed returns the groups with reviews, in the order of their values.
func (r *record) reviewed(by string, values []string, groups []counters.Group) (all []reviewedGroup) {
	for _, value := range values {
		for _, g := range groups {
			if g.Value == value && g.ReviewedDecisions > 0 {
				all = append(all, reviewedGroup{Group: g, By: by, rate: rate{g.Outcomes.Success, g.Outcomes.Failure},
					Decisions: link("/decisions", "status", "reviewed", r.Filter, r.Name, by, value)})
			}
		}
	}
	return all
}
