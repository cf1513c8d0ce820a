package decisions

import (
	"strconv"

	"nomograph/fault"
)

func URI(id string) string { return "nomograph://decision/" + id }

func Decimal(n int64) string { return strconv.FormatInt(n, 10) }

// daysOf reads 7d, 2w or 1m (30 days); nil for an empty text.
func daysOf(period string) (*int64, error) {
	if period == "" {
		return nil, nil
	}
	unit := map[byte]int64{'d': 1, 'w': 7, 'm': 30}[period[len(period)-1]]
	n, err := strconv.ParseInt(period[:len(period)-1], 10, 64)
	if unit == 0 || err != nil || n < 1 || n > 3650 {
		return nil, fault.Newf(fault.Validation, "`review_in` is '%s'", period).WithHint("It is a number of days, weeks or months: 7d, 2w or 1m")
	}
	days := n * unit
	return &days, nil
}
