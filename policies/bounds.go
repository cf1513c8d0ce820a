package policies

import (
	"fmt"

	"nomograph/fault"
)

// OutOfBounds says why a threshold may not have the value that it has: min and max, where it has them, bound it.
func OutOfBounds(properties map[string]any) string {
	bound := map[string]float64{}
	for _, key := range []string{"min", "max"} {
		if properties[key] == nil {
			continue
		}
		number, isNumber := Numeric(properties[key])
		if !isNumber || !Finite(properties[key]) {
			return fmt.Sprintf("%s is %s, which is no number", key, Shown(properties[key]))
		}
		bound[key] = number
	}
	least, hasLeast := bound["min"]
	most, hasMost := bound["max"]
	value, isNumber := Numeric(properties["value"])
	switch {
	case !hasLeast && !hasMost:
		return ""
	case hasLeast && hasMost && least > most:
		return fmt.Sprintf("min %v is more than max %v", least, most)
	case !isNumber || !Finite(value):
		return fmt.Sprintf("value is %s, and min and max are for numbers", Shown(properties["value"]))
	case hasLeast && value < least:
		return fmt.Sprintf("value %v is below min %v", value, least)
	case hasMost && value > most:
		return fmt.Sprintf("value %v is above max %v", value, most)
	}
	return ""
}

// CheckBounds returns a validation_error for a threshold outside its bounds.
func CheckBounds(name string, properties map[string]any) error {
	if problem := OutOfBounds(properties); problem != "" {
		return fault.Newf(fault.Validation, "SYS_Threshold node '%s': %s", name, problem).
			WithHint("Nothing was changed. Its bounds are properties of the node, which a pack or a hand can change")
	}
	return nil
}
