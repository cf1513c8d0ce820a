package pages

import (
	"testing"

	"nomograph/decisions/counters"
	"nomograph/graph/graphtest"
)

func TestTrust_Outcomes_ClaimOnlyWhatTheyShow(t *testing.T) {
	of := func(by, value string, succeeded, failed int64) reviewedGroup {
		return reviewedGroup{Group: counters.Group{Value: value}, By: by, rate: rate{succeeded, failed}}
	}
	for _, c := range []struct {
		all                rate
		categories, stakes []reviewedGroup
		want               string
	}{
		{rate{2, 1}, []reviewedGroup{of("category", "process", 2, 1)}, nil,
			"Too few reviews to say how far to trust it: 1 of 3 failed. 5 successes or failures are needed."},
		{rate{4, 0}, []reviewedGroup{of("category", "process", 4, 0)}, nil,
			"Too few reviews to say how far to trust it: 0 of 4 failed. 5 successes or failures are needed."},
		{rate{10, 2}, []reviewedGroup{of("category", "process", 4, 0), of("category", "tooling", 6, 2)}, nil,
			"Reviews do not settle yet whether to trust it: 2 of 12 failed, 5 to 45\u00a0%."},
		{rate{36, 3}, []reviewedGroup{of("category", "process", 30, 0), of("category", "integration", 6, 3)},
			[]reviewedGroup{of("stakes", "low", 20, 0), of("stakes", "medium", 16, 0), of("stakes", "high", 0, 3)},
			"Trust it with process decisions and at low and medium stakes; not with integration: 3 of 9 failed, 12 to 65\u00a0%."},
		{rate{2, 8}, []reviewedGroup{of("category", "security", 2, 8)}, []reviewedGroup{of("stakes", "high", 2, 8)},
			"Do not trust it with security: 8 of 10 failed, 49 to 94\u00a0%; not with high stakes: 8 of 10 failed, 49 to 94\u00a0%."},
	} {
		graphtest.Equal(t, trust(c.all, c.categories, c.stakes), c.want, "trust")
	}
}
