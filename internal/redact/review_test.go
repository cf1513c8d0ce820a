package redact

import (
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestForReview_SecretBeforeCommand_ShowsCommand: a person who approves sees every command, and no secret.
func TestForReview_SecretBeforeCommand_ShowsCommand(t *testing.T) {
	for _, row := range golden.Columns(t, "testdata/review.txt", 3) {
		want, command := strings.ReplaceAll(row[1], `\n`, "\n"), strings.ReplaceAll(row[2], `\n`, "\n")
		shown, hidden := ForReview("params", map[string]any{"cmd": command})
		text := shown.(map[string]any)["cmd"].(string)
		if want != "" && text != want || slices.Contains(hidden, "params.cmd") != (row[0] == "hides") ||
			strings.Contains(command, "rm -rf /srv") && !strings.Contains(text, "rm -rf /srv") ||
			strings.Contains(text, "hunter2") {
			t.Errorf("%s shows %s, and names %v", command, text, hidden)
		}
		if again, _ := ForReview("params", shown); again.(map[string]any)["cmd"] != text {
			t.Errorf("%s shows %v the second time", text, again)
		}
	}
}

// TestForReview_ObjectUnderSecretName_KeepsItsKeys: of an object under a secret name only the values are hidden, and
// each is named.
func TestForReview_ObjectUnderSecretName_KeepsItsKeys(t *testing.T) {
	value := map[string]any{"secret": map[string]any{"mode": "x", "n": int64(7), "on": true,
		"list": []any{"y", map[string]any{"z": "w"}}}, "token": "abc", "to": "Bob",
		"env": []any{map[string]any{"name": "API_KEY", "value": "v"}}, "args": []any{"run", "--password", "hunter2"},
		"password": []any{}}
	shown, hidden := ForReview("params", value)
	graphtest.Equal(t, asJSON(t, shown), `{"args":["run","--password","[redacted]"],"env":[{"name":"API_KEY","value":"[redacted]"}],"password":[],"secret":{"list":["[redacted]",{"z":"[redacted]"}],"mode":"[redacted]","n":"[redacted]","on":true},"to":"Bob","token":"[redacted]"}`)
	graphtest.Equal(t, hidden, []string{"params.args[2]", "params.env[0].value", "params.secret.list[0]",
		"params.secret.list[1].z",
		"params.secret.mode", "params.secret.n", "params.token"})
	if _, hidden := ForReview("params", map[string]any{"to": "Bob", "n": int64(1)}); hidden != nil {
		t.Errorf("nothing is hidden, and it names %v", hidden)
	}
}

// TestForReview_CorpusOfSecrets_IsHidden: no secret of the corpus becomes visible to the approver.
func TestForReview_CorpusOfSecrets_IsHidden(t *testing.T) {
	texts, parts := corpus(t, "testdata/secrets.txt")
	for i, text := range texts {
		clean, _ := reviewText(text)
		for _, part := range parts[i] {
			if n := leftover(clean, part); n > 0 {
				t.Errorf("%q shows %d characters of a secret: %q", text, n, clean)
			}
		}
	}
	honest, _ := corpus(t, "testdata/honest.txt")
	for _, text := range honest {
		if clean, hit := reviewText(text); hit {
			t.Errorf("%q shows %q", text, clean)
		}
	}
}
