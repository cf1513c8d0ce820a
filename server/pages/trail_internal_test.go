package pages

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/trace"
)

func TestStory_EachEvent_IsASentence(t *testing.T) {
	d := &Server{pages: table}
	d.templates = d.parse()
	v := &Visit{server: d, page: pageNamed("session")}
	said := func(kind, payload string) string {
		event := trace.EventRow{Type: kind}
		if err := json.Unmarshal([]byte(payload), &event.Payload); err != nil {
			t.Fatal(payload, err)
		}
		e, err := v.storyEventOf(event)
		if err != nil {
			t.Fatal(kind, payload, err)
		}
		return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(e.Sentence), " ")),
			" ")
	}
	for _, row := range golden.Rows(t, "testdata/story.txt") {
		graphtest.Equal(t, said(row[0], row[1]), row[2], row[0]+" "+row[1])
		if said(row[0], `{}`) == "" {
			t.Errorf("%s without a payload: got nothing", row[0])
		}
	}
}
