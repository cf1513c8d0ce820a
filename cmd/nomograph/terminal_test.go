package main_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// onTerminal runs the program in a terminal with this number of columns and returns its output. The exit code must be
// 0.
func onTerminal(t *testing.T, environ []string, columns uint16, args ...string) string {
	t.Helper()
	return onTerminalExiting(t, 0, environ, columns, args...)
}

func onTerminalExiting(t *testing.T, want int, environ []string, columns uint16, args ...string) string {
	t.Helper()
	cmd := graphtest.Command(t, graphtest.Binary(t), args...)
	cmd.Env, cmd.Dir = environ, t.TempDir()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	terminal, line, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer func() { _ = terminal.Close() }()
	graphtest.OK(t, pty.Setsize(terminal, &pty.Winsize{Cols: columns, Rows: 24}))
	cmd.Stdout = line
	err = cmd.Start()
	_ = line.Close()
	graphtest.OK(t, err)
	shown, _ := io.ReadAll(terminal) // reading ends with an error when nobody writes any more
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != want {
		t.Errorf("%v: got exit code %d, want %d: %s", args, got, want, stderr.String())
	}
	return strings.ReplaceAll(string(shown), "\r\n", "\n")
}

var longProject = "team/" + strings.Repeat("shop", 30)

// longTexts returns a graph with long, hostile and wide texts, and the ids of a decision, a verdict and a session.
func longTexts(t *testing.T, g *graphtest.Graph) (decision, verdict, session, approval string) {
	t.Helper()
	long := strings.Repeat("Use PostgreSQL für die Bestellungen, 日本語のデータベース 👩‍💻 \x1b[2J\x1b]0;title\x07 \u009b31m \u202etxt.exe ", 12) + strings.Repeat("x", 300)
	call := func(want int, arguments map[string]any, operation string) (answer map[string]any) {
		t.Helper()
		text := graphtest.Must(json.Marshal(arguments))(t)
		stdout, stderr, code := graphtest.Run(t, append(g.Environ(t), "NOMOGRAPH_PROJECT="+longProject),
			bytes.NewReader(text), graphtest.Binary(t), "call", operation, "-")
		if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != want {
			t.Fatalf("%s: got exit code %d, want %d: %s%s", operation, code, want, stdout, stderr)
		}
		return answer
	}
	run := func(arguments map[string]any, operation string) map[string]any {
		t.Helper()
		return call(0, arguments, operation)
	}
	reasons := []any{map[string]any{"type": "analysis", "text": long}, map[string]any{"type": "pattern", "text": long}}
	var ids []string
	for range 2 {
		answer := run(map[string]any{"decision": long, "category": "architecture", "stakes": "high", "confidence": 0.85,
			"context": long, "reasons": reasons,
			"tags": []string{"long"}, "project": longProject, "pattern": long}, "log_decision")
		ids = append(ids, answer["id"].(string))
	}
	run(map[string]any{"source_id": ids[0], "target_id": ids[1], "edge_type": "depends_on", "context": long},
		"link_decisions")
	run(map[string]any{"id": ids[1], "outcome": "failure", "actual_result": long, "lessons": long}, "review_outcome")
	run(map[string]any{"name": "claim_promotion_confidence", "value": 0.85, "reason": long}, "set_threshold")
	checked := call(5, map[string]any{"description": long, "stakes": "high", "confidence": 0.2}, "check_action")
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'long', value: $text, unit: $text, rationale: $text}), (:SYS_Policy {name: 'long', active: true, rule: $text, message: $text})",
		map[string]any{"text": long})
	g.Exec(t, "CREATE (:Token {name: 'mia', permissions: ['govern']})", nil) // a person who can approve
	asked := call(5, map[string]any{"action": "rocket." + strings.Repeat("launch", 30),
		"params": map[string]any{"why": long}}, "cra_report_action")
	return ids[0], checked["verdict_id"].(string), asked["session_id"].(string), asked["approval_id"].(string)
}

// TestTerminal_EveryCommand_FitsTheWidth runs every reading command on a graph with long texts. No line exceeds the
// width, and no output contains a control sequence of a recorded text.
func TestTerminal_EveryCommand_FitsTheWidth(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := withPacks(t)
	toolstest.ApplyShipped(t, g, "autonomy")
	decision, verdict, session, approval := longTexts(t, g)
	names := map[string]string{"decision": decision, "verdict": verdict, "session": session, "approval": approval,
		"project": longProject, "long": strings.Repeat("long words ", 50), "exported": exported(t, g, session)}
	arguments := map[string][]string{}
	for _, row := range golden.Rows(t, "testdata/arguments.txt") {
		for _, argument := range row[1:] {
			argument = os.Expand(argument, func(name string) string { return names[name] })
			arguments[row[0]] = append(arguments[row[0]], argument)
		}
	}
	g.Exec(t, "CREATE (:Intent {uid: 'intent-1', correlation_id: 'c', agent: $long, agent_key: $long, intent: $long, stakes: 'high', at: datetime()})<-[:ON]-(:Voice {uid: 'v', agent: $long, reasons: [$long], at: datetime()})",
		map[string]any{"long": strings.Repeat("long words ", 50)})
	g.Exec(t, `CREATE (:Proposal {uid: 'proposal-1', state: 'open', proposed_by: $long, proposer: $long, reason: $long, words: [$long], created_at: datetime(), base_revision: '',
		rows: '[{"action": "update", "section": "policies", "name": "' + $long + '", "property": "message", "from": "' + $long + '", "to": "' + $long + '"}]'})`,
		map[string]any{"long": strings.Repeat("long words ", 50)})
	g.Exec(t, "CREATE (:Approval {uid: 'exception-1', state: 'granted', once: false, agent: $long, agent_key: $long, action: $long, params: '{}', rules: [$long], versions: ['v'], asked_at: datetime(), expires_at: datetime(), valid_until: datetime() + duration('P1D'), used: 0})",
		map[string]any{"long": strings.Repeat("long words ", 50)})
	documents := []string{"audit export", "atlas export", "trace export", "stats plot", "env", "policy export",
		"policy import", "policy import-rules", "verdict case",
		"history diff"} // the graph has no version as old as history diff needs
	operations, _ := tools.Operations("")
	ran := 0
	for _, o := range operations {
		if !o.Hints.ReadOnly || o.Command == "" || slices.Contains(documents, o.Command) {
			continue
		}
		ran++
		shown := onTerminal(t, g.Environ(t), 80, append(append(strings.Fields(o.Command),
			arguments[o.Command]...), "-q")...)
		if strings.TrimSpace(shown) == "" && o.Command != "decision lineage" {
			t.Errorf("%s shows nothing", o.Command)
		}
		fits(t, o.Command, shown)
	}
	for _, command := range []string{"--help", "policy --help", "decision --help", "watch threshold --help",
		"threshold get --help"} {
		fits(t, command, onTerminal(t, g.Environ(t), 80, strings.Fields(command)...))
	}
	if ran < 35 {
		t.Errorf("only %d commands were run", ran)
	}
	for _, command := range []string{"decision list --field title", "decision list -o csv", "decision list -o tsv",
		"decision list -o yaml", "decision list -o json", "threshold get long --value",
		"decision list -o wide", "policy get long -o wide", "env long"} {
		fitsTerminal(t, command, onTerminal(t, g.Environ(t), 80, append(strings.Fields(command), "-q")...))
	}
}

// exported returns the path of an exported session.
func exported(t *testing.T, g *graphtest.Graph, session string) string {
	t.Helper()
	lines := printed(t, g.Environ(t), "trace", "export", session)
	path := filepath.Join(t.TempDir(), "session.jsonl")
	graphtest.OK(t, os.WriteFile(path, []byte(lines+"\n"), 0o600))
	return path
}

var color = regexp.MustCompile(`\x1b\[(0|31|32|33)m`)

func fitsTerminal(t *testing.T, command, shown string) {
	t.Helper()
	if bad := strings.IndexAny(color.ReplaceAllString(shown, ""), "\x1b\x07\r\u009b\u202e"); bad >= 0 {
		t.Errorf("%s sends the terminal %.80q", command, color.ReplaceAllString(shown, "")[bad:])
	}
}

func fits(t *testing.T, command, shown string) {
	t.Helper()
	fitsTerminal(t, command, shown)
	for line := range strings.Lines(shown) {
		if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%s has a line of %d columns: %s", command, n, line)
		}
	}
}

// TestOutput_ColorsAndCuts_OnlyOnATerminal: people get colors and relative times, programs get whole values and RFC
// 3339 times.
func TestOutput_ColorsAndCuts_OnlyOnATerminal(t *testing.T) {
	g := withPacks(t)
	environ := g.Environ(t)
	terminal := append(slices.Clone(environ), "TERM=xterm-256color")
	run := func(args ...string) string {
		t.Helper()
		return printed(t, environ, args...)
	}
	session(t, environ, "$ policy check 'Compare <a> & <b>' --stakes high --confidence 0.2 # 5\nout denied")
	list := run("verdict", "list")
	if strings.Contains(list, "\x1b") || !regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`).MatchString(list) ||
		!regexp.MustCompile(`(?m)^[0-9a-f-]{36} `).MatchString(list) {
		t.Errorf("a file: %s", list)
	}
	if shown := onTerminal(t, terminal, 80, "verdict", "list", "-q"); !strings.Contains(shown,
		"\x1b[31mdenied\x1b[0m") || !regexp.MustCompile(`(?m)^[0-9a-f-]{13}  (now|\d+ seconds? ago)`).
		MatchString(shown) {
		t.Errorf("a terminal: %q", shown)
	}
	for _, setting := range []string{"NO_COLOR=1", "CLICOLOR=0", "TERM=dumb"} {
		if shown := onTerminal(t, append(slices.Clone(terminal), setting), 80, "verdict", "list",
			"-q"); strings.Contains(shown, "\x1b") {
			t.Errorf("%s: %q", setting, shown)
		}
	}
	graphtest.Contains(t, printed(t, append(slices.Clone(environ), "CLICOLOR_FORCE=1"), "verdict",
		"list"),
		"\x1b[31m")

	if shown := onTerminal(t, append(slices.Clone(terminal), "COLUMNS=40"), 200, "decision", "list",
		"-q"); strings.Contains(shown, strings.Repeat("x", 41)) {
		t.Errorf("COLUMNS: %q", shown)
	}
	if wide := onTerminal(t, terminal, 80, "verdict", "list", "-o", "wide", "-q"); !regexp.MustCompile(`[0-9a-f]{64}`).
		MatchString(wide) {
		t.Errorf("-o wide: %q", wide)
	}
	graphtest.Contains(t, run("verdict", "list", "-o", "json"), "Compare <a> & <b>")
	if text := run("policy", "get", "no-production-without-review", "-o", "json"); strings.Contains(text, `\u00`) ||
		!strings.Contains(text, "&&") {
		t.Errorf("JSON of a node: %s", text)
	}
	session(t, environ, "$ cypher - --field n\n< RETURN 7 AS n\n= 7")
	plot := filepath.Join(t.TempDir(), "plot.svg")
	if output := run("stats", "plot", "--out", plot); !strings.HasPrefix(output, "wrote "+plot+" (") {
		t.Errorf("stats plot --out: %s", output)
	}
	if drawn, err := os.ReadFile(plot); err != nil || !strings.HasPrefix(string(drawn), "<svg") ||
		!strings.HasSuffix(string(drawn), "</svg>\n") {
		t.Errorf("stats plot --out: %v: %.80s", err, drawn)
	}
	rows, err := csv.NewReader(strings.NewReader(run("threshold", "list", "--table", "D10", "-o", "csv"))).ReadAll()
	if err != nil || len(rows) != 4 || !slices.Equal(rows[0][:3], []string{"name", "value", "unit"}) {
		t.Errorf("CSV: %v, %v", rows, err)
	}
	session(t, environ, `
$ stats plot --out x.png # 2
err is an SVG
$ decision graph claim --out x.mmd # 3
err not found
$ threshold list --table D10 -o tsv
out name\tvalue\tunit\tdecision_table\t
out claim_promotion_confidence\t0.9\tscore\tD10\t\n
$ threshold list --table D10 -o name
= claim_promotion_confidence
= claim_promotion_confidence_ancient_person
= claim_promotion_posterior
$ table list --limit 1 -o name
= D10_DETERMINE_claim_promotion_eligibility
$ threshold get claim_promotion_confidence -o name
= claim_promotion_confidence
$ threshold list --table D10 --limit 1 --field name,value
= claim_promotion_confidence\t0.9
$ threshold list --limit 1 --field value --field name
= 2\tcircuit_critical_cooldown_hours
$ threshold get claim_promotion_confidence --field value
= 0.9
$ threshold list --table D10 --limit 1 --field scope
=
$ policy list --text none-such-at-all --field name
=
$ subject list --limit 1 --field subject_id,qid
= subj_ancient_rome\tQ1747689
$ subject list --limit 1 --field total
= 8
$ decision list --field next_cursor
=
$ threshold list --field nmae # 2
err Did you mean name
$ policy get NoTemporalFacet --field facet-key # 2
err facet_key
$ threshold list --field name,valeu # 2
err value
$ version --field nothing # 2
err It has go, system, version`)
	graphtest.Equal(t, run("cypher", "RETURN 1 AS a, 'x\ty\nz' AS b", "--field", "b,a"), `x\ty\nz`+"\t1",
		"fields of a query")
}
