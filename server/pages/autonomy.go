package pages

import (
	"fmt"

	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/internal/apperr"
	"nomograph/policies/autonomy"
	"nomograph/policies/check"
)

// agentAutonomy is the data of the page of an agent's autonomy.
type agentAutonomy struct {
	Agent, Model string
	check.AgentAutonomy
	Missing    *apperr.Error // why there are no levels
	Categories []categoryLevels

	Choice []counters.Group // agents to choose from, without a name
}

// categoryLevels are the levels of acts in one category, by stakes.
type categoryLevels struct {
	Category string
	Levels   []autonomy.Standing
}

// PageTitle names the agent.
func (e agentAutonomy) PageTitle() string {
	if e.Agent == "" {
		return "Autonomy"
	}
	return "Autonomy of " + e.Agent
}

// Counted returns the evidence for a level: the counted sessions.
func (e agentAutonomy) Counted(s autonomy.Standing) string {
	if s.Successes+s.Failures == 0 {
		return "no counted reviews"
	}
	return fmt.Sprintf("%d sessions succeeded, %d failed, %d not reviewed", s.Successes, s.Failures, s.Unreviewed)
}

// Ignored lists reviews that do not count, with the reason.
func (e agentAutonomy) Ignored(s autonomy.Standing) (all []string) {
	for _, one := range []struct {
		count int
		why   string
	}{{s.Approved, "approved before"}, {s.Forced, "forced"}, {s.Partial, "partial"}, {s.LeftOut, "of one reviewer"}} {
		if one.count > 0 {
			all = append(all, fmt.Sprintf("%d %s", one.count, one.why))
		}
	}
	return all
}

func showAutonomy(v *Visit) (any, error) {
	out := agentAutonomy{Agent: v.Query("agent"), Model: v.Query("model")}
	if out.Agent == "" {
		names, err := v.namesOf("agent")
		return agentAutonomy{Choice: names}, err
	}
	found, err := Call[check.AgentAutonomy](v, "get_autonomy", check.AutonomyQuery{Agent: out.Agent, Model: out.Model})
	if apperr.Is(err, apperr.NotFound) { // the pack is not applied
		out.Missing = apperr.From(err)
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.AgentAutonomy = found
	out.Categories = make([]categoryLevels, len(decisions.CategoryValues))
	var reads []func() error
	for i, category := range decisions.CategoryValues {
		reads = append(reads, func() error {
			of, err := Call[check.AgentAutonomy](v, "get_autonomy",
				check.AutonomyQuery{Agent: out.Agent, Model: out.Model, Category: category})
			out.Categories[i] = categoryLevels{category, of.Levels}
			return err
		})
	}
	return out, concurrently(reads...)
}
