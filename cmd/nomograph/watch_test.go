package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"nomograph/graph/graphtest"
)

// watched is a running `nomograph watch`.
type watched struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
}

func watch(t *testing.T, g *graphtest.Graph, args ...string) *watched {
	t.Helper()
	return watchWith(t, g.Environ(t), args...)
}

func watchWith(t *testing.T, environ []string, args ...string) *watched {
	t.Helper()
	cmd := graphtest.Command(t, graphtest.Binary(t), append([]string{"watch"}, args...)...)
	cmd.Env, cmd.Dir = environ, t.TempDir()
	stdout := graphtest.Must(cmd.StdoutPipe())(t)
	graphtest.OK(t, cmd.Start())
	w := &watched{t: t, cmd: cmd, lines: make(chan string, 100)}
	go func() {
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			w.lines <- scanner.Text()
		}
		close(w.lines)
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return w
}

func (w *watched) line() string {
	w.t.Helper()
	select {
	case line, open := <-w.lines:
		if !open {
			w.t.Fatal("the program ended")
		}
		return line
	case <-time.After(2 * time.Minute):
		w.t.Fatal("nothing was printed")
	}
	return ""
}

// interrupt ends the command as Ctrl-C does. It must exit with 0 and print nothing more.
func (w *watched) interrupt(signal syscall.Signal) {
	w.t.Helper()
	graphtest.OK(w.t, w.cmd.Process.Signal(signal))
	for line := range w.lines {
		w.t.Errorf("got the output %s", line)
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Errorf("after %v: %v", signal, err)
	}
}

var moment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ `)

func TestWatch_EachChange_PrintsALine(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 0.9, unit: 'share'}), (:SYS_Policy {name: 'p', active: true, rule: 'none at all'})", nil)

	t.Run("a threshold", func(t *testing.T) {
		w := watch(t, g, "threshold", "x")
		if got := w.line(); moment.ReplaceAllString(got, "") != "x 0.9" || !moment.MatchString(got) {
			t.Fatalf("got the beginning %q", got)
		}
		for _, step := range []struct{ change, line string }{
			{"MATCH (t:SYS_Threshold) SET t.value = 0.92", "x 0.9 -> 0.92"},
			{"MATCH (t:SYS_Threshold) SET t.unit = 'ratio', t.note = 'a b'", "x 0.92; version "},
			{"MATCH (t:SYS_Threshold) SET t.value = 1, t.note = null", "x 0.92 -> 1"},
			{"MATCH (t:SYS_Threshold) DETACH DELETE t", "x 1 -> (gone)"},
			{"CREATE (:SYS_Threshold {name: 'x', value: 1, unit: 'ratio'})", "x (gone) -> 1"},
			{"CREATE (:SYS_Threshold {name: 'x', value: 2})", "x 1 -> (2 SYS_Threshold nodes are called 'x')"},
			{"MATCH (t:SYS_Threshold {value: 2}) DETACH DELETE t", "x (2 SYS_Threshold nodes are called 'x') -> 1"},
		} {
			g.Exec(t, step.change, nil)
			got := moment.ReplaceAllString(w.line(), "")
			if other := strings.HasSuffix(step.line, "version "); got != step.line && !(other && strings.HasPrefix(got,
				step.line)) {
				t.Errorf("%s: %q, want %q", step.change, got, step.line)
			}
		}
		g.Exec(t, "MATCH (t:SYS_Threshold) SET t.value = 1.0", nil)
		graphtest.Contains(t, w.line(), " x 1; version ")
		w.interrupt(syscall.SIGTERM)
	})
	t.Run("a policy, for programs", func(t *testing.T) {
		w := watch(t, g, "policy", "p", "-o", "json")
		event := func() map[string]any {
			t.Helper()
			var e map[string]any
			line := w.line()
			if err := json.Unmarshal([]byte(line), &e); err != nil || e["kind"] != "policy" || e["name"] != "p" ||
				e["at"] == nil {
				t.Fatalf("the event is %s: %v", line, err)
			}
			return e
		}
		if node := event()["node"].(map[string]any); node["active"] != true ||
			node["reading"].(map[string]any)["version"] == "" {
			t.Errorf("got the beginning %v", node)
		}
		g.Exec(t, "MATCH (p:SYS_Policy) SET p.active = false", nil)
		if e := event(); e["node"].(map[string]any)["active"] != false || e["error"] != nil {
			t.Errorf("the change is %v", e)
		}
		g.Exec(t, "MATCH (p:SYS_Policy) DETACH DELETE p", nil)
		if e := event(); e["node"] != nil || e["error"].(map[string]any)["error"] != "not_found" {
			t.Errorf("the deletion is %v", e)
		}
		w.interrupt(syscall.SIGINT)
	})
	t.Run("a policy, for people", func(t *testing.T) {
		g.Exec(t, "CREATE (:SYS_Policy {name: 'p', rule: 'none'})", nil)
		w := watch(t, g, "policy", "p")
		graphtest.Equal(t, moment.ReplaceAllString(w.line(), ""), "p active=-", "beginning")
		g.Exec(t, "MATCH (p:SYS_Policy) SET p.active = true", nil)
		graphtest.Equal(t, moment.ReplaceAllString(w.line(), ""), "p active=- -> active=true", "the change")
		w.interrupt(syscall.SIGTERM)
	})
	t.Run("invalid commands fail", func(t *testing.T) {
		session(t, g.Environ(t), `
$ watch threshold none # 3
err SYS_Threshold node 'none' not found
$ NEO4J_URI=bolt://127.0.0.1:1 watch threshold x # 4
err No Neo4j answers
$ watch threshold # 2
err NAME is missing
$ watch policy a b # 2
err one argument too many
$ watch threshold x -o yaml # 2
err JSON lines with -o json
$ watch threshold x --field value # 2
err JSON lines with -o json
$ watch table x # 2
err unknown command`)
	})
}

// TestWatch_VerdictsAndDecisions_AppearOnce includes transactions that start earlier and commit later.
func TestWatch_VerdictsAndDecisions_AppearOnce(t *testing.T) {
	g := graphtest.New(t)
	create := "CREATE (:Verdict {uid: $id, at: datetime() - duration({seconds: $late}), allowed: $allowed, agent: 'ann', stakes: 'low', description: $id, objections: [], revision: 'r'})"
	verdict := func(id string, late int, allowed bool) {
		g.Exec(t, create, map[string]any{"id": id, "late": late, "allowed": allowed})
	}
	decision := "CREATE (:Decision {uid: $id, id: $id, decision: $id, title: $id, created_at: datetime(), agent: 'ann', category: 'tooling', stakes: 'low', status: 'pending'})"
	verdict("before", 1, true)
	all, denials, made := watch(t, g, "verdicts", "-q"), watch(t, g, "verdicts", "--denied", "-o", "json"),
		watch(t, g, "decisions", "-q")
	started := func(w *watched, again func(n int)) string { // the command does not report when it starts watching
		for n := range 60 {
			again(n)
			select {
			case line := <-w.lines:
				return line
			case <-time.After(time.Second):
			}
		}
		t.Fatal("nothing was printed")
		return ""
	}
	started(all, func(n int) { verdict(fmt.Sprint("warm", n), 0, true) })
	started(denials, func(n int) { verdict(fmt.Sprint("cold", n), 0, false) })
	started(made, func(n int) { g.Exec(t, decision, map[string]any{"id": fmt.Sprint("deed", n)}) })
	verdict("late", 60, false)
	verdict("last", 0, false)
	g.Exec(t, decision, map[string]any{"id": "ended"})
	shown := map[string]int{}
	for shown["last"] == 0 {
		shown[strings.Fields(all.line())[2]]++
	}
	for id, times := range shown {
		if times != 1 || id == "before" {
			t.Errorf("%s was printed %d times", id, times)
		}
	}
	graphtest.Equal(t, shown["late"], 1, "times the late commit was printed")
	for line := denials.line(); !strings.Contains(line, `"last"`); line = denials.line() {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil || v["allowed"] != false {
			t.Errorf("a denial is %s (%v)", line, err)
		}
	}
	for !strings.Contains(made.line(), "ended") {
		continue
	}
	all.interrupt(syscall.SIGTERM)
	denials.interrupt(syscall.SIGTERM)
	made.interrupt(syscall.SIGINT)
}

// TestWatch_Remote_PrintsTheSameLines compares the lines with those through a server.
func TestWatch_Remote_PrintsTheSameLines(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 0.9, unit: 'share'}), (:SYS_Threshold {name: 'y', value: 1})",
		nil)
	url, _ := atAddress(t, g.Environ(t))
	environ := append(graphtest.BareEnviron(t), "NOMOGRAPH_URL="+url)
	x, scoped, verdicts := watchWith(t, environ, "threshold", "x"),
		watchWith(t, environ, "threshold", "y", "--scope", "shop"),
		watchWith(t, environ, "verdicts", "--denied", "-o", "json", "-q")
	expect := func(w *watched, want string) {
		t.Helper()
		if line := w.line(); moment.FindString(line) == "" || moment.ReplaceAllString(line, "") != want {
			t.Errorf("it prints %s, want %s", line, want)
		}
	}
	expect(x, "x 0.9")
	expect(scoped, "y 1")
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x'}) SET t.value = 0.92", nil)
	expect(x, "x 0.9 -> 0.92")
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'y_shop', value: 2, domain_scope: 'shop'})", nil)
	expect(scoped, "y 1 -> 2")
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x'}) DETACH DELETE t", nil)
	expect(x, "x 0.92 -> (gone)")
	deny := func(n int) {
		g.Exec(t, "CREATE (:Verdict {uid: $uid, at: datetime(), allowed: false, agent: 'ann', stakes: 'low', description: 'Deploy'})", map[string]any{"uid": fmt.Sprint("v", n)})
	}
	line := ""
	for n := 0; line == ""; n++ { // the command does not report when it starts watching
		deny(n)
		select {
		case line = <-verdicts.lines:
		case <-time.After(500 * time.Millisecond):
		}
	}
	graphtest.Contains(t, line, `"allowed":false`, `"description":"Deploy"`)
	for w, signal := range map[*watched]syscall.Signal{x: syscall.SIGTERM, scoped: syscall.SIGINT} {
		w.interrupt(signal)
	}
	session(t, environ, "$ watch threshold none # 3\nerr not found")
}

// TestImportSessions_Watch_EndsWithoutError checks that stopping the watch is not a failure.
func TestImportSessions_Watch_EndsWithoutError(t *testing.T) {
	g := graphtest.New(t)
	file := filepath.Join(t.TempDir(), "talk.md")
	graphtest.OK(t, os.WriteFile(file, []byte("## User\nWhich queue do we take?\n## Assistant\nThe table outbox.\n"),
		0o600))
	cmd := graphtest.Command(t, graphtest.Binary(t), "import", "sessions", file, "--watch")
	cmd.Env, cmd.Dir = g.Environ(t), t.TempDir()
	var answer strings.Builder
	cmd.Stdout = &answer
	shown := graphtest.Must(cmd.StderrPipe())(t)
	graphtest.OK(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	output := ""
	for lines := bufio.NewScanner(shown); lines.Scan(); {
		if output += lines.Text() + "\n"; strings.HasPrefix(lines.Text(), "1 conversation: 1 new") {
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(answer.String(), "1 conversation in 1 file: 1 new") {
		t.Errorf("%v, %s%s", err, output, &answer)
	}
}
