package calibration

// Micro is how finely confidences and strengths are counted: sums of whole millionths are exact, whatever is added and
// taken away again. A cell holds nine million decisions before a sum can overflow.
const Micro = 1_000_000

// ReasonTypes are the types that reasons can have, in the order of a cell's lists.
var ReasonTypes = []string{"authority", "analogy", "analysis", "pattern", "intuition", "empirical", "elimination", "constraint"}

// Outcomes are the outcomes that a review can have, in the order of a cell's lists.
var Outcomes = []string{"success", "partial", "failure", "abandoned"}

// outcomeMicro is what each of Outcomes is worth.
var outcomeMicro = [Endings]int64{Micro, Micro / 2, 0, 0}

const (
	Hundredths = 101 // slots of confidences: 0.00, 0.01 to 1.00, each rounded down
	Bins       = 10  // equal ones: 0.0 up to 0.1, and so on; the last has 1.0
	Types      = 8   // reason types
	Diversity  = 9   // numbers of distinct reason types: 0 to 8
	Endings    = 4   // outcomes
)

// Sample is what one decision has to say.
type Sample struct {
	Confidence *float64 `json:"confidence,omitempty"` // when it was recorded or last updated; nil where it has none
	Outcome    string   `json:"outcome,omitempty"`    // of the review in force; empty where there is none
	Judged     *float64 `json:"judged,omitempty"`     // the confidence that stood when that review was given; nil where there was none
	Reasons    []Reason `json:"reasons,omitempty"`
}

// Reason is what counts of a reason.
type Reason struct {
	Type     string  `json:"type"`     // one of ReasonTypes; any other counts as a reason, and for no type
	Strength float64 `json:"strength"` // 0 to 1
}

// Cell has the sums over some decisions. All are whole numbers: counts, or millionths (Micro) where that is said. Brier sums
// are of (confidence - outcome)² in Micro². The outcome of success is 1, of partial 1/2, of failure and abandoned 0.
//
// Cells are values: a copy shares nothing, and two with the same sums are ==. A cell of a window adds up decisions that were
// recorded in it and reviews that were given in it, so it can have more reviews than decisions.
type Cell struct {
	// Of all decisions that were recorded.
	Recorded           int64             // with or without a confidence
	Confidences        [Hundredths]int64 // how many have which confidence
	ConfidenceSum      int64             // Micro
	ConfidenceSquares  int64             // Micro²
	ReasonsRecorded    int64             // reasons
	TypesRecorded      int64             // distinct types, summed over decisions
	TypeRecorded       [Types]int64      // decisions with a reason of the type
	TypeConfidence     [Types]int64      // Micro, of those that have a confidence
	TypeConfident      [Types]int64      // decisions with a reason of the type and a confidence
	TypeStrength       [Types]int64      // Micro, the mean strength of the type's reasons in a decision
	DiversityRecorded  [Diversity]int64  //
	DiversityConfident [Diversity]int64  //
	DiversitySum       [Diversity]int64  // Micro: confidences

	// Of those with a review in force.
	Outcomes          [Endings]int64             // in the order of Outcomes, with or without a confidence
	BinReviewed       [Bins]int64                // with a confidence, as those that follow
	BinConfidence     [Bins]int64                // Micro
	BinOutcome        [Bins]int64                // Micro
	Brier             int64                      // Micro²
	BrierSquares      int64                      // Micro²: squares of each decision's (confidence - outcome)², which is rounded to Micro first
	TypeOutcomes      [Types * Endings]int64     // in the order of Outcomes, type after type; with or without a confidence
	TypeReviewed      [Types]int64               // reviewed with a confidence
	TypeBrier         [Types]int64               // Micro²
	DiversityOutcomes [Diversity * Endings]int64 //
	DiversityReviewed [Diversity]int64           // reviewed with a confidence
	DiversityBrier    [Diversity]int64           // Micro²
}

// Reviewed is the number of decisions with a review in force, with or without a confidence.
func (c Cell) Reviewed() int64 { return total(c.Outcomes[:]) }

// MeanOutcome is 0 to 1, over all that were reviewed, with or without a confidence; false where none was.
func (c Cell) MeanOutcome() (float64, bool) {
	o := outcomesOf(c.Outcomes[:])
	return o.mean(), o.reviewed() > 0
}

// Empty says whether nothing is counted.
func (c Cell) Empty() bool { return c == Cell{} }

// Equal says whether all sums are the same.
func (c Cell) Equal(o Cell) bool { return c == o }

func total(counts []int64) int64 {
	var sum int64
	for _, n := range counts {
		sum += n
	}
	return sum
}
