package calibration

import (
	"fmt"
	"slices"
)

// field is one of a cell's sums, or a list of them, and the property of a node that holds it.
type field struct {
	property string
	number   *int64  // or
	list     []int64 // shared with the cell
}

// fields are those of this very cell, not of a copy.
func (c *Cell) fields() []field {
	return []field{
		{property: "recorded", number: &c.Recorded},
		{property: "confidences", list: c.Confidences[:]},
		{property: "confidence_sum", number: &c.ConfidenceSum},
		{property: "confidence_squares", number: &c.ConfidenceSquares},
		{property: "reasons_recorded", number: &c.ReasonsRecorded},
		{property: "types_recorded", number: &c.TypesRecorded},
		{property: "type_recorded", list: c.TypeRecorded[:]},
		{property: "type_confidence", list: c.TypeConfidence[:]},
		{property: "type_confident", list: c.TypeConfident[:]},
		{property: "type_strength", list: c.TypeStrength[:]},
		{property: "diversity_recorded", list: c.DiversityRecorded[:]},
		{property: "diversity_confident", list: c.DiversityConfident[:]},
		{property: "diversity_sum", list: c.DiversitySum[:]},
		{property: "outcomes", list: c.Outcomes[:]},
		{property: "bin_reviewed", list: c.BinReviewed[:]},
		{property: "bin_confidence", list: c.BinConfidence[:]},
		{property: "bin_outcome", list: c.BinOutcome[:]},
		{property: "brier", number: &c.Brier},
		{property: "brier_squares", number: &c.BrierSquares},
		{property: "type_outcomes", list: c.TypeOutcomes[:]},
		{property: "type_reviewed", list: c.TypeReviewed[:]},
		{property: "type_brier", list: c.TypeBrier[:]},
		{property: "diversity_outcomes", list: c.DiversityOutcomes[:]},
		{property: "diversity_reviewed", list: c.DiversityReviewed[:]},
		{property: "diversity_brier", list: c.DiversityBrier[:]},
	}
}

// Properties are the sums as a node holds them: int64, and []int64. A list of zeros is nil, which takes the property away from
// a node that had it.
func (c Cell) Properties() map[string]any {
	properties := map[string]any{}
	for _, f := range c.fields() {
		switch {
		case f.number != nil:
			properties[f.property] = *f.number
		case slices.ContainsFunc(f.list, func(n int64) bool { return n != 0 }):
			properties[f.property] = slices.Clone(f.list)
		default:
			properties[f.property] = nil
		}
	}
	return properties
}

// CellOf reads what Properties wrote, and passes over properties that are no sums. What is absent is zero. It fails on a list
// of another length, and on what is no whole number.
func CellOf(properties map[string]any) (Cell, error) {
	var c Cell
	for _, f := range c.fields() {
		switch value := properties[f.property].(type) {
		case nil:
		case int64:
			if f.number == nil {
				return Cell{}, fmt.Errorf("calibration: %s is a number, not a list", f.property)
			}
			*f.number = value
		case []int64:
			if len(value) != len(f.list) {
				return Cell{}, f.length(len(value))
			}
			copy(f.list, value)
		case []any:
			if len(value) != len(f.list) {
				return Cell{}, f.length(len(value))
			}
			for i, v := range value {
				n, whole := v.(int64)
				if !whole {
					return Cell{}, fmt.Errorf("calibration: %s holds a %T, not a whole number", f.property, v)
				}
				f.list[i] = n
			}
		default:
			return Cell{}, fmt.Errorf("calibration: %s is a %T, not whole numbers", f.property, value)
		}
	}
	return c, nil
}

func (f field) length(n int) error {
	return fmt.Errorf("calibration: %s holds %d numbers, not %d", f.property, n, len(f.list))
}
