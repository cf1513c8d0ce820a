package decisions

import (
	"strconv"
)

// ConfidenceText writes a confidence as short as it can be read again, and - where there is none.
func ConfidenceText(confidence *float64) string {
	if confidence == nil {
		return "-"
	}
	return strconv.FormatFloat(*confidence, 'g', -1, 64)
}
