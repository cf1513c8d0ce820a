package timeparse

import (
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

func TestParse_WrittenTimes_AreAccepted(t *testing.T) {
	now := time.Date(2026, 3, 31, 15, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-01-31":                  "2026-01-31T00:00:00Z",
		"2026-01-31T12:00:00Z":        "2026-01-31T12:00:00Z",
		"2026-01-31T12:00:00.5+02:00": "2026-01-31T10:00:00.5Z",
		"now":                         "2026-03-31T15:30:00Z",
		"today":                       "2026-03-31T00:00:00Z",
		" Yesterday ":                 "2026-03-30T00:00:00Z",
		"90s":                         "2026-03-31T15:28:30Z",
		"30m":                         "2026-03-31T15:00:00Z",
		"1h":                          "2026-03-31T14:30:00Z",
		"1h ago":                      "2026-03-31T14:30:00Z",
		"3 d":                         "2026-03-28T15:30:00Z",
		"2w":                          "2026-03-17T15:30:00Z",
		"3mo":                         "2025-12-31T15:30:00Z",
		"1y":                          "2025-03-31T15:30:00Z",
		"9999y":                       "0001-03-31T15:30:00Z",
	} {
		graphtest.Equal(t, graphtest.Must(read("date_after", text, now))(t).Format(time.RFC3339Nano), want, text)
	}
	for _, text := range []string{"", "soon", "1", "h", "-1h", "12345d", "1h30m", "31.01.2026", "2026-02-30"} {
		if at, err := read("date_after", text, now); !apperr.Is(err, apperr.Validation) {
			t.Errorf("%q is %v, %v", text, at, err)
		}
	}
}
