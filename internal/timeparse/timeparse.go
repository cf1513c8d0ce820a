// Package timeparse parses times and durations as people and programs write them.
package timeparse

import (
	"strconv"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// Forms lists the accepted time formats.
const Forms = "2026-01-31, 2026-01-31T12:00:00Z, today, yesterday, or how long ago: 30m, 1h, 3d, 2w, 6mo, 1y"

// Range selects a time range. Several operations share these fields, which accept Forms.
type Range struct {
	DateAfter  string `json:"date_after,omitempty" jsonschema:"start: time, day, or age such as 2w" rule:"maxLength=40"`
	DateBefore string `json:"date_before,omitempty" jsonschema:"end: time, day, or age such as 2w" rule:"maxLength=40"`
}

// Times returns the start and the end of the range in UTC, or from and to where the range names none. It returns the
// errors of Parse.
func (r Range) Times(from, to time.Time) (time.Time, time.Time, error) {
	var err error
	if r.DateAfter != "" {
		if from, err = Parse("date_after", r.DateAfter); err != nil {
			return from, to, err
		}
	}
	if r.DateBefore != "" {
		to, err = Parse("date_before", r.DateBefore)
	}
	return from.UTC(), to.UTC(), err
}

// Duration parses a duration that can have days: 90d, 12h, 30m.
func Duration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

// ago matches at most four digits, so that no hash prefix, which has at least six characters, is read as a time.
var ago = pattern.New(`^(\d{1,4})\s*(s|m|h|d|w|mo|y)(?:\s+ago)?$`)

// Parse parses an RFC 3339 time, a day (its start), "now", "today" or "yesterday" (their starts), or an age in seconds,
// minutes, hours, days, weeks, months or years. Days are in UTC, like all times in answers. It returns a
// validation_error that quotes the text.
func Parse(name, text string) (time.Time, error) {
	return read(name, text, time.Now().UTC())
}

func read(name, text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	switch word := strings.ToLower(text); word {
	case "now":
		return now, nil
	case "today":
		return midnight(now), nil
	case "yesterday":
		return midnight(now).AddDate(0, 0, -1), nil
	default:
		if found := ago.FindStringSubmatch(word); found != nil {
			n, err := strconv.Atoi(found[1])
			return subtract(now, n, found[2]), err
		}
	}
	return time.Time{}, apperr.Newf(apperr.Validation, "`%s` is '%s', not a time", name, text).WithHint("Use %s", Forms)
}

func subtract(now time.Time, n int, unit string) time.Time {
	switch unit {
	case "s":
		return now.Add(-time.Duration(n) * time.Second)
	case "m":
		return now.Add(-time.Duration(n) * time.Minute)
	case "h":
		return now.Add(-time.Duration(n) * time.Hour)
	case "d":
		return now.AddDate(0, 0, -n)
	case "w":
		return now.AddDate(0, 0, -7*n)
	case "mo":
		return now.AddDate(0, -n, 0)
	}
	return now.AddDate(-min(n, now.Year()-1), 0, 0)
}

// Until parses an end in the future: a time, a day, or a length from now such as 2h, 3d or 1mo. It returns a
// validation_error for another text and for the past.
func Until(name, text string) (time.Time, error) {
	now := time.Now().UTC().Truncate(time.Second)
	at, err := read(name, text, now)
	if err != nil {
		return at, apperr.Newf(apperr.Validation, "`%s` is '%s', not an end", name, text).
			WithHint("Use a time such as 2026-01-31T12:00:00Z, or a length such as 2h or 3d")
	}
	if ago.MatchString(strings.ToLower(strings.TrimSpace(text))) {
		at = now.Add(now.Sub(at))
	}
	if !at.After(now) {
		return at, apperr.Newf(apperr.Validation, "`%s` is in the past: %s", name, at.Format(time.RFC3339)).
			WithHint("Use a later time, or a length such as 2h")
	}
	return at, nil
}
