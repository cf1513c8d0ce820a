package pages

import (
	"nomograph/policies/check"
)

// covered is the data of the coverage page: the calls of each day, and a list of the gaps.
type covered struct {
	check.Coverage
	*listing
	Percent float64 // of executed calls that have a verdict
	Any     bool
}

func showCoverage(v *Visit) (any, error) {
	list, err := v.list(gapsList)
	if err != nil {
		return list, err
	}
	q, _ := gapsList.argumentsOf(v)
	out := covered{listing: list}
	out.Coverage, err = Call[check.Coverage](v, "get_coverage", q)
	share, any := out.Share()
	out.Percent, out.Any = share*100, any
	return out, err
}
