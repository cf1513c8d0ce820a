package pages

import (
	"fmt"
	"math"
	"strings"
	"time"

	"nomograph/decisions/counters"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// chart shows values over time as an SVG that fills its column. Positions along the time axis are percentages, so texts
// have the page's size on every screen. Counts have a pane and a scale of their own below the other values.
type chart struct {
	Label  string    // text alternative for screen readers, and the caption
	X      []float64 // Unix seconds, ascending
	Series []series
	Links  []string // target of each point; may be nil
	Every  float64  // seconds that one bar covers
}

// series holds the values of one line or set of bars, with nil for missing values. Bars of several series are stacked.
type series struct {
	Label  string
	Form   string // line, steps or bars
	Color  string // CSS class
	Values []*float64
	Count  bool
}

const (
	paneHeight, countsHeight = 150.0, 76.0
	paneTop, chartFoot       = 18.0, 24.0 // room for the first label, and for the labels of the time axis
	chartEdge                = 3.0        // percent of the width left free at both sides
	day                      = 86400.0    // seconds
	maxTimes, maxValues      = 5, 4       // labels of the axes, about
)

// shape is a part of the drawing with its tooltip and link.
type shape struct {
	Class, D, Text, Link string
	X, Y, W, H           string
}

// pane is a part of the drawing with its own scale of values.
type pane struct {
	Top, Height        float64
	Ticks, Bars, Lines []shape
	Points             []shape
	low, high          float64
}

// domain returns the period that the chart shows: at least a day, and whole bars.
func (c chart) domain() (from, to float64) {
	from, to = c.X[0], c.X[len(c.X)-1]
	if to-from < day {
		from, to = from-day/2, to+day/2
	}
	return from - c.Every/2, to + c.Every/2
}

// at returns a position on the time axis in percent.
func (c chart) at(moment float64) float64 {
	from, to := c.domain()
	return chartEdge + (100-2*chartEdge)*(moment-from)/(to-from)
}

// Height returns the height in pixels.
func (c chart) Height() float64 {
	panes := c.Panes()
	last := panes[len(panes)-1]
	return last.Top + last.Height + chartFoot
}

// Foot returns the baseline of the labels of the time axis.
func (c chart) Foot() float64 { return c.Height() - 6 }

// Times returns the labels of the time axis: whole days, Mondays or months.
func (c chart) Times() (times []shape) {
	from, to := c.domain()
	steps, form := (to-from)/day/maxTimes, "Jan 2"
	moment := time.Unix(int64(from), 0).UTC().Truncate(24 * time.Hour)
	next := func(t time.Time) time.Time { return t.AddDate(0, 0, max(1, int(math.Ceil(steps)))) }
	switch {
	case steps > 24: // months
		form = "Jan 2006"
		months := int(math.Ceil(steps / 30))
		moment = time.Date(moment.Year(), moment.Month(), 1, 0, 0, 0, 0, time.UTC)
		next = func(t time.Time) time.Time { return t.AddDate(0, months, 0) }
	case steps > 3: // weeks
		weeks := int(math.Ceil(steps / 7))
		moment = moment.AddDate(0, 0, -(int(moment.Weekday())+6)%7)
		next = func(t time.Time) time.Time { return t.AddDate(0, 0, 7*weeks) }
	}
	for ; float64(moment.Unix()) <= to; moment = next(moment) {
		if at := c.at(float64(moment.Unix())); at >= chartEdge {
			anchor := "middle"
			if at > 100-2*chartEdge {
				anchor = "end"
			}
			times = append(times, shape{Class: anchor, X: percents(at), Text: moment.Format(form)})
		}
	}
	return times
}

func percents(at float64) string { return fmt.Sprintf("%.2f%%", at) }

// Panes returns the values and below them the counts, as far as there are any.
func (c chart) Panes() (panes []pane) {
	top := paneTop
	for _, counts := range []bool{false, true} {
		var shown []series
		for _, s := range c.Series {
			if s.Count == counts {
				shown = append(shown, s)
			}
		}
		if len(shown) == 0 {
			continue
		}
		p := pane{Top: top, Height: paneHeight}
		if counts {
			p.Height = countsHeight
		}
		c.scale(&p, shown, counts)
		c.draw(&p, shown)
		panes, top = append(panes, p), top+p.Height+paneTop
	}
	return panes
}

// scale chooses round ends and labels for the values of a pane. Bars begin at 0.
func (c chart) scale(p *pane, shown []series, counts bool) {
	low, high := math.Inf(1), math.Inf(-1)
	stacked := make([]float64, len(c.X))
	for _, s := range shown {
		for i, value := range s.Values {
			if value == nil {
				continue
			}
			reached := *value
			if s.Form == "bars" {
				stacked[i] += *value
				reached, low = stacked[i], min(low, 0)
			}
			low, high = min(low, reached), max(high, reached)
		}
	}
	if high < low {
		low, high = 0, 1
	}
	if high == low {
		low, high = low-max(0.5, math.Abs(low)/2), high+max(0.5, math.Abs(high)/2)
	}
	labels := maxValues * p.Height / paneHeight
	step := math.Pow(10, math.Floor(math.Log10((high-low)/labels)))
	for _, factor := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if (high-low)/step > labels {
			step *= factor
		}
	}
	if counts {
		step = max(1, math.Ceil(step))
	}
	p.low, p.high = step*math.Floor(low/step+1e-9), step*math.Ceil(high/step-1e-9)
	for i := range int(math.Round((p.high-p.low)/step)) + 1 {
		value := math.Round((p.low+float64(i)*step)*1e9) / 1e9
		p.Ticks = append(p.Ticks, shape{Text: number(value), Y: fmt.Sprintf("%.1f", p.y(value))})
	}
}

// y returns the vertical position of a value in pixels below the top of the pane.
func (p pane) y(value float64) float64 { return p.Height * (1 - (value-p.low)/(p.high-p.low)) }

// draw adds the shapes of series to a pane. Lines are in units of a hundredth of a percent of the width.
func (c chart) draw(p *pane, shown []series) {
	stacked := make([]float64, len(c.X))
	for _, s := range shown {
		var line strings.Builder
		for i, value := range s.Values {
			if value == nil {
				continue
			}
			x, y := c.at(c.X[i]), p.y(*value)
			one := shape{Class: s.Color, X: percents(x), Y: fmt.Sprintf("%.1f", y),
				Text: time.Unix(int64(c.X[i]), 0).UTC().Format(time.DateOnly) + ": " + s.Label + " " + number(*value)}
			if c.Links != nil {
				one.Link = c.Links[i]
			}
			switch {
			case s.Form == "bars":
				wide := max(0.5, 0.8*(c.at(c.X[i]+c.Every)-x))
				base := stacked[i]
				stacked[i] += *value
				one.X, one.Y = percents(x-wide/2), fmt.Sprintf("%.1f", p.y(stacked[i]))
				one.W, one.H = percents(wide), fmt.Sprintf("%.1f", p.y(base)-p.y(stacked[i]))
				p.Bars = append(p.Bars, one)
				continue
			case line.Len() == 0:
				fmt.Fprintf(&line, "M%.0f %.1f", 100*x, y)
			case s.Form == "steps":
				fmt.Fprintf(&line, "H%.0fV%.1f", 100*x, y)
			default:
				fmt.Fprintf(&line, "L%.0f %.1f", 100*x, y)
			}
			if before := s.Values[max(0, i-1)]; s.Form != "steps" || i == 0 || before == nil || *before != *value {
				p.Points = append(p.Points, one)
			}
		}
		if line.Len() > 0 {
			p.Lines = append(p.Lines, shape{Class: s.Color, D: line.String()})
		}
	}
}

// trendWindow is the number of days of the chart of denials.
const trendWindow = 30

// Trend returns the chart above an unfiltered list: denials by day above verdicts, outcomes by week above decisions. It
// returns nil for other lists, without data, or if the caller may not read it.
func (s *shown) Trend() (*chart, error) {
	v := s.visit
	if l, ok := s.Data.(*listing); !ok || l.Filtered || v.Query("cursor") != "" {
		return nil, nil
	}
	switch s.Page.Name {
	case "verdicts":
		return v.denialsByDay()
	case "decisions":
		return v.outcomesByWeek()
	}
	return nil, nil
}

func (v *Visit) outcomesByWeek() (*chart, error) {
	stats, err := callIfMay[counters.Stats](v, "get_stats", counters.StatsQuery{GroupBy: "week"})
	if err != nil {
		return nil, err
	}
	c := &chart{Label: "Outcomes by week of review", Every: 7 * day}
	for _, name := range []string{"success", "partial", "failure", "abandoned"} {
		c.Series = append(c.Series, series{Label: name, Form: "bars", Color: name, Count: true})
	}
	for _, week := range stats.Groups {
		monday, err := time.Parse(time.DateOnly, week.Value)
		if err != nil {
			return nil, apperr.From(err)
		}
		if c.X == nil && week.ReviewedDecisions == 0 { // the axis begins with the first reviews
			continue
		}
		c.X = append(c.X, float64(monday.Unix()))
		o := week.Outcomes
		for i, count := range []int64{o.Success, o.Partial, o.Failure, o.Abandoned} {
			value := float64(count)
			c.Series[i].Values = append(c.Series[i].Values, &value)
		}
	}
	if len(c.X) < 2 {
		return nil, nil
	}
	return c, nil
}

// denialsByDay reads the chart of denials by a shipped query, which only callers who may see everything may run.
func (v *Visit) denialsByDay() (*chart, error) {
	found, err := callIfMay[graph.QueryResult](v, "denials_by_day", map[string]any{"days": trendWindow})
	if err != nil && !expected(err) || len(found.Rows) == 0 {
		return nil, err
	}
	denials := map[string]*float64{}
	for _, row := range found.Rows {
		name, _ := row[0].(string)
		if count, ok := asNumber(row[1]); ok {
			denials[name] = &count
		}
	}
	c := &chart{Label: "Denied actions by day", Every: day,
		Series: []series{{Label: "denied", Form: "bars", Color: "failure", Count: true}}}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for back := trendWindow - 1; back >= 0; back-- {
		at := today.AddDate(0, 0, -back)
		c.X = append(c.X, float64(at.Unix()))
		c.Series[0].Values = append(c.Series[0].Values, denials[at.Format(time.DateOnly)])
		c.Links = append(c.Links, link("/verdicts", "result", "denied", "date_after", at.Format(time.DateOnly),
			"date_before", at.AddDate(0, 0, 1).Format(time.DateOnly)))
	}
	return c, nil
}
