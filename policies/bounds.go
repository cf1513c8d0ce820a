package policies

import (
	"fmt"
	"math"

	"nomograph/internal/apperr"
	"nomograph/internal/normalize"
)

// bound is the minimum or maximum of a threshold, with the unit that implies it, "" if the threshold states the bound
// itself.
type bound struct {
	value float64
	unit  string
}

// unitBounds are the bounds of units, for thresholds without min or max.
var unitBounds = map[string]struct{ min, max float64 }{"percent": {0, 100}, "%": {0, 100}, "ratio": {0, 1},
	"probability": {0, 1}}

// boundOf returns the bound of a threshold that key, min or max, names; nil if the threshold has none.
func boundOf(properties map[string]any, key string) (*bound, error) {
	if stated := properties[key]; stated != nil {
		number, ok := ToFloat(stated)
		if !ok || !Finite(stated) {
			return nil, fmt.Errorf("%s is %s, not a number", key, ShowValue(stated))
		}
		return &bound{value: number}, nil
	}
	unit, _ := properties["unit"].(string)
	implied, ok := unitBounds[normalize.Name(unit)]
	if !ok || properties["value"] == nil {
		return nil, nil
	}
	if key == "min" {
		return &bound{implied.min, unit}, nil
	}
	return &bound{implied.max, unit}, nil
}

// words describes the bound in a message.
func (b bound) words(key string) string {
	if b.unit == "" {
		return fmt.Sprintf("%s %v", key, b.value)
	}
	return fmt.Sprintf("%v, the %s of the unit %s", b.value, key, b.unit)
}

// OutOfBounds explains why the value of a threshold is not allowed. The bounds are its min and max, or follow from its
// unit: 0 to 100 for a percent, 0 to 1 for a ratio or a probability.
func OutOfBounds(properties map[string]any) string {
	lower, err := boundOf(properties, "min")
	if err != nil {
		return err.Error()
	}
	upper, err := boundOf(properties, "max")
	if err != nil {
		return err.Error()
	}
	value, ok := ToFloat(properties["value"])
	switch {
	case lower == nil && upper == nil:
		return ""
	case lower != nil && upper != nil && lower.value > upper.value:
		return fmt.Sprintf("min %v is more than max %v", lower.value, upper.value)
	case !ok || !Finite(value):
		for _, b := range []*bound{lower, upper} {
			if b != nil && b.unit != "" {
				return fmt.Sprintf("value is %s, but the unit %s requires a number", ShowValue(properties["value"]),
					b.unit)
			}
		}
		return fmt.Sprintf("value is %s, but min and max require a number", ShowValue(properties["value"]))
	case lower != nil && value < lower.value:
		return fmt.Sprintf("value %v is below %s", value, lower.words("min"))
	case upper != nil && value > upper.value:
		return fmt.Sprintf("value %v is above %s", value, upper.words("max"))
	}
	return ""
}

// Bounds describes the bounds of a threshold, from its min, its max and its unit; "" if it has none.
func Bounds(properties map[string]any) string {
	lower, lowErr := boundOf(properties, "min")
	upper, highErr := boundOf(properties, "max")
	switch {
	case lowErr != nil || highErr != nil:
		return ""
	case lower != nil && upper != nil:
		return fmt.Sprintf("between %v and %v", lower.value, upper.value)
	case lower != nil:
		return fmt.Sprintf("at least %v", lower.value)
	case upper != nil:
		return fmt.Sprintf("at most %v", upper.value)
	}
	return ""
}

// OtherType explains that a new value of a threshold has a different type than the stored one; "" if the types are
// equal or no value is stored.
func OtherType(name string, stored, value any) string {
	if stored == nil || JSONType(stored) == JSONType(value) {
		return ""
	}
	return fmt.Sprintf("SYS_Threshold node '%s' holds a %s, and the new value is a %s", name, JSONType(stored),
		JSONType(value))
}

// unusualFactor is the factor from which a change of a value needs a confirmation.
const unusualFactor = 10

// Unusual explains why a change of a value is unusual: by more than a factor of ten, to 0, or to the opposite sign. It
// returns "" for any other change, also from 0 and for values that are not numbers.
func Unusual(from, to any) string {
	old, ok := ToFloat(from)
	next, too := ToFloat(to)
	switch {
	case !ok || !too || old == 0 || !Finite(old):
		return ""
	case next == 0:
		return "which is 0"
	case (old < 0) != (next < 0):
		return "which has the other sign"
	case math.Abs(next) > unusualFactor*math.Abs(old):
		return "which is more than ten times as much"
	case math.Abs(next)*unusualFactor < math.Abs(old):
		return "which is less than a tenth of it"
	}
	return ""
}

// CheckBounds returns a validation_error for a threshold outside of its bounds.
func CheckBounds(name string, properties map[string]any) error {
	if problem := OutOfBounds(properties); problem != "" {
		return apperr.Newf(apperr.Validation, "SYS_Threshold node '%s': %s", name, problem).
			WithHint("The value is unchanged. Bounds are its min and max or those of its unit; a pack can change them")
	}
	return nil
}
