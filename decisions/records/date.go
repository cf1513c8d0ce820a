package records

import (
	_ "embed"
	"strings"
	"time"
)

// dateForms are formats of dates, most exact first.
//
//go:embed dates.txt
var dateForms string

// date parses a date or time; without a zone it is UTC.
func date(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	for form := range strings.Lines(dateForms) {
		if at, err := time.Parse(strings.TrimSpace(form), text); err == nil && at.Year() > 0 && at.Year() < 10_000 {
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
