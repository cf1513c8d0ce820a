package decisions

import (
	"slices"

	"nomograph/trace"
)

// mask takes secrets out of everything that a caller says in words, before anything is written or judged. What the caller
// passed stays as it is.
func (r *Record) mask() {
	for _, text := range []*string{&r.Decision, &r.Context, &r.Pattern, &r.Project, &r.Feature, &r.File, &r.Force} {
		*text = masked(*text)
	}
	r.Reasons = slices.Clone(r.Reasons)
	for i := range r.Reasons {
		r.Reasons[i].Text = masked(r.Reasons[i].Text)
	}
	r.Tags, r.KPIIndicators = maskedAll(r.Tags), maskedAll(r.KPIIndicators)
	if r.Bridge != nil {
		r.Bridge = r.Bridge.masked()
	}
}

func (b Bridge) masked() *Bridge {
	return &Bridge{masked(b.Structure), masked(b.Function), maskedAll(b.Tolerance), maskedAll(b.Enforcement), maskedAll(b.Prevention)}
}

func masked(text string) string {
	text, _ = trace.RedactText(text)
	return text
}

func maskedAll(list []string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = masked(text)
	}
	return out
}
