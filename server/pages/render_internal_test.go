package pages

import (
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/schema"
)

func TestInvalidFields_Problems_NameTheirFields(t *testing.T) {
	for _, one := range []struct {
		page    string
		problem schema.Problem
		want    string
	}{
		{"decisions", schema.Problem{Path: []string{"stakes", "0"}, Message: "stakes[0] must be one of low, high",
			What: "must be one of low, high"}, "Stakes must be one of low, high"},
		{"policy", schema.Problem{Path: []string{"reason"}, Message: "reason is required"}, "Reason is required"},
		{"policy", schema.Problem{Path: []string{"foo"}, Message: `"foo" is not known; allowed: name`,
			What: `"foo" is not known; allowed: name`}, `"foo" is not known; allowed: name`},
		{"decision", schema.Problem{Path: []string{"reasons", "0", "type"}, Message: "reasons[0].type must be a string",
			What: "must be a string"}, "reasons[0].type must be a string"},
		{"exception", schema.Problem{Path: []string{"for_seconds"}, Message: "for_seconds must be at most 5",
			What: "must be at most 5"}, "Duration from now must be at most 5"},
		{"audit", schema.Problem{Path: []string{"by"}, Message: "by must be a string", What: "must be a string"},
			"Author must be a string"},
	} {
		graphtest.Equal(t, invalidFields(&Page{Name: one.page}, []schema.Problem{one.problem}), one.want, one.page)
	}
}
