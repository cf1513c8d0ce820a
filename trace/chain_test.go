package trace

import (
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
)

// FuzzCanonicalForm moves bytes between the fields: different events must have different forms.
func FuzzCanonicalForm(f *testing.F) {
	f.Add("s", int64(1), "type", int64(1), "agent", "{}", "p", "s", int64(1), "typ", int64(1), "eagent", "{}", "p")
	f.Add("s", int64(1), "1:a,", int64(1), "", "", "", "s", int64(1), "", int64(1), "1:a,", "", "")
	f.Add("", int64(12), "3", int64(0), "a,1:b", "", "", "", int64(1), "23", int64(0), "a", "b", "")
	f.Fuzz(func(t *testing.T, s1 string, q1 int64, k1 string, t1 int64, a1, p1, h1, s2 string, q2 int64, k2 string,
		t2 int64, a2, p2, h2 string) {
		at := func(n int64) time.Time { return time.UnixMicro(n % (1 << 50)).UTC() }
		form := func(session, kind string, e ownEvent) string {
			e.Type = kind
			return string(e.canonical(session))
		}
		one := ownEvent{Seq: q1, At: at(t1), Agent: a1, Payload: []byte(p1), PrevHash: h1}
		two := ownEvent{Seq: q2, At: at(t2), Agent: a2, Payload: []byte(p2), PrevHash: h2, Schema: schemaWithUID, UID: h1}
		if form(s1, k1, one) == form(s2, k2, two) {
			t.Errorf("%+v and %+v have the form %s", one, two, form(s1, k1, one))
		}
		if k1 != "" && form(s1, k1, one) == form(s1+k1, "", one) { // the same bytes, in other fields
			t.Errorf("the type %q and the session %q can be exchanged: %s", k1, s1, form(s1, k1, one))
		}
	})
}

// TestCanonicalForm_KnownValues_Match compares the form with published examples.
func TestCanonicalForm_KnownValues_Match(t *testing.T) {
	e := ownEvent{Seq: 12, Type: "thought", At: time.Date(2026, 1, 31, 12, 0, 0, 1000, time.UTC), Agent: "Änn",
		Payload: []byte(`{"text":"a"}`), PrevHash: "00ff"}
	const want = `17:nomograph.event.1,4:0190,2:12,7:thought,27:2026-01-31T12:00:00.000001Z,4:Änn,12:{"text":"a"},4:00ff,`
	graphtest.Equal(t, string(e.canonical("0190")), want)
	e.UID, e.Schema = "0191", schemaWithUID
	graphtest.Equal(t, string(e.canonical("0190")), strings.Replace(want, "event.1", "event.2", 1)+"4:0191,",
		"the uid at the end")
}
