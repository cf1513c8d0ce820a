package pages

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nomograph/decisions/calibration"
	"nomograph/decisions/counters"
	"nomograph/internal/apperr"
)

// calibrationPage is the data of the calibration page.
type calibrationPage struct {
	counters.Stats
	Groups    []counters.Group
	Reasons   counters.ReasonStats
	Diagram   reliability
	Weeks     chart
	selection counters.Selection
	Ungrouped *apperr.Error // why there are no groups; nil if there are, or none are asked for
}

// Decisions returns the link to the reviewed decisions behind a number, filtered further by pairs of name and value.
func (c calibrationPage) Decisions(pairs ...any) string {
	return link("/decisions", append([]any{"status", "reviewed", "category", c.selection.Category, "project",
		c.selection.Project, "stakes", c.selection.Stakes, "agent_id", c.selection.AgentID}, pairs...)...)
}

// Remarks returns the recommendations without those that repeat the first sentence of the page: its means and their
// interval.
func (c calibrationPage) Remarks() []calibration.Recommendation {
	return slices.DeleteFunc(slices.Clone(c.Recommendations), func(r calibration.Recommendation) bool {
		return c.Overall != nil && r.Severity == calibration.Info &&
			(r.Type == c.Overall.Interpretation || r.Type == calibration.SmallSample)
	})
}

// Week returns the link to the decisions that were reviewed in the week that starts on monday (YYYY-MM-DD).
func (c calibrationPage) Week(monday string) string {
	return link("/query", "named", "decisions_reviewed", "run", "1", "p.from", monday, "p.category",
		c.selection.Category, "p.project", c.selection.Project, "p.stakes", c.selection.Stakes, "p.by",
		c.selection.AgentID)
}

func showCalibration(v *Visit) (_ any, err error) {
	q := counters.StatsQuery{Selection: counters.Selection{Category: v.Query("category"), Project: v.Query("project"),
		Stakes: v.Query("stakes"), AgentID: v.Query("agent_id"), Window: v.Query("window")},
		GroupBy: "week"}
	var out calibrationPage
	out.selection = q.Selection
	if q.AgentID != "" && (q.Project != "" || q.Stakes != "") { // these statistics are computed on request and have no weeks
		q.GroupBy = ""
	}
	if out.Stats, err = Call[counters.Stats](v, "get_stats", q); err != nil {
		return nil, err
	}
	out.Weeks = weekly(out.Stats.Groups, out.Week)
	out.Diagram = diagramOf(out.Curve, out.Decisions)
	if q.GroupBy = v.Query("by"); q.GroupBy != "" {
		grouped, err := Call[counters.Stats](v, "get_stats", q)
		if apperr.Is(err, apperr.Validation) { // the counters do not cover every pair of filter and group
			out.Ungrouped, err = forPerson(v.page, apperr.From(err)), nil
		}
		if err != nil {
			return nil, err
		}
		out.Groups = grouped.Groups
	}
	if q.AgentID == "" {
		out.Reasons, err = callIfMay[counters.ReasonStats](v, "get_reason_stats",
			counters.ReasonStatsQuery{Window: q.Window,
				Filters: &counters.ReasonFilters{Category: q.Category, Stakes: q.Stakes, Project: q.Project}})
	}
	return out, err
}

// Bar draws the mean outcome and the mean confidence of a group.
func (c calibrationPage) Bar(o calibration.Calibration) bar {
	return barOf(&o.Accuracy, o.AccuracyInterval.Low, o.AccuracyInterval.High, &o.MeanConfidence)
}

// ReasonBar draws the same of a reason type.
func (c calibrationPage) ReasonBar(r calibration.ReasonType) bar {
	if r.Interval == nil {
		return bar{}
	}
	return barOf(r.SuccessRate, r.Interval.Low, r.Interval.High, r.AvgConfidence)
}

// weekly builds the chart of the Brier score and its components by week. Each point links to the decisions of its week.
func weekly(weeks []counters.Group, link func(monday string) string) chart {
	d := chart{Label: "Brier score and its components by week of review", Series: []series{
		{Label: "Brier score", Form: "line", Color: "link"}, {Label: "reliability", Form: "line", Color: "partial"},
		{Label: "resolution", Form: "line", Color: "success"},
		{Label: "uncertainty", Form: "line", Color: "abandoned"}}}
	for _, week := range weeks {
		monday, err := time.Parse(time.DateOnly, week.Value)
		if err != nil || week.Overall == nil {
			continue
		}
		d.X, d.Links = append(d.X, float64(monday.Unix())), append(d.Links, link(week.Value))
		for i, value := range []float64{week.Overall.BrierScore, week.Overall.Reliability, week.Overall.Resolution,
			week.Overall.Uncertainty} {
			d.Series[i].Values = append(d.Series[i].Values, &value)
		}
	}
	return d
}

// reliability is the reliability diagram: mean outcome by confidence. Each point links to its decisions.
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
	maximum := int64(1)
	for _, p := range curve {
		maximum = max(maximum, p.Decisions)
	}
	x := func(share float64) float64 { return diagramLeft + diagramSide*share }
	y := func(share float64) float64 { return diagramTop + diagramSide*(1-share) }
	for i, p := range curve {
		middle := x(p.MeanConfidence)
		fmt.Fprintf(&line, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], middle, y(p.MeanOutcome))
		to := p.High
		if to < 1 {
			const below = 1e-6 // the upper bound of a bin belongs to the next bin
			to -= below
		}
		d.Points = append(d.Points, reliable{Point: p, X: fmt.Sprintf("%.1f", middle),
			Y:     fmt.Sprintf("%.1f", y(p.MeanOutcome)),
			R:     fmt.Sprintf("%.1f", max(5, 12*math.Sqrt(float64(p.Decisions)/float64(maximum)))),
			Range: fmt.Sprintf("M%.1f %.1fV%.1f", middle, y(p.Interval.Low), y(p.Interval.High)),
			Link:  decisions("min_confidence", p.Low, "max_confidence", to)})
	}
	d.Curve = line.String()
	return d
}
