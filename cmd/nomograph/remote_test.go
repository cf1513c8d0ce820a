package main_test

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"nomograph/graph/graphtest"
)

// TestRemote_EveryCommand_AnswersAsTheDatabase compares the output of commands on the database with their output
// through a server.
func TestRemote_EveryCommand_AnswersAsTheDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := withPacks(t)
	direct := append(g.Environ(t), "NOMOGRAPH_AGENT=ada", "NOMOGRAPH_PROJECT=acme/shop")
	url, _ := atAddress(t, g.Environ(t))
	through := append(graphtest.BareEnviron(t), "NOMOGRAPH_AGENT=ada", "NOMOGRAPH_PROJECT=acme/shop", "NOMOGRAPH_URL="+
		url)
	run := func(environ []string, args ...string) (string, string, int) {
		return graphtest.Run(t, environ, nil, graphtest.Binary(t), args...)
	}
	made, output, code := run(through, "decision", "log", "Use a table as the queue", "--category", "architecture",
		"--confidence", "0.8", "--reason", "analysis: Few messages", "--tags", "queue")
	id := regexp.MustCompile(`^[0-9a-f]{8}`).FindString(made)
	if code != 0 || id == "" {
		t.Fatalf("exit %d: %s%s", code, made, output)
	}
	if text, output, _ := run(direct, "decision", "show", id, "-o", "json"); !strings.Contains(text,
		`"agent": "ada"`) || !strings.Contains(text, `"project": "acme/shop"`) {
		t.Errorf(`the stored decision: got %s%s, want text with ""agent": "ada"", text with ""project": "acme/shop""`,
			text, output)
	}
	if out, output, code := run(through, "decision", "review", id, "success", "--actual-result",
		"It holds"); code != 0 {
		t.Errorf("exit %d: %s%s", code, out, output)
	}
	if out, asked := typing(t, through, "partial\nIt holds by day\n\n", "decision", "review", id, "--lessons",
		"Watch it"); !strings.Contains(asked, "How did decision "+id+" turn out? Use a table as the queue") ||
		!strings.Contains(asked, "outcome (success, partial, ") || !strings.Contains(out, "partial: review 2") {
		t.Errorf("%s after %s", out, asked)
	}
	if text, output, _ := run(direct, "decision", "show", id, "-o", "json"); !strings.Contains(text,
		"It holds by day") || !strings.Contains(text, "Watch it") {
		t.Errorf(`the stored decision: got %s%s, want text with "It holds by day", text with "Watch it"`, text, output)
	}
	if out, asked := typing(t, through, "\x04", "decision", "review", id); !strings.Contains(asked,
		"declined, so nothing was written") || out != "" {
		t.Errorf(`an unresponsive server: got %s after %s, want asked with "declined, so nothing was written", empty out`, out, asked)
	}
	for _, line := range []string{
		"threshold get claim_promotion_confidence --value", "threshold get claim_promotion_confidence -o json",
		"threshold get no_such_thing --default 150 --value",
		"threshold get claim_promotion_confidenc", "threshold get claim_promotion_confidence --default high",
		"threshold list --limit many", "threshold list -o csv",
		"table get D10", "env --table D10", "decision show " + id, "decision list -o name", "decision graph " + id,
		"cypher RETURN\u00a01\u00a0AS\u00a0one",
	} {
		t.Run(line, func(t *testing.T) {
			args := strings.Fields(line)
			wantOut, wantSaid, wantCode := run(direct, args...)
			out, output, code := run(through, args...)
			if code != wantCode || out != wantOut || ids.ReplaceAllString(output,
				"ID") != ids.ReplaceAllString(wantSaid, "ID") {
				t.Errorf("exit %d (want %d)\n%s%s\nwant\n%s%s", code, wantCode, out, output, wantOut, wantSaid)
			}
		})
	}
	for _, tt := range []struct {
		line, stdout, stderr string
		code                 int
	}{
		{"policy check Deploy --stakes high --confidence 0.4", "denied", "", 5},
		{"verdict list --project acme/shop --field description", "Deploy\n", "", 0},
		{"context", "acme", "", 0},
		{"exec --name claim_promotion_confidence -- printenv CLAIM_PROMOTION_CONFIDENCE", "0.9\n", "", 0},
		{"call no_tool {}", "", "Operation 'no_tool' not found", 3},
		{"decision log Once --category process --confidence 0.5 --reason analysis:x --request-key one", "Once", "", 0},
		{"decision log Once --category process --confidence 0.5 --reason analysis:x --request-key one -o json",
			`"repeated": true`, "", 0},
		{"policy apply core --url " + url, "core 1.", "", 0},
		{"threshold get x --uri bolt://127.0.0.1:1", "", "No Neo4j answers", 4},
		{"threshold get x --uri bolt://127.0.0.1:1 --url " + url, "", "use one of them", 2},
		{"threshold get x --url http://127.0.0.1:1", "", "Cannot reach", 4},
		{"policy check Deploy -o json --url http://127.0.0.1:1", "", `"allowed": false`, 4},
		{"threshold get x --url 127.0.0.1:1", "", "Use an address such as https://", 2},
		{"threshold get x --token-env NOT_SET_ANYWHERE", "", "NOT_SET_ANYWHERE", 2},
		{"engine status", "", "The server comes from the environment", 2},
		{"doctor", "", "so it cannot use a server", 2},
		{"serve", "", "so it cannot use a server", 2},
		{"export", "", "so it cannot use a server", 2},
		{"import archive x", "", "so it cannot use a server", 2},
		{"demo", "", "so it cannot use a server", 2},
		{"version --field version", "", "", 0},
	} {
		out, output, code := run(through, strings.Fields(tt.line)...)
		if code != tt.code || !strings.Contains(out, tt.stdout) || !strings.Contains(output, tt.stderr) {
			t.Errorf("%s: exit %d (want %d)\n%s%s", tt.line, code, tt.code, out, output)
		}
	}
}

// typing runs the program at a terminal with the given input, and returns its output and the questions.
func typing(t *testing.T, environ []string, typed string, args ...string) (stdout, output string) {
	t.Helper()
	terminal, line, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer func() { _ = terminal.Close() }()
	cmd := graphtest.Command(t, graphtest.Binary(t), append(args, "-q")...)
	var out bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.Stdout = environ, t.TempDir(), line, line, &out
	err = cmd.Start()
	_ = line.Close()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(terminal, typed); err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(terminal) // reading ends with an error when nobody writes any more
	_ = cmd.Wait()
	return out.String(), string(text)
}

var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// TestRemote_Token_NamesTheCaller: the token comes from the environment, and is sent only to the configured server.
func TestRemote_Token_NamesTheCaller(t *testing.T) {
	g := withPacks(t)
	url, _ := atAddress(t, g.Environ(t), "--auth")
	secret := strings.TrimSpace(first(graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "token", "create",
		"release-bot", "--permissions", "read,decide", "--field", "token")))
	c := newClone(t)
	bare := graphtest.BareEnviron(t)
	with := func(extra ...string) []string { return append(append([]string{}, bare...), extra...) }
	for name, tt := range map[string]struct {
		environ []string
		args    string
		stdout  string
		says    string
		code    int
	}{
		"no token": {with("NOMOGRAPH_URL=" + url), "threshold get claim_promotion_confidence --value",
			"", "Set NOMOGRAPH_TOKEN", 1},
		"a token": {with("NOMOGRAPH_URL="+url, "NOMOGRAPH_TOKEN="+secret),
			"threshold get claim_promotion_confidence --value", "0.9\n", "", 0},
		"of another variable": {with("NOMOGRAPH_URL="+url, "OURS="+secret),
			"threshold get claim_promotion_confidence --value --token-env OURS", "0.9\n", "", 0},
		"a wrong token": {with("NOMOGRAPH_URL="+url, "NOMOGRAPH_TOKEN=nmg_wrong"),
			"threshold get claim_promotion_confidence", "", "not valid", 1},
		"not its right": {with("NOMOGRAPH_URL="+url, "NOMOGRAPH_TOKEN="+secret),
			"threshold set claim_promotion_confidence 0.8 --reason test", "", "needs the permission govern", 1},
		"its name": {with("NOMOGRAPH_URL="+url, "NOMOGRAPH_TOKEN="+secret, "NOMOGRAPH_AGENT=ada"),
			"policy check Deploy --field agent_id", "release-bot\n", "", 0},
		"another name": {with("NOMOGRAPH_URL="+url, "NOMOGRAPH_TOKEN="+secret),
			"policy check Deploy --agent ada", "", "leave it out", 2},
		"with another address": {with("NOMOGRAPH_URL=http://127.0.0.1:1", "NOMOGRAPH_TOKEN="+secret),
			"threshold get x --url " + url, "", "NOMOGRAPH_TOKEN", 1},
		"where others can read": {with("NOMOGRAPH_TOKEN=" + secret), "threshold get x --url http://192.0.2.1:9991",
			"", "--allow-http", 2},
		"a check that is refused": {with("NOMOGRAPH_URL=" + url), "policy check Deploy -o json", "", `"allowed": false`,
			1},
	} {
		out, output, code := graphtest.Run(t, tt.environ, nil, graphtest.Binary(t), strings.Fields(tt.args)...)
		if code != tt.code || out != tt.stdout && tt.stdout != "" || !strings.Contains(output, tt.says) ||
			strings.Contains(out+output, secret) {
			t.Errorf("%s: exit %d (want %d)\n%s%s", name, code, tt.code, out, output)
		}
	}
	// The .env of a folder names no server until the file is trusted. A server named there does not get the user's
	// token.
	c.write(t, filepath.Join(c.dir, ".env"), "NOMOGRAPH_URL="+url+"\n", 0o600)
	c.environ = append(c.environ, "NOMOGRAPH_TOKEN="+secret, "NEO4J_URI=bolt://127.0.0.1:1")
	if output, code := c.run(t, "threshold", "get", "claim_promotion_confidence"); code != 4 ||
		!strings.Contains(output, "with NOMOGRAPH_URL") || !strings.Contains(output, "No Neo4j answers") {
		t.Errorf("untrusted: exit %d, %s", code, output)
	}
	if output, code := c.run(t, "trust"); code != 0 {
		t.Fatalf("exit %d: %s", code, output)
	}
	if output, code := c.run(t, "threshold", "get", "claim_promotion_confidence"); code == 0 ||
		!strings.Contains(output, "remote.token from the environment is") &&
			!strings.Contains(output, "Set NOMOGRAPH_TOKEN") {
		t.Errorf("trusted: exit %d, %s", code, output)
	}
}

func first(text, _ string, _ int) string { return text }
