package calibration

// Micro is the resolution of counted confidences and strengths: integers in millionths can be added and subtracted
// exactly. A cell holds nine million decisions before a sum can overflow.
const Micro = 1_000_000

// ReasonTypes are the types of reasons, in the order of a cell's lists.
var ReasonTypes = []string{"authority", "analogy", "analysis", "pattern", "intuition", "empirical", "elimination",
	"constraint"}

// Outcomes are the outcomes of a review, in the order of a cell's lists.
var Outcomes = []string{"success", "partial", "failure", "abandoned"}

// outcomeMicro is the value of each of Outcomes.
var outcomeMicro = [Endings]int64{Micro, Micro / 2, 0, 0}

const (
	Hundredths = 101 // slots of confidences: 0.00, 0.01 to 1.00, each rounded down
	Bins       = 10  // bins of equal width: from 0.0 to below 0.1, and so on; the last includes 1.0
	Types      = 8   // reason types
	Diversity  = 9   // numbers of distinct reason types: 0 to 8
	Endings    = 4   // outcomes
)

// Sample is the contribution of one decision.
type Sample struct {
	// confidence of the recording or the last update; nil if absent
	Confidence *float64 `json:"confidence,omitempty"`
	Outcome    string   `json:"outcome,omitempty"` // outcome of the current review; empty without a review
	// the confidence at the time of that review; nil if absent
	ReviewedConfidence *float64 `json:"judged,omitempty"`
	Reasons            []Reason `json:"reasons,omitempty"`
}

// Reason is the counted part of a reason.
type Reason struct {
	Type     string  `json:"type"`     // one of ReasonTypes; any other counts as a reason without a type
	Strength float64 `json:"strength"` // 0 to 1
}

// Cell holds sums over decisions. All are integers: counts, or millionths (Micro) where stated. Brier sums are of
// (confidence - outcome)² in Micro². The outcome of success is 1, of partial 1/2, of failure and abandoned 0.
//
// Tags name the property that stores a field; fields are stored in this order. Cells are values: a copy shares nothing,
// and equal sums are ==. The cell of a window counts decisions recorded in it and reviews given in it, so it can have
// more reviews than decisions.
type Cell struct {
	// All recorded decisions.
	Recorded          int64             `property:"counts"`        // with or without a confidence
	Confidences       [Hundredths]int64 `property:"counts"`        // number of decisions with each confidence
	ConfidenceSum     int64             `property:"sums"`          // Micro
	ConfidenceSquares int64             `property:"sums"`          // Micro²
	ReasonsRecorded   int64             `property:"reason_counts"` // number of reasons
	TypesRecorded     int64             `property:"reason_counts"` // distinct types, summed over decisions
	TypeRecorded      [Types]int64      `property:"reason_counts"` // decisions with a reason of the type
	TypeConfidence    [Types]int64      `property:"reason_sums"`   // Micro, sum of the confidences of these decisions
	// decisions with a reason of the type and a confidence
	TypeConfident [Types]int64 `property:"reason_counts"`
	// Micro, mean strength of the type's reasons in each
	TypeStrength       [Types]int64     `property:"reason_sums"`
	DiversityRecorded  [Diversity]int64 `property:"reason_counts"`
	DiversityConfident [Diversity]int64 `property:"reason_counts"`
	DiversitySum       [Diversity]int64 `property:"reason_sums"` // Micro, sum of confidences

	// Decisions with a current review.
	Outcomes      [Endings]int64 `property:"counts"` // in the order of Outcomes, with or without a confidence
	BinReviewed   [Bins]int64    `property:"counts"` // only reviews with a confidence, as in the next fields
	BinConfidence [Bins]int64    `property:"sums"`   // Micro
	BinOutcome    [Bins]int64    `property:"sums"`   // Micro
	Brier         int64          `property:"sums"`   // Micro²
	// Micro²: squares of each decision's (confidence - outcome)², which is rounded to Micro first
	BrierSquares int64 `property:"sums"`
	// in the order of Outcomes, type after type; with or without a confidence
	TypeOutcomes      [Types * Endings]int64     `property:"reason_counts"`
	TypeReviewed      [Types]int64               `property:"reason_counts"` // reviewed with a confidence
	TypeBrier         [Types]int64               `property:"reason_sums"`   // Micro²
	DiversityOutcomes [Diversity * Endings]int64 `property:"reason_counts"`
	DiversityReviewed [Diversity]int64           `property:"reason_counts"` // reviewed with a confidence
	DiversityBrier    [Diversity]int64           `property:"reason_sums"`   // Micro²
}

// Reviewed returns the number of decisions with a current review, with or without a confidence.
func (c Cell) Reviewed() int64 { return total(c.Outcomes[:]) }

// MeanOutcome returns the mean outcome from 0 to 1 over all reviewed decisions, with or without a confidence; false if
// there is none.
func (c Cell) MeanOutcome() (float64, bool) {
	o := outcomesOf(c.Outcomes[:])
	return o.mean(), o.reviewed() > 0
}

// Empty reports whether all sums are 0.
func (c Cell) Empty() bool { return c == Cell{} }

func total(counts []int64) int64 {
	var sum int64
	for _, n := range counts {
		sum += n
	}
	return sum
}
