package timeparse

import (
	"testing"
	"time"
)

func TestDuration_EveryForm_IsRead(t *testing.T) {
	now := time.Date(2026, 11, 22, 17, 0, 0, 0, time.UTC) // a Sunday
	const open = ""
	for text, want := range map[string][2]string{
		"What did I do yesterday?":                     {"2026-11-21", "2026-11-22"},
		"what happened the day before yesterday":       {"2026-11-20", "2026-11-21"},
		"Which bugs did we mend in May?":               {"2026-05-01", "2026-06-01"},
		"Which bugs did we mend in December?":          {"2025-12-01", "2026-01-01"},
		"How many roadtrips did Evan take in May 2023": {"2023-05-01", "2023-06-01"},
		"What was said on 8 May, 2023?":                {"2023-05-08", "2023-05-09"},
		"What was said on May 8th, 2023?":              {"2023-05-08", "2023-05-09"},
		"on 2026-02-03":                                {"2026-02-03", "2026-02-04"},
		"what did we plan last week":                   {"2026-11-09", "2026-11-16"},
		"what did we plan this week":                   {"2026-11-16", "2026-11-23"},
		"what broke last Friday":                       {"2026-11-20", "2026-11-21"},
		"what broke 3 days ago":                        {"2026-11-19", "2026-11-20"},
		"what was decided before June 2025":            {open, "2025-06-01"},
		"what was decided since March":                 {"2026-03-01", open},
		"what was decided after 2024":                  {"2025-01-01", open},
	} {
		got, ok := FindInText(text, now)
		day := func(at time.Time) string {
			if at.IsZero() {
				return open
			}
			return at.Format(time.DateOnly)
		}
		if !ok || day(got.From) != want[0] || day(got.To) != want[1] {
			t.Errorf("%s: %v %s to %s, not %v", text, ok, day(got.From), day(got.To), want)
		}
	}
	for _, text := range []string{"May I merge?", "we march on", "version 2023 of it", "why SQLite", ""} {
		if got, ok := FindInText(text, now); ok {
			t.Errorf("%q names %+v", text, got)
		}
	}
	if got, ok := FindInText("Which queue was used before the migration to Kafka?", now); !ok ||
		got.Event != "the migration to Kafka" || got.Later || got.Rest != "Which queue was used ?" {
		t.Errorf(`got %+v, want ok=true, Event="the migration to Kafka", Later=false, Rest="Which queue was used ?"`,
			got)
	}
}
