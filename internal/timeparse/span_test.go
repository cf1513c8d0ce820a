package timeparse

import (
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

func TestDuration_EveryForm_IsRead(t *testing.T) {
	now := time.Date(2026, 11, 22, 17, 0, 0, 0, time.UTC) // a Sunday
	for _, row := range golden.Columns(t, "testdata/spans.txt", 3) {
		got, ok := FindInText(row[0], now)
		day := func(at time.Time) string {
			if at.IsZero() {
				return ""
			}
			return at.Format(time.DateOnly)
		}
		graphtest.Values(t, row[0], ok, true, day(got.From), row[1], day(got.To), row[2])
	}
	for _, text := range []string{"May I merge?", "we march on", "version 2023 of it", "why SQLite", ""} {
		if got, ok := FindInText(text, now); ok {
			t.Errorf("%q names %+v", text, got)
		}
	}
	got, ok := FindInText("Which queue was used before the migration to Kafka?", now)
	graphtest.Values(t, "ok, Event, Later, Rest", ok, true, got.Event, "the migration to Kafka", got.Later, false,
		got.Rest, "Which queue was used ?")
}
