package records

import (
	"strings"
	"time"
)

// dateForms are formats of dates, most exact first.
var dateForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02 15:04", "2006-01-02", "2006/01/02", "2006.01.02", "20060102", "2006-01",
	"January 2, 2006", "Jan 2, 2006",
	"2 January 2006", "2 Jan 2006", "02.01.2006"}

// date parses a date or time; without a zone it is UTC.
func date(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	for _, form := range dateForms {
		if at, err := time.Parse(form, text); err == nil && at.Year() > 0 && at.Year() < 10_000 {
			return at.UTC(), true
		}
	}
	dayFirst, wrongDay := time.Parse("2/1/2006", text)
	monthFirst, wrongMonth := time.Parse("1/2/2006", text)
	switch { // 21/08/2026 has one reading, 02/08/2026 has two and stays text
	case wrongDay == nil && (wrongMonth != nil || dayFirst.Equal(monthFirst)):
		return dayFirst, true
	case wrongMonth == nil && wrongDay != nil:
		return monthFirst, true
	}
	return time.Time{}, false
}
