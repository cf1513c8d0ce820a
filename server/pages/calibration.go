package pages

import (
	"fmt"
	"math"
	"strings"
	"time"

	"nomograph/decisions/calibration"
	"nomograph/decisions/counters"
)

// calibrated is how far confidence was earned.
type calibrated struct {
	counters.Stats
	Groups  []counters.Group
	Reasons counters.ReasonStats
	Diagram reliability
	Weeks   chart
	links   func(pairs ...any) string
}

// Decisions is the list of the decisions that numbers are about, narrowed further by pairs of name and value.
func (c calibrated) Decisions(pairs ...any) string { return c.links(pairs...) }

func showCalibration(v *Visit) (any, error) {
	q := counters.StatsQuery{Selection: counters.Selection{Category: v.Query("category"), Project: v.Query("project"), Stakes: v.Query("stakes"), AgentID: v.Query("agent_id"), Window: v.Query("window")},
		GroupBy: "week"}
	var out calibrated
	out.links = func(pairs ...any) string {
		return link("/decisions", append([]any{"status", "reviewed", "category", q.Category, "project", q.Project, "stakes", q.Stakes, "agent_id", q.AgentID}, pairs...)...)
	}
	if q.AgentID != "" && (q.Project != "" || q.Stakes != "") { // they are counted when they are asked for, so there are no weeks of them
		q.GroupBy = ""
	}
	var err error
	if out.Stats, err = Call[counters.Stats](v, "get_stats", q); err != nil {
		return nil, err
	}
	out.Weeks = weekly(out.Stats.Groups)
	out.Diagram = diagramOf(out.Curve, out.Decisions)
	if q.GroupBy = v.Query("by"); q.GroupBy != "" {
		grouped, err := Call[counters.Stats](v, "get_stats", q)
		if err != nil {
			return nil, err
		}
		out.Groups = grouped.Groups
	}
	if q.AgentID == "" {
		out.Reasons, err = callIfMay[counters.ReasonStats](v, "get_reason_stats", counters.ReasonStatsQuery{Window: q.Window,
			Filters: &counters.ReasonFilters{Category: q.Category, Stakes: q.Stakes, Project: q.Project}})
	}
	return out, err
}

// weekly draws the Brier score and its parts, week by week.
func weekly(weeks []counters.Group) chart {
	d := chart{Label: "Brier score and its parts by the week of the review", Series: []series{
		{Label: "Brier score", Form: "line", Colour: "link"}, {Label: "reliability", Form: "line", Colour: "partial"},
		{Label: "resolution", Form: "line", Colour: "success"}, {Label: "uncertainty", Form: "line", Colour: "abandoned"}}}
	for _, week := range weeks {
		monday, err := time.Parse(time.DateOnly, week.Value)
		if err != nil || week.Overall == nil {
			continue
		}
		d.X = append(d.X, float64(monday.Unix()))
		for i, value := range []float64{week.Overall.BrierScore, week.Overall.Reliability, week.Overall.Resolution, week.Overall.Uncertainty} {
			d.Series[i].Values = append(d.Series[i].Values, &value)
		}
	}
	return d
}

// reliability is the diagram of outcomes by confidence, each point of which leads to its decisions.
type reliability struct {
	Curve  string
	Points []reliable
}

type reliable struct {
	calibration.Point
	X, Y, R string
	Range   string
	Link    string
}

const (
	diagramSide = 360.0
	diagramLeft = 56.0
	diagramTop  = 12.0
)

func diagramOf(curve []calibration.Point, decisions func(pairs ...any) string) reliability {
	var d reliability
	var line strings.Builder
	most := int64(1)
	for _, p := range curve {
		most = max(most, p.Decisions)
	}
	x := func(share float64) float64 { return diagramLeft + diagramSide*share }
	y := func(share float64) float64 { return diagramTop + diagramSide*(1-share) }
	for i, p := range curve {
		middle := x(p.MeanConfidence)
		fmt.Fprintf(&line, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], middle, y(p.MeanOutcome))
		to := p.High
		if to < 1 {
			const below = 1e-6 // what is at the upper end belongs to the next
			to -= below
		}
		d.Points = append(d.Points, reliable{Point: p, X: fmt.Sprintf("%.1f", middle), Y: fmt.Sprintf("%.1f", y(p.MeanOutcome)),
			R: fmt.Sprintf("%.1f", max(5, 12*math.Sqrt(float64(p.Decisions)/float64(most)))), Range: fmt.Sprintf("M%.1f %.1fV%.1f", middle, y(p.Interval.Low), y(p.Interval.High)),
			Link: decisions("min_confidence", p.Low, "max_confidence", to)})
	}
	d.Curve = line.String()
	return d
}
