package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// TestAudit_ExportedBundle_IsVerifiedWithoutAGraph exports with one process, and verifies with another that has neither
// a graph nor the private key.
func TestAudit_ExportedBundle_IsVerifiedWithoutAGraph(t *testing.T) {
	g := graphtest.New(t)
	key, _, _ := keyAndPack(t, graphtest.BareEnviron(t))
	other, _, _ := keyAndPack(t, graphtest.BareEnviron(t))
	public, wrong := strings.TrimSuffix(key, ".key")+".pub", strings.TrimSuffix(other, ".key")+".pub"
	dir := filepath.Dir(key)
	bundle, report := filepath.Join(dir, "audit.json"), filepath.Join(dir, "audit.html")
	write := func(name string, edit func(text string) string) string {
		text, err := os.ReadFile(bundle)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(edit(string(text))), 0o600)
		}
		graphtest.OK(t, err)
		return filepath.Join(dir, name)
	}
	run := func(environ []string, code int, says string, args ...string) {
		t.Helper()
		stdout, stderr, got := graphtest.Run(t, environ, nil, graphtest.Binary(t), args...)
		if got != code || !strings.Contains(stdout+stderr, says) {
			t.Errorf("%.80q: exit %d, want %d with %q:\n%.1500s%.1500s", args, got, code, says, stdout, stderr)
		}
	}
	environ, bare := g.Environ(t), graphtest.BareEnviron(t)
	signing := append(environ, "NOMOGRAPH_AUDIT_KEY="+key)
	run(environ, 0, "", "policy", "apply", "core")
	run(environ, 0, "", "decision", "think", "Look at <invoices> & more", "--session", "s1")
	run(environ, 5, "", "policy", "check", "Move it", "--stakes", "high", "--confidence", "0.2", "--session", "s1")
	run(environ, 0, "", "decision", "log", "Use Postgres", "--category", "architecture", "--confidence", "0.8",
		"--session", "s1")
	run(environ, 2, "No key is configured", "audit", "export", "--session", "s1")
	run(environ, 2, "Nothing is selected", "audit", "export")
	run(environ, 2, "exported whole", "audit", "export", "--session", "s1", "--since", "1d")
	run(environ, 3, "Session 'none' not found", "audit", "export", "--session", "none", "--unsigned")
	run(append(environ, "NOMOGRAPH_AUDIT_KEY="+public), 2, "not the private key", "audit", "export", "--session", "s1")
	run(append(environ, "NOMOGRAPH_AUDIT_KEY="+dir), 2, "cannot be read", "audit", "export", "--session", "s1")
	run(signing, 0, "<!DOCTYPE html>", "audit", "export", "--since", "1d", "--format", "html")
	g.Exec(t, `MATCH (v:Verdict {allowed: false}) CREATE (v)<-[:UNDER]-(:Execution {uid: 'e-1', call: 'c', kind: 'file.write', tool: 'Write', client: 'claude-code', at: v.at, outcome: 'success'})`, nil)
	for _, says := range []string{`"action_id":2`, `"operation":"Write"`} {
		run(environ, 0, says, "audit", "export", "--session", "s1", "--format", "ocsf")
	}
	run(signing, 0, "wrote", "audit", "export", "--session", "s1", "--out", bundle)

	lines := filepath.Join(dir, "s1.jsonl")
	run(environ, 0, "wrote", "trace", "export", "s1", "--out", lines)
	if python, err := exec.LookPath("python3"); err == nil { // the form of hashes, written a second time
		script := filepath.Join("..", "..", "examples", "verify_trace.py")
		if out, err := exec.Command(python, script, lines).CombinedOutput(); err != nil ||
			!strings.HasPrefix(string(out), "intact; head ") {
			t.Errorf("%s: %v: %s", script, err, out)
		}
	}

	run(bare, 0, "intact      true", "audit", "verify", bundle, "--key", public, "--report", report)
	run(append(bare, "NOMOGRAPH_PACK_KEYS="+public), 0, "decision  1", "audit", "verify", bundle)
	if page, err := os.ReadFile(report); err != nil ||
		!strings.Contains(string(page), "Look at &lt;invoices&gt; &amp; more") ||
		!strings.Contains(string(page), "Article 12(1)") {
		t.Errorf("the report: %v: %.3000s", err, page)
	}
	run(bare, 2, "--key is missing", "audit", "verify", bundle)
	run(bare, 1, "unknown_key", "audit", "verify", bundle, "--key", wrong)
	run(bare, 1, "signature_mismatch", "audit", "verify", write("forged.json", func(text string) string {
		return strings.Replace(text, `"sig":"`, `"sig":"AAAA`, 1)
	}), "--key", public)
	run(bare, 2, "it is empty", "audit", "verify", write("empty.json", func(string) string { return "" }), "--key",
		public)
	run(bare, 2, "The payload type is 'text/plain'", "audit", "verify", write("type.json", func(text string) string {
		return strings.Replace(text, "application/vnd.nomograph.audit+json", "text/plain", 1)
	}), "--key", public)
	nested := write("nested.json", func(string) string { return strings.Repeat("[", 1<<20) })
	run(bare, 2, "nested more than 100 levels", "audit", "verify", nested, "--key", public)
	if err := os.Truncate(nested, 1<<30); err != nil { // a sparse file
		t.Fatal(err)
	}
	run(bare, 2, "is too large", "audit", "verify", nested, "--key", public)
	run(bare, 3, "nosuch.json", "audit", "verify", "nosuch.json", "--key", public)
}
