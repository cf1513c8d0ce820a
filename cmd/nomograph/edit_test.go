package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// script writes an executable for EDITOR.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDecisionEdit_ChangedAndUnchangedText_BehaveAsInGit(t *testing.T) {
	g := graphtest.New(t)
	environ := append(g.Environ(t), "VISUAL=")
	run := func(editor string, args ...string) (stdout, stderr string, code int, left []string) {
		t.Helper()
		dir := t.TempDir()
		stdout, stderr, code = graphtest.Run(t, append(environ, "EDITOR="+editor, "TMPDIR="+dir), nil,
			graphtest.Binary(t), args...)
		left, _ = filepath.Glob(filepath.Join(dir, "nomograph-decision-*"))
		return stdout, stderr, code, left
	}
	id, stderr, code, _ := run("", "decision", "log", "Use a queue\n\nOrders wait there: none is lost.", "--category",
		"process", "--confidence", "0.8", "--reason", "analysis: it decouples", "--tags", "orders,queue", "--field",
		"id")
	id = strings.TrimSpace(id)
	if code != 0 || len(id) != 8 {
		t.Fatalf("exit %d, %s%s", code, id, stderr)
	}
	for _, c := range []struct {
		name, editor string
		code         int
		stdout       string
		stderr       string
		kept         bool
	}{
		{"unchanged", "true", 0, "is unchanged (revision 0)", "", false},
		{"a comment", "sh -c 'echo \"# mine\" >> $1' x", 0, "(revision 0)", "", false},
		{"a number", "sed -i.bak s/0.8/0.9/", 0, "revision 1: confidence", "", false},
		{"text, list and reason", script(t, `sed -i.bak -e 's/none is lost/none is lost twice/' -e 's/- queue/- broker/' -e 's/^# change_reason:.*/change_reason: measured/' "$1"; rm "$1.bak"`), 0, "revision 2: decision, tags", "", false},
		{"what cannot be stored", "sed -i.bak s/0.9/7/", 2, "", "confidence must be at most 1", true},
		{"what cannot be read", script(t, `echo "tags: [a" >> "$1"`), 2, "", "Cannot read the text: line", true},
		{"an unknown field", script(t, `echo "title: x" >> "$1"`), 2, "",
			"Field 'title' of a decision cannot be edited", true},
		{"an editor that fails", "false", 4, "", "The editor failed", false},
		{"an editor that is not there", "no-such-editor", 4, "", "The editor failed", false},
		{"an edit before it fails", script(t, `sed -i.bak s/0.9/0.7/ "$1"; exit 1`), 4, "", "the text is saved in",
			true},
		{"another update meanwhile", script(t, graphtest.Binary(t)+" decision update "+id+
			` --confidence 0.6 -q >/dev/null; sed -i.bak s/0.9/0.7/ "$1"`), 1, "", "is at revision 3, not 2", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, code, left := run(c.editor, "decision", "edit", id[:6])
			cached := false
			for _, path := range left {
				cached = cached || strings.HasSuffix(path, ".yaml")
			}
			if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) ||
				cached != c.kept || c.kept != strings.Contains(stderr, "the text is saved in") {
				t.Errorf("exit %d (want %d), kept %v (want %v)\nstdout: %s\nstderr: %s", code, c.code, cached, c.kept,
					stdout, stderr)
			}
		})
	}
	shown, _, _, _ := run("", "decision", "show", id)
	if !strings.Contains(shown, "none is lost twice") || !strings.Contains(shown, "#orders #broker") ||
		!strings.Contains(shown, ": measured") || !strings.Contains(shown, "confidence 0.6") {
		t.Errorf("the decision is %s", shown)
	}
	if title, _, code, _ := run("", "decision", "show", id, "--field", "title"); code != 0 || title != "Use a queue\n" {
		t.Errorf("--field title: exit %d, %q", code, title)
	}
	if _, stderr, code, _ := run("true", "decision", "edit", "ffffffff"); code != 3 ||
		!strings.Contains(stderr, "not found") {
		t.Errorf("an unknown decision: exit %d, %s", code, stderr)
	}
}

func TestDecisionEdit_InvalidText_OpensAgainWithTheError(t *testing.T) {
	g := graphtest.New(t)
	dir := t.TempDir()
	environ := append(g.Environ(t), "VISUAL=", "TMPDIR="+dir)
	id, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "decision", "log", "Use a queue",
		"--category", "process", "--confidence", "0.8", "--field", "id")
	if id = strings.TrimSpace(id); code != 0 {
		t.Fatal(stderr)
	}
	corrects := script(t, `if grep -q '^#! .*confidence must be at most 1' "$1"; then sed -i.bak s/7/0.7/ "$1"; else sed -i.bak s/0.8/7/ "$1"; fi; rm -f "$1.bak"`)
	if stdout, output := typing(t, append(environ, "EDITOR="+corrects), "", "decision", "edit",
		id); !strings.Contains(stdout, "revision 1: confidence") {
		t.Errorf("a corrected text: %s%s", stdout, output)
	}
	givesUp := script(t, `sed -i.bak 's/confidence: .*/confidence: 7/' "$1"; rm -f "$1.bak"`)
	if stdout, output := typing(t, append(environ, "EDITOR="+givesUp), "", "decision", "edit", id); stdout != "" ||
		!strings.Contains(output, "confidence must be at most 1") || !strings.Contains(output, "the text is saved in") {
		t.Errorf("an abandoned text: %s%s", stdout, output)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "nomograph-decision-*.yaml")); len(left) != 1 {
		t.Errorf("got the files %v, want the abandoned text", left)
	}
}

func TestDecisionOpen_PrintsThePageOfTheDecision(t *testing.T) {
	g := graphtest.New(t)
	environ := g.Environ(t)
	at, _ := atAddress(t, environ)
	address := strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/mcp")
	id, _, _ := graphtest.Run(t, environ, nil, graphtest.Binary(t), "decision", "log", "Use a queue", "--category",
		"process", "--confidence", "0.8", "--field", "id")
	id = strings.TrimSpace(id)
	page, stderr, code := graphtest.Run(t, append(environ, "NOMOGRAPH_HTTP="+address), nil, graphtest.Binary(t),
		"decision", "open", id[:5], "--print")
	if code != 0 || !strings.HasPrefix(page, "http://"+address+"/decisions/"+id+"?open=") {
		t.Errorf("exit %d, %s%s", code, page, stderr)
	}
	if _, stderr, code := graphtest.Run(t, append(environ, "NOMOGRAPH_HTTP="+address), nil, graphtest.Binary(t),
		"decision", "open", "ffffffff", "--print"); code != 3 || !strings.Contains(stderr, "not found") {
		t.Errorf("an unknown decision: exit %d, %s", code, stderr)
	}
}

func TestDecisionLink_TypeWithDashes_IsAccepted(t *testing.T) {
	g := graphtest.New(t)
	var ids []string
	for _, text := range []string{"Use a queue", "Keep the orders in PostgreSQL"} {
		id, _, _ := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "decision", "log", text, "--category",
			"process", "--confidence", "0.8", "--field", "id")
		ids = append(ids, strings.TrimSpace(id))
	}
	if stdout, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "decision", "link", ids[0],
		ids[1], "--type", "depends-on", "-o", "json"); code != 0 || !strings.Contains(stdout, `"depends_on"`) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}
