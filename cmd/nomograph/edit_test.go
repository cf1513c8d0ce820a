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
	graphtest.OK(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
	return path
}

func TestDecisionEdit_ChangedAndUnchangedText_BehaveAsInGit(t *testing.T) {
	g := graphtest.New(t)
	dir := t.TempDir()
	environ := append(g.Environ(t), "VISUAL=", "TMPDIR="+dir)
	id := printed(t, environ, "decision", "log", "Use a queue\n\nOrders wait there: none is lost.", "--category",
		"process", "--confidence", "0.8", "--reason", "analysis: it decouples", "--tags", "orders,queue", "--field",
		"id")
	environ = append(environ, "ID="+id, "SHORT="+id[:6], "COMMENTS="+script(t, `echo "# mine" >> "$1"`),
		"CHANGES="+script(t, `sed -i.bak -e 's/none is lost/none is lost twice/' -e 's/- queue/- broker/' -e 's/^# change_reason:.*/change_reason: measured/' "$1"; rm "$1.bak"`),
		"BREAKS="+script(t, `echo "tags: [a" >> "$1"`), "ADDS="+script(t, `echo "title: x" >> "$1"`),
		"FAILS="+script(t, `sed -i.bak s/0.9/0.7/ "$1"; exit 1`),
		"UPDATES="+script(t, graphtest.Binary(t)+" decision update "+id+
			` --confidence 0.6 -q >/dev/null; sed -i.bak s/0.9/0.7/ "$1"`))
	session(t, environ, `
$ EDITOR=true decision edit $SHORT
out is unchanged (revision 0)
not the text is saved in
$ EDITOR=$COMMENTS decision edit $SHORT
out (revision 0)
not the text is saved in
$ 'EDITOR=sed -i.bak s/0.8/0.9/' decision edit $SHORT
out revision 1: confidence
not the text is saved in
$ EDITOR=$CHANGES decision edit $SHORT
out revision 2: decision, tags
not the text is saved in
$ 'EDITOR=sed -i.bak s/0.9/7/' decision edit $SHORT # 2
err confidence must be at most 1
err the text is saved in
$ EDITOR=$BREAKS decision edit $SHORT # 2
err Cannot read the text: line
err the text is saved in
$ EDITOR=$ADDS decision edit $SHORT # 2
err Field 'title' of a decision cannot be edited
err the text is saved in
$ EDITOR=false decision edit $SHORT # 4
err The editor failed
not the text is saved in
$ EDITOR=no-such-editor decision edit $SHORT # 4
err The editor failed
not the text is saved in
$ EDITOR=$FAILS decision edit $SHORT # 4
err the text is saved in
$ EDITOR=$UPDATES decision edit $SHORT # 1
err is at revision 3, not 2
err the text is saved in
$ decision show $ID
out none is lost twice
out #orders #broker
out : measured
out confidence 0.6
$ decision show $ID --field title
= Use a queue
$ EDITOR=true decision edit ffffffff # 3
err not found`)
	kept := graphtest.Must(filepath.Glob(filepath.Join(dir, "nomograph-decision-*.yaml")))(t)
	graphtest.Equal(t, len(kept), 5, "kept texts")
}

func TestDecisionEdit_InvalidText_OpensAgainWithTheError(t *testing.T) {
	g := graphtest.New(t)
	dir := t.TempDir()
	environ := append(g.Environ(t), "VISUAL=", "TMPDIR="+dir)
	id := printed(t, environ, "decision", "log", "Use a queue", "--category", "process", "--confidence", "0.8",
		"--field",
		"id")
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
	environ = append(environ, "NOMOGRAPH_HTTP="+address)
	id := printed(t, environ, "decision", "log", "Use a queue", "--category", "process", "--confidence", "0.8",
		"--field",
		"id")
	if page := printed(t, environ, "decision", "open", id[:5], "--print"); !strings.HasPrefix(page,
		"http://"+address+"/decisions/"+id+"?open=") {
		t.Errorf("got the page %s", page)
	}
	session(t, environ, "$ decision open ffffffff --print # 3\nerr not found")
}

func TestDecisionLink_TypeWithDashes_IsAccepted(t *testing.T) {
	session(t, graphtest.New(t).Environ(t), `
$ decision log 'Use a queue' --category process --confidence 0.8 --field id
let QUEUE
$ decision log 'Keep the orders in PostgreSQL' --category process --confidence 0.8 --field id
let KEEP
$ decision link $QUEUE $KEEP --type depends-on -o json
out "depends_on"`)
}
