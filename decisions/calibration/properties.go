package calibration

import (
	"fmt"
	"slices"
)

// The properties of a node that hold a cell: lists, since a node is read and written by the property. The first two
// answer what confidence was worth, the others what reasons were.
const (
	counts       = "counts" // how many
	sums         = "sums"   // millionths and their squares
	reasonCounts = "reason_counts"
	reasonSums   = "reason_sums"
)

var lists = []string{counts, sums, reasonCounts, reasonSums}

// field is one of a cell's numbers, or a list of them, and the property that holds it.
type field struct {
	property string
	number   *int64  // or
	list     []int64 // shared with the cell
}

// fields are those of this very cell, not of a copy, in the order in which the properties hold them.
func (c *Cell) fields() []field {
	return []field{
		{counts, &c.Recorded, nil},
		{counts, nil, c.Confidences[:]},
		{sums, &c.ConfidenceSum, nil},
		{sums, &c.ConfidenceSquares, nil},
		{reasonCounts, &c.ReasonsRecorded, nil},
		{reasonCounts, &c.TypesRecorded, nil},
		{reasonCounts, nil, c.TypeRecorded[:]},
		{reasonSums, nil, c.TypeConfidence[:]},
		{reasonCounts, nil, c.TypeConfident[:]},
		{reasonSums, nil, c.TypeStrength[:]},
		{reasonCounts, nil, c.DiversityRecorded[:]},
		{reasonCounts, nil, c.DiversityConfident[:]},
		{reasonSums, nil, c.DiversitySum[:]},
		{counts, nil, c.Outcomes[:]},
		{counts, nil, c.BinReviewed[:]},
		{sums, nil, c.BinConfidence[:]},
		{sums, nil, c.BinOutcome[:]},
		{sums, &c.Brier, nil},
		{sums, &c.BrierSquares, nil},
		{reasonCounts, nil, c.TypeOutcomes[:]},
		{reasonCounts, nil, c.TypeReviewed[:]},
		{reasonSums, nil, c.TypeBrier[:]},
		{reasonCounts, nil, c.DiversityOutcomes[:]},
		{reasonCounts, nil, c.DiversityReviewed[:]},
		{reasonSums, nil, c.DiversityBrier[:]},
	}
}

// Properties are the numbers as a node holds them: four lists, each a []int64, packed where that is shorter. A list of nothing but
// zeros is nil.
func (c Cell) Properties() map[string]any {
	held := map[string][]int64{}
	for _, f := range c.fields() {
		if f.number != nil {
			held[f.property] = append(held[f.property], *f.number)
		}
		held[f.property] = append(held[f.property], f.list...)
	}
	properties := map[string]any{}
	for name, list := range held {
		properties[name] = nil
		if short := packed(list); len(short) > 1 {
			properties[name] = short
		}
	}
	return properties
}

// packed gives the number of pairs and the pairs, place and number, of what is not zero, where that is shorter: most cells are of
// one day and have a few decisions.
func packed(list []int64) []int64 {
	short := []int64{0}
	for place, number := range list {
		if number == 0 {
			continue
		}
		if short = append(short, int64(place), number); len(short) >= len(list) {
			return list
		}
		short[0]++
	}
	return short
}

// unpacked gives the whole list of a property.
func unpacked(property string, list []int64) ([]int64, error) {
	if len(list) == lengths[property] {
		return list, nil
	}
	if len(list) == 0 || int64(len(list)) != 2*list[0]+1 {
		return nil, fmt.Errorf("calibration: %s holds %d numbers", property, len(list))
	}
	whole := make([]int64, lengths[property])
	for pair := range slices.Chunk(list[1:], 2) {
		if pair[0] < 0 || pair[0] >= int64(len(whole)) {
			return nil, fmt.Errorf("calibration: %s holds a number at %d, where there is no place", property, pair[0])
		}
		whole[pair[0]] = pair[1]
	}
	return whole, nil
}

// lengths are how many numbers each property has.
var lengths = func() map[string]int {
	of := map[string]int{}
	for _, f := range new(Cell).fields() {
		of[f.property] += f.length()
	}
	return of
}()

func (f field) length() int {
	if f.number != nil {
		return 1
	}
	return len(f.list)
}

// CellOf reads what Properties wrote, and whole lists, which is what it wrote before; it passes over other properties. A list that
// is absent is zeros. It fails on a list of another length, and on what is no whole number.
func CellOf(properties map[string]any) (Cell, error) {
	var c Cell
	given := map[string][]int64{}
	for _, name := range lists {
		if properties[name] == nil {
			continue
		}
		list, err := wholeNumbers(name, properties[name])
		if err == nil {
			list, err = unpacked(name, list)
		}
		if err != nil {
			return Cell{}, err
		}
		given[name] = list
	}
	for _, f := range c.fields() {
		left, ok := given[f.property]
		if !ok {
			continue
		}
		if f.number != nil {
			*f.number = left[0]
		}
		copy(f.list, left)
		given[f.property] = left[f.length():]
	}
	return c, nil
}

// wholeNumbers reads a list as it was given or as the driver gives it.
func wholeNumbers(property string, value any) ([]int64, error) {
	switch list := value.(type) {
	case []int64:
		return list, nil
	case []any:
		numbers := make([]int64, len(list))
		for i, v := range list {
			n, whole := v.(int64)
			if !whole {
				return nil, fmt.Errorf("calibration: %s holds a %T, not a whole number", property, v)
			}
			numbers[i] = n
		}
		return numbers, nil
	}
	return nil, fmt.Errorf("calibration: %s is a %T, not whole numbers", property, value)
}
