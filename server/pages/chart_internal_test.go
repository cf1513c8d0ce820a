package pages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
)

// TestChart_Axes_FitTheData compares the labels of both axes for periods and values of every size.
func TestChart_Axes_FitTheData(t *testing.T) {
	start := time.Date(2026, 2, 25, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		days          int
		values        []float64
		count         bool
		times, labels string
	}{
		{0, []float64{0.7}, false, "Feb 25", "0, 0.5, 1, 1.5"},
		{3, []float64{0.5, 0.6}, false, "Feb 26, Feb 27, Feb 28", "0.5, 0.55, 0.6"},
		{12, []float64{1, 7}, true, "Feb 28, Mar 3, Mar 6, Mar 9", "0, 5, 10"},
		{40, []float64{0, 25000}, false, "Mar 9, Mar 23, Apr 6", "0, 10000, 20000, 30000"},
		{400, []float64{-0.02, 0.13}, false, "May 2026, Aug 2026, Nov 2026, Feb 2027", "-0.05, 0, 0.05, 0.1, 0.15"},
	} {
		one := chart{Series: []series{{Form: map[bool]string{true: "bars", false: "line"}[c.count], Count: c.count}}}
		for i, value := range c.values {
			one.X = append(one.X, float64(start.AddDate(0, 0, i*c.days).Unix()))
			one.Series[0].Values = append(one.Series[0].Values, &value)
		}
		texts := func(shapes []shape) string {
			var all []string
			for _, s := range shapes {
				all = append(all, s.Text)
			}
			return strings.Join(all, ", ")
		}
		graphtest.Equal(t, texts(one.Times()), c.times, fmt.Sprint(c.days, " days: times"))
		graphtest.Equal(t, texts(one.Panes()[0].Ticks), c.labels, fmt.Sprint(c.values, ": labels"))
	}
}
