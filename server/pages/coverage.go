package pages

import (
	"nomograph/policies/check"
)

// covered is the data of the coverage page.
type covered struct {
	check.Coverage
	Percent float64 // of executed calls that have a verdict
	Any     bool
}

func showCoverage(v *Visit) (any, error) {
	q := check.CoverageQuery{Client: v.Query("client"), Project: v.Query("project")}
	q.DateAfter, q.DateBefore = v.Query("since"), v.Query("until")
	c, err := Call[check.Coverage](v, "get_coverage", q)
	if err != nil {
		return nil, err
	}
	share, any := c.Share()
	return covered{Coverage: c, Percent: share * 100, Any: any}, nil
}
