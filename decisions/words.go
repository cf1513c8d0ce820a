package decisions

import (
	"strconv"
)

// ConfidenceText formats a confidence without loss, "-" if absent.
func ConfidenceText(confidence *float64) string {
	if confidence == nil {
		return "-"
	}
	return strconv.FormatFloat(*confidence, 'g', -1, 64)
}
