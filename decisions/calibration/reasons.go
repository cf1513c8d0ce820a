package calibration

import "slices"

const minReasonReviews = 3 // default minimum of reviewed decisions

// ReasonReport holds outcomes by type of reason. A decision counts once for each type of its reasons. Numbers are
// rounded to six decimals.
type ReasonReport struct {
	ByReasonType      []ReasonType     `json:"by_reason_type" jsonschema:"used types, most frequent first"`
	Diversity         ReasonDiversity  `json:"diversity"`
	Recommendations   []Recommendation `json:"recommendations"`
	TotalDecisions    int64            `json:"total_decisions"`
	ReviewedDecisions int64            `json:"reviewed_decisions" jsonschema:"decisions with a current review"`
	MinReviewed       int64            `json:"min_reviewed" jsonschema:"rates of fewer reviewed decisions are null"`
}

// ReasonType holds the outcomes of decisions with reasons of one type.
type ReasonType struct {
	ReasonType     string    `json:"reason_type"`
	TotalUses      int64     `json:"total_uses" jsonschema:"decisions with a reason of the type"`
	ReviewedUses   int64     `json:"reviewed_uses"`
	SuccessCount   int64     `json:"success_count"`
	PartialCount   int64     `json:"partial_count"`
	FailureCount   int64     `json:"failure_count"`
	AbandonedCount int64     `json:"abandoned_count"`
	SuccessRate    *float64  `json:"success_rate" jsonschema:"mean outcome, partial 0.5"`
	Interval       *Interval `json:"interval" jsonschema:"95 %, of success_rate"`
	AvgConfidence  *float64  `json:"avg_confidence" jsonschema:"mean confidence of the decisions with one, reviewed or not"`
	AvgStrength    *float64  `json:"avg_strength"`
	BrierScore     *float64  `json:"brier_score"`
}

// ReasonDiversity holds outcomes by the number of types of reasons.
type ReasonDiversity struct {
	AvgTypesPerDecision   *float64          `json:"avg_types_per_decision" jsonschema:"null without decisions"`
	AvgReasonsPerDecision *float64          `json:"avg_reasons_per_decision"`
	DiversityBuckets      []DiversityBucket `json:"diversity_buckets"`
}

// DiversityBucket holds decisions with one number of distinct types.
type DiversityBucket struct {
	DistinctReasonTypes int       `json:"distinct_reason_types"`
	TotalDecisions      int64     `json:"total_decisions"`
	ReviewedDecisions   int64     `json:"reviewed_decisions"`
	SuccessRate         *float64  `json:"success_rate"`
	Interval            *Interval `json:"interval" jsonschema:"95 %, of success_rate"`
	AvgConfidence       *float64  `json:"avg_confidence"`
	BrierScore          *float64  `json:"brier_score"`
}

// ReasonStatistics returns no rate for fewer than minReviewed reviewed decisions; below 1 it means 3. A Brier score
// requires the same number of reviewed decisions with a confidence.
func ReasonStatistics(c Cell, minReviewed int) ReasonReport {
	required := int64(minReviewed)
	if required < 1 {
		required = minReasonReviews
	}
	r := ReasonReport{TotalDecisions: c.Recorded, ReviewedDecisions: c.Reviewed(),
		MinReviewed: required}
	for kind, name := range ReasonTypes {
		o := outcomesOf(c.TypeOutcomes[kind*Endings:])
		if c.TypeRecorded[kind] == 0 && o.reviewed() == 0 {
			continue
		}
		of := ReasonType{
			ReasonType: name, TotalUses: c.TypeRecorded[kind], ReviewedUses: o.reviewed(),
			SuccessCount: o.Success, PartialCount: o.Partial, FailureCount: o.Failure, AbandonedCount: o.Abandoned,
			AvgConfidence: mean(c.TypeConfidence[kind], c.TypeConfident[kind]),
			AvgStrength:   mean(c.TypeStrength[kind], c.TypeRecorded[kind]),
			BrierScore:    brier(c.TypeBrier[kind], c.TypeReviewed[kind], required),
		}
		of.SuccessRate, of.Interval = o.rate(required)
		r.ByReasonType = append(r.ByReasonType, of)
	}
	slices.SortStableFunc(r.ByReasonType, func(a, b ReasonType) int { return int(b.TotalUses - a.TotalUses) })
	r.Diversity = diversity(&c, required)
	r.Recommendations = r.recommend(&c)
	return r
}

func diversity(c *Cell, required int64) ReasonDiversity {
	d := ReasonDiversity{
		AvgTypesPerDecision:   mean(c.TypesRecorded*Micro, c.Recorded),
		AvgReasonsPerDecision: mean(c.ReasonsRecorded*Micro, c.Recorded),
	}
	for distinct := range Diversity {
		o := outcomesOf(c.DiversityOutcomes[distinct*Endings:])
		if c.DiversityRecorded[distinct] == 0 && o.reviewed() == 0 {
			continue
		}
		of := DiversityBucket{
			DistinctReasonTypes: distinct,
			TotalDecisions:      c.DiversityRecorded[distinct],
			ReviewedDecisions:   o.reviewed(),
			AvgConfidence:       mean(c.DiversitySum[distinct], c.DiversityConfident[distinct]),
			BrierScore:          brier(c.DiversityBrier[distinct], c.DiversityReviewed[distinct], required),
		}
		of.SuccessRate, of.Interval = o.rate(required)
		d.DiversityBuckets = append(d.DiversityBuckets, of)
	}
	return d
}

// mean converts a sum in Micro, nil for no values.
func mean(sum, n int64) *float64 {
	if n <= 0 {
		return nil
	}
	return new(round(ratio(sum, n*Micro)))
}

// brier converts a sum in Micro².
func brier(sum, n, required int64) *float64 {
	if n < required {
		return nil
	}
	return new(round(float64(sum) / Micro / Micro / float64(n)))
}
