package pages

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// chart shows values over time. The server renders it as SVG. With JavaScript, uPlot renders the same data.
type chart struct {
	Label  string    `json:"label"` // text alternative for screen readers
	X      []float64 `json:"x"`     // Unix seconds, ascending
	Series []series  `json:"series"`
	Links  []string  `json:"links,omitempty"` // target of each point
}

// series holds the values of one line or set of bars, with null for missing values. Counts have their own axis.
type series struct {
	Label  string     `json:"label"`
	Form   string     `json:"form"`  // line, steps or bars
	Color  string     `json:"color"` // name of a CSS variable
	Values []*float64 `json:"values"`
	Count  bool       `json:"count,omitempty"`
}

// JSON returns the data for the script.
func (d chart) JSON() (string, error) {
	text, err := json.Marshal(d)
	return string(text), err
}

// Layout of the SVG in its own units.
const (
	chartLeft, chartTop     = 56.0, 16.0
	chartWidth, chartHeight = 640.0, 190.0
	barsShare               = 0.35 // share of the height for counts
	gridLines               = 4
)

// stroke is a path of the SVG with an optional text label.
type stroke struct {
	Class, D, Text, Anchor string
	X, Y                   string
}

// ends returns the smallest and the largest value of the count series or of the other series. They always differ.
func (d chart) ends(count bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range d.Series {
		for _, value := range s.Values {
			if value != nil && s.Count == count {
				low, high = min(low, *value), max(high, *value)
			}
		}
	}
	switch {
	case high < low:
		return 0, 1
	case count:
		return 0, max(1, high)
	case high == low:
		return low - max(0.5, math.Abs(low)/2), high + max(0.5, math.Abs(high)/2)
	}
	return low, high
}

func (d chart) x(at float64) float64 {
	first, last := d.X[0], d.X[len(d.X)-1]
	if last == first {
		return chartLeft + chartWidth/2
	}
	return chartLeft + chartWidth*(at-first)/(last-first)
}

// Grid returns horizontal lines labeled with their values, and labels for the first and the last day.
func (d chart) Grid() []stroke {
	if len(d.X) == 0 {
		return nil
	}
	low, high := d.ends(false)
	var grid []stroke
	for i := range gridLines + 1 {
		share := float64(i) / gridLines
		y := chartTop + chartHeight*(1-share)
		grid = append(grid, stroke{D: fmt.Sprintf("M%.0f %.1fh%.0f", chartLeft, y, chartWidth),
			Text: number(low + share*(high-low)), Anchor: "end",
			X: fmt.Sprint(chartLeft - 6), Y: fmt.Sprintf("%.1f", y+4)})
	}
	day := func(at float64) string { return time.Unix(int64(at), 0).UTC().Format(time.DateOnly) }
	foot := fmt.Sprint(chartTop + chartHeight + 20)
	return append(grid, stroke{Text: day(d.X[0]), Anchor: "start", X: fmt.Sprint(chartLeft), Y: foot},
		stroke{Text: day(d.X[len(d.X)-1]), Anchor: "end", X: fmt.Sprint(chartLeft + chartWidth), Y: foot})
}

// Paths returns one path per series.
func (d chart) Paths() []stroke {
	var paths []stroke
	classes := map[string]string{"link": "line", "partial": "line second", "abandoned": "line third",
		"success": "line fourth"}
	for _, s := range d.Series {
		low, high := d.ends(s.Count)
		var path strings.Builder
		before := false
		for i, value := range s.Values {
			if value == nil {
				before = before && s.Form == "line"
				continue
			}
			x, share := d.x(d.X[i]), (*value-low)/(high-low)
			y := chartTop + chartHeight*(1-share)
			switch {
			case s.Form == "bars":
				tall := chartHeight * barsShare * share
				fmt.Fprintf(&path, "M%.1f %.1fh5v%.1fh-5z", x-2.5, chartTop+chartHeight-tall, tall)
			case !before:
				fmt.Fprintf(&path, "M%.1f %.1fh.1", x, y)
			case s.Form == "steps":
				fmt.Fprintf(&path, "H%.1fV%.1f", x, y)
			default:
				fmt.Fprintf(&path, "L%.1f %.1f", x, y)
			}
			before = true
		}
		class := "bars"
		if s.Form != "bars" {
			class = classes[s.Color]
		}
		paths = append(paths, stroke{Class: class, D: path.String()})
	}
	return paths
}
