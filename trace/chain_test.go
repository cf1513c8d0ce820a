package trace

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"nomograph/internal/golden"
)

// FuzzCanonicalForm moves bytes between the fields: different events must have different forms.
func FuzzCanonicalForm(f *testing.F) {
	f.Add("s", int64(1), "type", int64(1), "agent", "{}", "p", "s", int64(1), "typ", int64(1), "eagent", "{}", "p")
	f.Add("s", int64(1), "1:a,", int64(1), "", "", "", "s", int64(1), "", int64(1), "1:a,", "", "")
	f.Add("", int64(12), "3", int64(0), "a,1:b", "", "", "", int64(1), "23", int64(0), "a", "b", "")
	f.Fuzz(func(t *testing.T, s1 string, q1 int64, k1 string, t1 int64, a1, p1, h1, s2 string, q2 int64, k2 string,
		t2 int64, a2, p2, h2 string) {
		at := func(n int64) time.Time { return time.UnixMicro(n % (1 << 50)).UTC() }
		one, two := link{s1, q1, k1, at(t1), a1, p1, h1, ""}, link{s2, q2, k2, at(t2), a2, p2, h2, h1}
		if same := bytes.Equal(one.canonical(), two.canonical()); same != (one == two) {
			t.Errorf("%+v and %+v: %s", one, two, one.canonical())
		}
		joined := link{s1 + k1, q1, "", at(t1), a1, p1, h1, ""} // the same bytes, in other fields
		if k1 != "" && bytes.Equal(one.canonical(), joined.canonical()) {
			t.Errorf(`got %s, want not k1 != "" && bytes.Equal(one.canonical(), joined.canonical())`, one.canonical())
		}
	})
}

// TestCanonicalForm_KnownValues_Match compares the form with published examples.
func TestCanonicalForm_KnownValues_Match(t *testing.T) {
	l := link{session: "0190", seq: 12, kind: "thought", at: time.Date(2026, 1, 31, 12, 0, 0, 1000, time.UTC),
		agent: "Änn", payload: `{"text":"a"}`, prev: "00ff"}
	const want = `17:nomograph.event.1,4:0190,2:12,7:thought,27:2026-01-31T12:00:00.000001Z,4:Änn,12:{"text":"a"},4:00ff,`
	golden.Equal(t, "canonical", string(l.canonical()), want)
	l.uid = "0191"
	golden.Equal(t, "canonical", string(l.canonical()), strings.Replace(want, "event.1", "event.2", 1)+"4:0191,")
}
