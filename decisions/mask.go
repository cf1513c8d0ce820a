package decisions

import (
	"slices"

	"nomograph/internal/apperr"
	"nomograph/internal/redact"
)

// mask masks secrets in all texts before anything is written or evaluated. The caller's input stays unchanged.
func (r *Record) mask() {
	maskTexts(&r.Decision, &r.Context, &r.Pattern, &r.Project, &r.Feature, &r.File, &r.Commit, &r.ForceReason)
	r.Reasons, r.Bridge = maskedReasons(r.Reasons), r.Bridge.mask()
	r.Tags, r.KPIIndicators, r.SharedWith = redact.MaskAll(r.Tags), redact.MaskAll(r.KPIIndicators),
		UniqueTexts(r.SharedWith)
}

// mask masks an update. An absent list stays absent.
func (u *Update) mask() {
	maskTexts(&u.Decision, &u.Context, &u.Pattern, &u.Project, &u.Feature, &u.Why)
	u.Reasons, u.Bridge = maskedReasons(u.Reasons), u.Bridge.mask()
	if u.Tags != nil {
		u.Tags = UniqueTexts(redact.MaskAll(u.Tags))
	}
	if u.SharedWith != nil {
		u.SharedWith = UniqueTexts(u.SharedWith)
	}
	if u.KPIIndicators != nil {
		u.KPIIndicators = redact.MaskAll(u.KPIIndicators)
	}
}

func maskTexts(texts ...*string) {
	for _, text := range texts {
		*text = redact.Mask(*text)
	}
}

func maskedReasons(reasons []Reason) []Reason {
	reasons = slices.Clone(reasons)
	for i := range reasons {
		reasons[i].Text = redact.Mask(reasons[i].Text)
	}
	return reasons
}

func (b *Bridge) mask() *Bridge {
	if b == nil {
		return nil
	}
	return &Bridge{redact.Mask(b.Structure), redact.Mask(b.Function), redact.MaskAll(b.Tolerance),
		redact.MaskAll(b.Enforcement), redact.MaskAll(b.Prevention)}
}

const (
	maxTagLength  = 200 // characters
	maxItemLength = 2000
)

// checkItems validates list items, whose lengths the schemas do not limit.
func checkItems(names, indicators []string, bridge *Bridge) error {
	lists := map[string][]string{"kpi_indicators": indicators}
	if bridge != nil {
		lists["bridge.tolerance"], lists["bridge.enforcement"], lists["bridge.prevention"] = bridge.Tolerance,
			bridge.Enforcement, bridge.Prevention
	}
	for _, tag := range names {
		if len([]rune(tag)) > maxTagLength {
			return apperr.Newf(apperr.Validation, "A tag or a name has %d characters", len([]rune(tag))).
				WithHint("Use at most %d characters", maxTagLength)
		}
	}
	for name, list := range lists {
		for _, item := range list {
			if len([]rune(item)) > maxItemLength {
				return apperr.Newf(apperr.Validation, "An item of %s has %d characters", name, len([]rune(item))).
					WithHint("Use at most %d characters", maxItemLength)
			}
		}
	}
	return nil
}
