package calibration

import (
	"fmt"
	"reflect"
	"slices"
)

// field is a number of a cell, or a list of them, with its property.
type field struct {
	property string
	number   *int64  // exactly one of number and list is set
	list     []int64 // shared with the cell
}

// fields returns the fields of this cell itself, not of a copy, in the order of the properties.
func (c *Cell) fields() []field {
	cell := reflect.ValueOf(c).Elem()
	fields := make([]field, cell.NumField())
	for i := range fields {
		fields[i].property = cell.Type().Field(i).Tag.Get("property")
		if number, ok := cell.Field(i).Addr().Interface().(*int64); ok {
			fields[i].number = number
			continue
		}
		fields[i].list, _ = cell.Field(i).Slice(0, cell.Field(i).Len()).Interface().([]int64)
	}
	return fields
}

// Properties returns the stored form: four lists of []int64, packed if that is shorter. A list of zeros is nil.
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
		if short := pack(list); len(short) > 1 {
			properties[name] = short
		}
	}
	return properties
}

// pack returns the number of pairs and the pairs of index and value of the non-zero entries, if that is shorter: most
// cells are of one day and have few decisions.
func pack(list []int64) []int64 {
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

// unpack returns the whole list of a property.
func unpack(property string, list []int64) ([]int64, error) {
	if len(list) == lengths[property] {
		return list, nil
	}
	if len(list) == 0 || int64(len(list)) != 2*list[0]+1 {
		return nil, fmt.Errorf("calibration: %s holds %d numbers", property, len(list))
	}
	whole := make([]int64, lengths[property])
	for pair := range slices.Chunk(list[1:], 2) {
		if pair[0] < 0 || pair[0] >= int64(len(whole)) {
			return nil, fmt.Errorf("calibration: %s has the invalid index %d", property, pair[0])
		}
		whole[pair[0]] = pair[1]
	}
	return whole, nil
}

// lengths are the lengths of the properties of a node that hold a cell: numbers of decisions, and millionths and their
// squares, also about reasons. They are lists, because each property costs a read and a write.
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

// CellOf decodes the properties, also whole lists, which earlier versions wrote; it ignores other properties. An absent
// list is zeros. It fails for a list of the wrong length and for values that are not integers.
func CellOf(properties map[string]any) (Cell, error) {
	var c Cell
	values := map[string][]int64{}
	for name := range lengths {
		if properties[name] == nil {
			continue
		}
		list, err := wholeNumbers(name, properties[name])
		if err == nil {
			list, err = unpack(name, list)
		}
		if err != nil {
			return Cell{}, err
		}
		values[name] = list
	}
	for _, f := range c.fields() {
		left, ok := values[f.property]
		if !ok {
			continue
		}
		if f.number != nil {
			*f.number = left[0]
		}
		copy(f.list, left)
		values[f.property] = left[f.length():]
	}
	return c, nil
}

// wholeNumbers decodes a list, as given or from the driver.
func wholeNumbers(property string, value any) ([]int64, error) {
	switch list := value.(type) {
	case []int64:
		return list, nil
	case []any:
		numbers := make([]int64, len(list))
		for i, v := range list {
			n, ok := v.(int64)
			if !ok {
				return nil, fmt.Errorf("calibration: %s holds a %T, not a whole number", property, v)
			}
			numbers[i] = n
		}
		return numbers, nil
	}
	return nil, fmt.Errorf("calibration: %s is a %T, not whole numbers", property, value)
}
