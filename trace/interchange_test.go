package trace_test

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/trace"
)

// TestVerify_EventOfAnotherImplementation_Succeeds: a separate program made the hash, following TRACE/1.0 and its
// implementation. Keys and numbers in the line have a different form than in the hashed text.
func TestVerify_EventOfAnotherImplementation_Succeeds(t *testing.T) {
	const line = `{"trace_version":"1.0","event_id":"e1","trace_id":"t1","span_id":"s1","session_id":"sess","sequence":0,"timestamp":"2026-01-31T12:00:00.12Z",` +
		`"event_type":"context.injected","payload":{"z":null,"b":{"q":"say \"hi\"\n\u0001\u2028\u003c&>\u007f"},"a":[1,0.70,1e+21,1e2,-0.0,0.00000015,1.5E-4,18446744073709551615]},` +
		`"event_hash":"2689a0d9767ac6ce64231bee2e0f80dbd649613cc32c1f97a7a50df5aec6bd9e","previous_event_hash":"0000000000000000000000000000000000000000000000000000000000000000"}`
	v := graphtest.Must(trace.VerifyText(line + "\n"))(t)
	graphtest.Values(t, "Ours", v.Intact, true, v.Events, 1, v.Format, trace.FormatTRACE, v.Ours, "")
	for changed, want := range map[string]string{strings.Replace(line, "0.70", "0.71", 1): "hash_mismatch",
		strings.Replace(line, "\"sequence\":0", "\"sequence\":1", 1): "sequence_gap",
		strings.Replace(line, "_hash\":\"00", "_hash\":\"01", 1):     "invalid_start"} {
		v := graphtest.Must(trace.VerifyText(changed))(t)
		graphtest.Values(t, "Intact, Problem", v.Intact, false, v.Problems[0].Problem, want)
	}
	for _, none := range []string{"", "{}", "[1]", "no JSON", line[:100]} {
		graphtest.Fails(trace.VerifyText(none))(t, apperr.Validation, none)
	}
}

// FuzzVerifyText checks that every text gives a verification or a validation_error.
func FuzzVerifyText(f *testing.F) {
	f.Add(`{"trace_version":"1.0","sequence":0,"payload":{"a":[1e400,-0,0.1]},"timestamp":"x"}`)
	f.Add(`{"session_id":"s","session":"u","seq":0,"type":"t","at":"2026-01-31T12:00:00Z","hash":"h","begins":{"id":"s"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := trace.VerifyText(text)
		if err != nil && !apperr.Is(err, apperr.Validation) || err == nil && v.Intact != (len(v.Problems) == 0) {
			t.Errorf("got %+v %v, want not err != nil && !apperr.Is(err, apperr.Validation), not err == nil && v.Intact != (len(v.Problems) == 0)", v, err)
		}
	})
}
