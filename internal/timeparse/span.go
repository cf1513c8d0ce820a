package timeparse

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"nomograph/internal/pattern"
)

// Span is a time range that a question names: [From, To), where zero means open. Event is set instead if the question
// only says before, after, since or until an event; the caller determines its time.
type Span struct {
	From, To time.Time
	Event    string
	Later    bool // with Event: true for the time after the event, false for the time before it
	Rest     string
	Relative bool // it names no month or year: yesterday, last week
}

// Overlaps reports whether the interval from at to until overlaps the span.
func (s Span) Overlaps(at, until time.Time) bool {
	return (s.From.IsZero() || !until.Before(s.From)) && (s.To.IsZero() || at.Before(s.To))
}

const (
	monthWords = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	dayWords   = `(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	sideWords  = `(?:(before|after|since|until)\s+)?`
)

// A month without a day or year needs a preposition, because may and march are also other words.
var named = []struct {
	form *pattern.Pattern
	span func(found []string, now time.Time) (from, to time.Time)
}{
	{pattern.New(`(?i)\b` + sideWords + `(?:on\s+)?(\d{4})-(\d{2})-(\d{2})\b`),
		func(f []string, now time.Time) (time.Time, time.Time) {
			return days(date(number(f[2]), number(f[3]), number(f[4]), now), 1)
		}},
	{pattern.New(`(?i)\b` + sideWords + `(?:on\s+|the\s+)*(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?` + monthWords +
		`\b\.?(?:,?\s+(\d{4}))?`), func(f []string, now time.Time) (time.Time, time.Time) {
		return days(lastDay(number(f[4]), monthOf(f[3]), number(f[2]), now), 1)
	}},
	{pattern.New(`(?i)\b` + sideWords + `(?:on\s+)?` + monthWords +
		`\b\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4}))?`),
		func(f []string, now time.Time) (time.Time, time.Time) {
			return days(lastDay(number(f[4]), monthOf(f[2]), number(f[3]), now), 1)
		}},
	{pattern.New(`(?i)\b` + sideWords + `(?:(?:in|of|during|this|last)\s+)?` + monthWords +
		`\b\.?,?\s+(?:of\s+)?(\d{4})\b`), func(f []string, now time.Time) (time.Time, time.Time) {
		return months(lastDay(number(f[3]), monthOf(f[2]), 1, now), 1)
	}},
	{pattern.New(`(?i)\b(before|after|since|until|in|during|last|this)\s+` + monthWords + `\b`),
		func(f []string, now time.Time) (time.Time, time.Time) {
			return months(lastDay(0, monthOf(f[2]), 1, now), 1)
		}},
	{pattern.New(`(?i)\b(before|after|since|until|in|during)\s+((?:19|20)\d{2})\b`),
		func(f []string, now time.Time) (time.Time, time.Time) {
			return months(date(number(f[2]), 1, 1, now), 12)
		}},
	{pattern.New(`(?i)\b` + sideWords + `(?:the\s+)?(day before yesterday|yesterday|last night|today|tonight|this morning|this afternoon|this evening)\b`), func(f []string, now time.Time) (time.Time, time.Time) {
		ago := map[string]int{"day before yesterday": 2, "yesterday": 1, "last night": 1}
		return days(midnight(now).AddDate(0, 0, -ago[strings.ToLower(f[2])]), 1)
	}},
	{pattern.New(`(?i)\b` + sideWords + `(this|last|past|previous)\s+(week|month|year)\b`),
		func(f []string, now time.Time) (time.Time, time.Time) {
			back := 0
			if !strings.EqualFold(f[2], "this") {
				back = 1
			}
			switch strings.ToLower(f[3]) {
			case "week":
				monday := midnight(now).AddDate(0, 0, -(int(now.Weekday())+6)%7)
				return days(monday.AddDate(0, 0, -7*back), 7)
			case "month":
				return months(date(now.Year(), int(now.Month())-back, 1, now), 1)
			}
			return months(date(now.Year()-back, 1, 1, now), 12)
		}},
	{pattern.New(`(?i)\b` + sideWords + `(?:on\s+|last\s+)` + dayWords + `\b`),
		func(f []string, now time.Time) (time.Time, time.Time) {
			for back := 1; ; back++ {
				if day := midnight(now).AddDate(0, 0, -back); strings.EqualFold(day.Weekday().String(), f[2]) {
					return days(day, 1)
				}
			}
		}},
	{pattern.New(`(?i)\b` + sideWords + `(\d{1,3}|an?|one|two|three|a few)\s+(hour|day|week|month|year)s?\s+ago\b`),
		func(f []string, now time.Time) (time.Time, time.Time) {
			words := map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "a few": 3}
			n := cmp.Or(words[strings.ToLower(f[2])], number(f[2]))
			switch strings.ToLower(f[3]) {
			case "hour":
				at := now.Add(-time.Duration(n) * time.Hour)
				return at.Add(-time.Hour), at.Add(time.Hour)
			case "day":
				return days(midnight(now).AddDate(0, 0, -n), 1)
			case "week": // week granularity
				return days(midnight(now).AddDate(0, 0, -7*n-3), 7)
			case "month":
				return months(date(now.Year(), int(now.Month())-n, 1, now), 1)
			}
			return months(date(now.Year()-n, 1, 1, now), 12)
		}},
	{pattern.New(`(?i)\b` + sideWords + `(?:in\s+|over\s+)?the\s+(?:last|past)\s+(\d{1,3})\s+(hour|day|week|month|year)s?\b`), func(f []string, now time.Time) (time.Time, time.Time) {
		return subtract(now, number(f[2]), map[string]string{"hour": "h", "day": "d", "week": "w", "month": "mo",
			"year": "y"}[strings.ToLower(f[3])]), now
	}},
}

// calendar matches names of months and years, which also occur in stored texts. Words such as yesterday are relative.
var calendar = pattern.New(`(?i)\b(?:` + monthWords + `|(?:19|20)\d{2})\b`)

var event = pattern.New(`(?i)\b(before|after|since|until)\s+((?:the|we|our|my|i|they)\s+[^?.,;!]{3,80})`)

// FindInText returns the time range that a question names, in the time zone of now: a day, month or year, yesterday,
// last week, three days ago, or the time before or after one of these. A date without a year is the last one before
// now. If only an event is named, as in "before the migration", Event is set. Rest is the question without the time,
// but with names of months and years. ok is false if there is no time.
func FindInText(text string, now time.Time) (span Span, ok bool) {
	for _, n := range named {
		at := n.form.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		found := make([]string, len(at)/2)
		for i := range found {
			if at[2*i] >= 0 {
				found[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		from, to := n.span(found, now)
		if from.IsZero() {
			continue
		}
		span = Span{From: from, To: to, Rest: text}
		if !calendar.MatchString(text[at[0]:at[1]]) {
			span.Rest, span.Relative = strings.TrimSpace(text[:at[0]]+" "+text[at[1]:]), true
		}
		switch strings.ToLower(found[1]) {
		case "before":
			span.From, span.To = time.Time{}, from
		case "until":
			span.From = time.Time{}
		case "after":
			span.From, span.To = to, time.Time{}
		case "since":
			span.To = time.Time{}
		}
		return span, true
	}
	if found := event.FindStringSubmatchIndex(text); found != nil {
		side := strings.ToLower(text[found[2]:found[3]])
		return Span{Event: text[found[4]:found[5]], Later: side == "after" || side == "since",
			Rest: strings.TrimSpace(text[:found[0]] + text[found[1]:])}, true
	}
	return Span{}, false
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // text is empty or has only digits
	return n
}

func monthOf(word string) int {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(word[:3], m.String()[:3]) {
			return int(m)
		}
	}
	return 0
}

func date(year, month, day int, now time.Time) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, now.Location())
}

// lastDay returns the given day. Without a year, it returns the last such day that is not in the future.
func lastDay(year, month, day int, now time.Time) time.Time {
	if day < 1 || day > 31 {
		return time.Time{}
	}
	if year > 0 {
		return date(year, month, day, now)
	}
	if at := date(now.Year(), month, day, now); !at.After(now) {
		return at
	}
	return date(now.Year()-1, month, day, now)
}

func midnight(now time.Time) time.Time { return date(now.Year(), int(now.Month()), now.Day(), now) }

func days(from time.Time, n int) (time.Time, time.Time) { return from, from.AddDate(0, 0, n) }

func months(from time.Time, n int) (time.Time, time.Time) { return from, from.AddDate(0, n, 0) }
