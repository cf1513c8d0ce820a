package hooks_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"nomograph/hooks"
	"nomograph/internal/golden"
	"nomograph/policies/check"
)

// techniques are lists of commands in testdata/techniques, each with commands to stop and harmless ones of the same
// form.
var techniques = []string{"obfuscated", "exfiltration", "persistence", "channels", "indirect", "footholds", "inputs",
	"replaced"}

// lists returns the names of all lists: our own files in testdata, and the labeled actions.
func lists() []string {
	names := []string{"passed", "stopped"}
	for _, technique := range techniques {
		names = append(names, "techniques/"+technique+"-passed", "techniques/"+technique+"-stopped")
	}
	return append(names, "labeled/honest", "labeled/harmful", "labeled/boundary")
}

// line is a line of a list, with the effects that the parser finds and the verdict of all packs in enforce mode.
type line struct {
	labeledAction // in our own lists, only ID, Command and Cwd
	action        hooks.Action
	verdict       check.Verdict
}

// decision tells a denial from a question, which are both not allowed.
func (l line) decision() hooks.Decision {
	l.verdict.VerdictID = "none"
	v, _ := hooks.VerdictOf(l.verdict)
	return v.Decision
}

// judged holds the lists that were evaluated, because several tests read them.
var judged sync.Map

// judge evaluates the lines of a list on all processors.
func judge(t testing.TB, list string) []line {
	t.Helper()
	if lines, ok := judged.Load(list); ok {
		return lines.([]line)
	}
	var lines []line
	if name, ok := strings.CutPrefix(list, "labeled/"); ok {
		for _, l := range readLabeled(t, name) {
			lines = append(lines, line{labeledAction: l})
		}
	} else {
		for _, command := range commandsOf(t, list+".txt") {
			sum := sha256.Sum256([]byte(command))
			lines = append(lines, line{labeledAction: labeledAction{ID: base64.RawURLEncoding.EncodeToString(sum[:])[:7], Command: command, Cwd: "/home/dev/project"}})
		}
	}
	rules := enforced(t)
	next, workers := make(chan *line), sync.WaitGroup{}
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for l := range next {
				l.action = l.labeledAction.action()
				l.verdict = verdictOf(t, rules, l.action)
			}
		})
	}
	for i := range lines {
		next <- &lines[i]
	}
	close(next)
	workers.Wait()
	judged.Store(list, lines)
	return lines
}

// letters abbreviate the effects in a golden file. Another effect has its whole name there.
var letters = map[string]string{"parsed": "!", "programs": "p", "reads": "r", "writes": "w", "deletes": "d",
	"reads_of": "R", "writes_of": "W", "deletes_of": "D",
	"hosts": "h", "host": "H", "flows": "f", "privileged": "s", "git": "g", "remote": "m", "code": "c",
	"resources": "x", "protections": "t", "publishes": "u",
	"installs": "i", "unresolved": "?", "secrets": "k"}

// frozen returns the line of a golden file without its id: the decision, and for each effect its letter and two
// characters of a hash.
func (l line) frozen() string {
	out := string(l.decision())
	for _, name := range slices.Sorted(maps.Keys(l.action.Params)) {
		text, _ := json.Marshal(l.action.Params[name])
		switch {
		case name == "command", name == "path", name == "url", name == "bytes": // input
		case string(text) == "[]", string(text) == "null",
			string(text) == strconv.FormatBool(name == "parsed"): // as for most commands
		default:
			sum := sha256.Sum256(text)
			out += " " + cmp.Or(letters[name], name) + base64.RawURLEncoding.EncodeToString(sum[:])[:2]
		}
	}
	return out
}

// changedEffects returns the names of the effects that differ between two frozen lines.
func changedEffects(before, after string) string {
	var names []string
	was, now := strings.Fields(before), strings.Fields(after)
	for _, effect := range slices.Concat(was, now) {
		if slices.Contains(was, effect) && slices.Contains(now, effect) {
			continue
		}
		name := effect[:len(effect)-2]
		for long, letter := range letters {
			if letter == name {
				name = long
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// label says what a list contains.
func label(list string) string {
	switch {
	case strings.HasSuffix(list, "passed"), strings.HasSuffix(list, "honest"):
		return "harmless"
	case strings.HasSuffix(list, "stopped"), strings.HasSuffix(list, "harmful"):
		return "harmful"
	}
	return "boundary"
}

// flips are the differences between golden files and now, by direction. Directions sort with the most important first.
type flips map[string][]string

// maxEffects is how many lines are shown whose effects changed and whose verdict did not.
const maxEffects = 20

func (f flips) String() string {
	var out strings.Builder
	for _, direction := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&out, "%s: %d lines\n", direction, len(f[direction]))
		for i, text := range f[direction] {
			if i == maxEffects && strings.HasPrefix(direction, "4. ") {
				fmt.Fprintf(&out, "    and %d more\n", len(f[direction])-i)
				break
			}
			out.WriteString("    " + text + "\n")
		}
	}
	return out.String()
}

// add compares a list with its golden file, and returns the text that the file should have.
func (f flips) add(list string, lines []line, frozen string) string {
	note := func(direction, text string) { f[direction] = append(f[direction], list+": "+text) }
	was, now, count := map[string]string{}, map[string]bool{}, map[hooks.Decision]int{}
	for text := range strings.Lines(frozen) {
		if id, rest, _ := strings.Cut(text, " "); id != "#" {
			was[id] = strings.TrimSpace(rest)
		}
	}
	var body strings.Builder
	for _, l := range lines {
		decision, after, before := l.decision(), l.frozen(), was[l.ID]
		count[decision]++
		body.WriteString(l.ID + " " + after + "\n")
		if now[l.ID] { // a list may repeat a line
			continue
		}
		now[l.ID] = true
		was, _, _ := strings.Cut(before, " ")
		direction := fmt.Sprintf("3. %s, %s to %s", label(list), was, decision)
		switch {
		case before == after:
			continue
		case before == "":
			direction = fmt.Sprintf("5. new, %s, %s", label(list), decision)
		case was == string(decision):
			direction = "4. same verdict, other " + changedEffects(before, after)
		case label(list) == "harmful" && decision == hooks.Allow:
			direction = "1. harmful, now passed: " + was + " to allow"
		case label(list) == "harmless" && was == string(hooks.Allow):
			direction = fmt.Sprintf("2. harmless, now stopped: allow to %s", decision)
		}
		note(direction, fmt.Sprintf("%.300q", cmp.Or(l.Command, l.Path, l.URL)))
	}
	for _, id := range slices.Sorted(maps.Keys(was)) {
		if !now[id] {
			note("6. removed, "+label(list), id+" "+was[id])
		}
	}
	return fmt.Sprintf("# %d lines: %d allow, %d ask, %d deny\n", len(lines), count[hooks.Allow], count[hooks.Ask],
		count[hooks.Deny]) + body.String()
}

// TestLists_EffectsAndVerdicts_MatchTheGoldenFiles: a difference is intended or a defect, so a failure lists the lines
// by direction.
func TestLists_EffectsAndVerdicts_MatchTheGoldenFiles(t *testing.T) {
	all, update := flips{}, os.Getenv("UPDATE_GOLDEN") != ""
	for _, list := range lists() {
		t.Run(list, func(t *testing.T) {
			path := filepath.Join("testdata", "verdicts", strings.ReplaceAll(list, "/", "-")+".txt")
			was, err := os.ReadFile(path)
			if err != nil && !update {
				t.Fatal(err)
			}
			found := flips{}
			text := found.add(list, judge(t, list), string(was))
			for direction, lines := range found {
				all[direction] = append(all[direction], lines...)
			}
			switch removed := found["6. removed, harmless"]; {
			case len(removed) > 0:
				t.Errorf("%d harmless lines were removed, which are the guard against false stops: restore them",
					len(removed))
			case update:
				golden.Check(t, path, text)
			case len(found) == 0 && text != string(was):
				t.Errorf("%s has the lines of %s in another order or number", path, list)
			}
		})
	}
	switch {
	case len(all) == 0:
	case update:
		t.Logf("Changes of the golden files:\n%s", all)
	default:
		t.Errorf("The effects or verdicts of these lines have changed. If that is meant, run: UPDATE_GOLDEN=1 go test -v ./hooks -run TestLists\n%s", all)
	}
}

func TestFlips_EachDirection_IsReported(t *testing.T) {
	denied := check.Verdict{Violations: []check.Violation{{Severity: "block"}}}
	asked := check.Verdict{Violations: []check.Violation{{Severity: "approve"}}}
	now := func(verdict check.Verdict, reads ...any) line {
		return line{labeledAction: labeledAction{ID: "1", Command: "x"},
			action:  hooks.Action{Params: map[string]any{"command": "x", "parsed": true, "reads": reads}},
			verdict: verdict}
	}
	for _, tt := range []struct {
		list, golden string
		now          []line
		want         string // direction, "" for none
	}{
		{"stopped", "1 deny\n", []line{now(denied)}, ""},
		{"stopped", "1 deny\n", []line{now(check.Verdict{Allowed: true})}, "1. harmful, now passed: deny to allow"},
		{"labeled/harmful", "1 ask\n", []line{now(check.Verdict{Allowed: true})},
			"1. harmful, now passed: ask to allow"},
		{"techniques/inputs-passed", "1 allow\n", []line{now(denied)}, "2. harmless, now stopped: allow to deny"},
		{"labeled/honest", "1 allow\n", []line{now(asked)}, "2. harmless, now stopped: allow to ask"},
		{"labeled/honest", "1 ask\n", []line{now(denied)}, "3. harmless, ask to deny"},
		{"labeled/honest", "1 deny\n", []line{now(check.Verdict{Allowed: true})}, "3. harmless, deny to allow"},
		{"stopped", "1 deny\n", []line{now(asked)}, "3. harmful, deny to ask"},
		{"labeled/boundary", "1 allow\n", []line{now(asked)}, "3. boundary, allow to ask"},
		{"stopped", "1 deny\n", []line{now(denied, "/a")}, "4. same verdict, other reads"},
		{"stopped", "1 deny rAA\n", []line{now(denied)}, "4. same verdict, other reads"},
		{"stopped", "1 deny rAA gBB\n", []line{now(denied, "/a")}, "4. same verdict, other git, reads"},
		{"stopped", "", []line{now(denied)}, "5. new, harmful, deny"},
		{"passed", "1 allow\n", nil, "6. removed, harmless"},
	} {
		found := flips{}
		text := found.add(tt.list, tt.now, "# 1 line\n"+tt.golden)
		golden.Equal(t, fmt.Sprint(tt.list, " ", tt.golden), strings.Join(slices.Sorted(maps.Keys(found)), "; "),
			tt.want)
		again := flips{}
		if again.add(tt.list, tt.now, text); len(again) > 0 {
			t.Errorf("%s, %q: got %v after an update, want none", tt.list, tt.golden, again)
		}
	}
}
