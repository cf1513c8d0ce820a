package cstp

import (
	"encoding/json"
	"testing"
)

// FuzzRead parses bodies. Each parsed call must have a method and a valid id, and batches stay within the limit.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc": "2.0", "method": "cstp.ready", "id": 1, "params": {"limit": 5}}`,
		`[{"jsonrpc": "2.0", "method": "a"}, 5, []]`, `{"id": "\ud800"}`, `[[]]`,
		`{"jsonrpc":"2.0","method":"a","id":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) == 0 {
			return // the endpoint answers these earlier
		}
		entries, batch, wrong := read(t.Context(), body)
		if wrong != nil {
			if wrong.Code == 0 || wrong.Message == "" || entries != nil {
				t.Errorf("%q: got %+v, want nonzero Code, non-empty Message, entries=nil", body, wrong)
			}
			return
		}
		if len(entries) == 0 || len(entries) > maxCalls || !batch && len(entries) != 1 {
			t.Fatalf("%q: %d calls", body, len(entries))
		}
		for _, e := range entries {
			if e.wrong == nil && e.method == "" || e.id != nil && (!json.Valid(e.id) || len(e.id) > maxIDLength) ||
				e.wrong == nil && e.params != nil && e.params[0] != '{' {
				t.Errorf(`%q: got %+v, want not e.wrong == nil && e.method == "", not e.id != nil && (!json.Valid(e.id) || len(e.id) > maxIDLength), not e.wrong == nil && e.params != nil && e.params[0] != '{'`, body, e)
			}
			if _, err := text(failed(e.id, &problem{Code: internalError})); err != nil {
				t.Errorf("%q: got %v, want no error", body, err)
			}
		}
	})
}

func FuzzSpelling(f *testing.F) {
	f.Add("query_time_ms")
	f.Add("agentId")
	f.Add("_a__b_")
	f.Fuzz(func(t *testing.T, name string) {
		once := camel(name)
		if len(once) > len(name) || camel(once) != once {
			t.Errorf("%q becomes %q and %q", name, once, camel(once))
		}
	})
}
