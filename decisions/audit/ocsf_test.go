package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// required are the attributes that OCSF 1.6.0 requires of API Activity and of the objects in it, by path.
var required = strings.Fields(`activity_id actor api category_uid class_uid metadata severity_id src_endpoint time type_uid
	api.operation metadata.product metadata.version`)

const denied = `{"uid":"v-1","at":"2026-11-01T12:00:00.123Z","allowed":false,"enforced":true,"agent":"ada","stakes":"high","name":"shell.run","description":"Run: rm","client":"claude-code","client_session":"s-1","session":"n-1","project":"acme/shop","actors":["bot","ada"],"revision":"r",
	"results":{"violations":[{"guardrail_id":"keep","message":"It deletes"},{"guardrail_id":"ask","message":"Ask"}]},
	"executions":[{"uid":"e-1","at":"2026-11-01T12:00:01Z","kind":"file.write","tool":"Write","client":"claude-code","agent":"ada","project":"acme/shop","outcome":"failure"},{"uid":"e-2","at":"2026-11-01T12:00:02Z","kind":"mcp.call","outcome":"unknown"}]}`

func TestOCSF_Verdicts_HaveRequiredAttributesAndTheOutcome(t *testing.T) {
	var lines strings.Builder
	for _, tt := range []struct {
		name, verdict string
		want          []string // class, activity, severity, status, action, disposition of each event
	}{
		{"denied", denied, []string{"6003 99 4 2 2 2", "6003 3 1 2 <nil> <nil>", "6003 99 1 0 <nil> <nil>"}},
		{"denied in shadow mode", strings.Replace(denied, `"enforced":true`, `"enforced":false`, 1),
			[]string{"6003 99 4 1 3 17", "6003 3 1 2 <nil> <nil>", "6003 99 1 0 <nil> <nil>"}},
		{"denied by an older build", `{"uid":"v-2","at":"2026-11-01T12:00:00Z","allowed":false}`,
			[]string{"6003 99 2 2 2 2"}},
		{"allowed", `{"uid":"v-3","at":"2026-11-01T12:00:00Z","allowed":true,"enforced":false,"agent":"ada","name":"file.read","stakes":"critical","results":{"violations":[]}}`,
			[]string{"6003 2 1 1 1 1"}},
		{"empty", `{}`, []string{"6003 99 2 2 2 2"}},
	} {
		var v Verdict
		if err := json.Unmarshal([]byte(tt.verdict), &v); err != nil {
			t.Fatal(err)
		}
		c := &checking{contents: contents{Verdicts: []Verdict{v}}}
		text, err := c.ocsf()
		if err != nil {
			t.Fatal(err)
		}
		lines.WriteString(text)
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			var e map[string]any
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			for _, path := range required {
				if at(e, path) == nil {
					t.Errorf("%s: %s is missing in %s", tt.name, path, line)
				}
			}
			got := fmt.Sprint(e["class_uid"], e["activity_id"], e["severity_id"], e["status_id"], e["action_id"],
				e["disposition_id"])
			if i >= len(tt.want) || got != tt.want[i] || at(e, "type_uid") != 600300+e["activity_id"].(float64) {
				t.Errorf("%s: got the event %d %s, want %v", tt.name, i, got, tt.want)
			}
		}
	}
	if path := os.Getenv("OCSF_OUT"); path != "" { // for a validator of the whole schema
		if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
			t.Error(err)
		}
	}
	if got := at(first(t, denied), "time"); got != float64(time.Date(2026, 11, 1, 12, 0, 0, 123e6, time.UTC).
		UnixMilli()) {
		t.Errorf("got the time %v, want milliseconds", got)
	}
	for path, want := range map[string]string{"actor.user.name": "ada", "actor.app_name": "claude-code",
		"actor.session.uid": "s-1", "metadata.uid": "v-1", "metadata.correlation_uid": "s-1",
		"status_detail": "keep: It deletes; ask: Ask", "unmapped.actors": "[bot ada]",
		"actor.authorizations": "[map[decision:denied policy:map[desc:It deletes name:keep]] map[decision:denied policy:map[desc:Ask name:ask]]]"} {
		if got := fmt.Sprint(at(first(t, denied), path)); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// first returns the event of a verdict.
func first(t *testing.T, verdict string) (e map[string]any) {
	t.Helper()
	var v Verdict
	text, err := []byte(nil), json.Unmarshal([]byte(verdict), &v)
	if err == nil {
		text, err = exact(v.ocsf()[0])
	}
	if err != nil || json.Unmarshal(text, &e) != nil {
		t.Fatal(err)
	}
	return e
}

// at returns the value at a path with dots; nil if it is absent.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}
