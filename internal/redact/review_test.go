package redact

import (
	"slices"
	"strings"
	"testing"
)

// TestForReview_SecretBeforeCommand_ShowsCommand: a person who approves sees every command, and no secret.
func TestForReview_SecretBeforeCommand_ShowsCommand(t *testing.T) {
	for _, c := range []struct {
		text, want string
		hides      bool
	}{
		{"X_TOKEN=a make", "X_TOKEN=[redacted] make", true},
		{"X_TOKEN=a;rm -rf /srv", "X_TOKEN=[redacted];rm -rf /srv", true},
		{"X_TOKEN=a;reboot", "X_TOKEN=[redacted];reboot", true},
		{"X_TOKEN=a&&rm -rf /srv", "X_TOKEN=[redacted]&&rm -rf /srv", true},
		{"X_TOKEN=a|sh", "X_TOKEN=[redacted]|sh", true},
		{"X_TOKEN=a>/etc/passwd", "X_TOKEN=[redacted]>/etc/passwd", true},
		{"X_TOKEN=$(rm -rf /srv) make", "X_TOKEN=$(rm -rf /srv) make", false},
		{"X_TOKEN=`rm -rf /srv` make", "X_TOKEN=`rm -rf /srv` make", false},
		{`X_TOKEN="$(rm -rf /srv)" make`, `X_TOKEN="$(rm -rf /srv)" make`, false},
		{`X_TOKEN="a;b" make`, `X_TOKEN="[redacted]" make`, true},
		{`X_TOKEN='a;b' make`, `X_TOKEN='[redacted]' make`, true},
		{`X_TOKEN=""a;rm -rf /srv`, `X_TOKEN=[redacted];rm -rf /srv`, true},
		{`X_TOKEN="a;rm -rf /srv`, `X_TOKEN=[redacted];rm -rf /srv`, true},
		{`'X_TOKEN='a;rm -rf /srv ''`, `'X_TOKEN=[redacted];rm -rf /srv ''`, true},
		{`sh -c "X_TOKEN=a;rm -rf /srv"`, `sh -c "X_TOKEN=[redacted];rm -rf /srv"`, true},
		{`eval X_TOKEN=a\;reboot`, `eval X_TOKEN=[redacted];reboot`, true},
		{"X_TOKEN={ rm -rf /srv;}", "X_TOKEN=[redacted] rm -rf /srv;}", true},
		{"X_TOKEN={\nrm -rf /srv", "X_TOKEN=[redacted]\nrm -rf /srv", true},
		{"X_TOKEN=[ rm -rf /srv", "X_TOKEN=[redacted] rm -rf /srv", true},
		{"--token a;reboot", "--token [redacted];reboot", true},
		{"X_TOKEN=a;Y_TOKEN=bcd;reboot", "X_TOKEN=[redacted];Y_TOKEN=[redacted];reboot", true},
		{"X_TOKEN=$(vault login --password hunter2;reboot)", "X_TOKEN=$(vault login --password [redacted];reboot)",
			true},
		{"-----BEGIN PRIVATE KEY-----;rm -rf /srv", "", true},
		{"-----BEGIN PRIVATE KEY-----\nrm -rf /srv\n-----END PRIVATE KEY-----", "[redacted]\nrm -rf /srv\n[redacted]",
			true},
		{"-----BEGIN PRIVATE KEY-----\nreboot\n/tmp/evil2/run\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nq1Zx9w==\n-----END PRIVATE KEY-----", "[redacted]\nreboot\n/tmp/evil2/run\n[redacted]", true},
		{"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\nq1Zx9w==\n-----END RSA PRIVATE KEY-----\nrm -rf /srv", "[redacted]\nrm -rf /srv", true},
	} {
		shown, hidden := ForReview("params", map[string]any{"cmd": c.text})
		text := shown.(map[string]any)["cmd"].(string)
		if c.want != "" && text != c.want || slices.Contains(hidden, "params.cmd") != c.hides ||
			strings.Contains(c.text, "rm -rf /srv") && !strings.Contains(text, "rm -rf /srv") ||
			strings.Contains(text, "hunter2") {
			t.Errorf("%s shows %s, and names %v", c.text, text, hidden)
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
	if got, want := asJSON(t, shown), `{"args":["run","--password","[redacted]"],"env":[{"name":"API_KEY","value":"[redacted]"}],"password":[],"secret":{"list":["[redacted]",{"z":"[redacted]"}],"mode":"[redacted]","n":"[redacted]","on":true},"to":"Bob","token":"[redacted]"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := []string{"params.args[2]", "params.env[0].value", "params.secret.list[0]", "params.secret.list[1].z",
		"params.secret.mode", "params.secret.n", "params.token"}; !slices.Equal(hidden, want) {
		t.Errorf("got %v, want %v", hidden, want)
	}
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
