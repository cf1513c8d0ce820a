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
	id := printed(t, through, "decision", "log", "Use a table as the queue", "--category", "architecture",
		"--confidence", "0.8", "--reason", "analysis: Few messages", "--tags", "queue", "--field", "id")
	session(t, append(direct, "ID="+id), `
$ decision show $ID -o json
out "agent": "ada"
out "project": "acme/shop"`)
	session(t, append(through, "ID="+id), "$ decision review $ID success --actual-result 'It holds'")
	if out, asked := typing(t, through, "partial\nIt holds by day\n\n", "decision", "review", id, "--lessons",
		"Watch it"); !strings.Contains(asked, "How did decision "+id+" turn out? Use a table as the queue") ||
		!strings.Contains(asked, "outcome (success, partial, ") || !strings.Contains(out, "partial: review 2") {
		t.Errorf("%s after %s", out, asked)
	}
	session(t, append(direct, "ID="+id), "$ decision show $ID -o json\nout It holds by day\nout Watch it")
	if out, asked := typing(t, through, "\x04", "decision", "review", id); !strings.Contains(asked,
		"declined, so nothing was written") || out != "" {
		t.Errorf("without an answer: %s after %s", out, asked)
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
	session(t, append(through, "URL="+url), `
$ policy check Deploy --stakes high --confidence 0.4 # 5
out denied
$ verdict list --project acme/shop --field description
out Deploy\n
$ context
out acme
$ exec --name claim_promotion_confidence -- printenv CLAIM_PROMOTION_CONFIDENCE
= 0.9
$ call no_tool '{}' # 3
err Operation 'no_tool' not found
$ decision log Once --category process --confidence 0.5 --reason analysis:x --request-key one
out Once
$ decision log Once --category process --confidence 0.5 --reason analysis:x --request-key one -o json
out "repeated": true
$ policy apply core --url $URL
out core 1.
$ threshold get x --uri bolt://127.0.0.1:1 # 4
err No Neo4j answers
$ threshold get x --uri bolt://127.0.0.1:1 --url $URL # 2
err use one of them
$ threshold get x --url http://127.0.0.1:1 # 4
err Cannot reach
$ policy check Deploy -o json --url http://127.0.0.1:1 # 4
err "allowed": false
$ threshold get x --url 127.0.0.1:1 # 2
err Use an address such as https://
$ threshold get x --token-env NOT_SET_ANYWHERE # 2
err NOT_SET_ANYWHERE
$ engine status # 2
err The server comes from the environment
$ doctor # 2
err so it cannot use a server
$ serve # 2
err so it cannot use a server
$ export # 2
err so it cannot use a server
$ import archive x # 2
err so it cannot use a server
$ demo # 2
err so it cannot use a server
$ version --field version`)
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
	graphtest.OK(t, err)
	graphtest.Must(io.WriteString(terminal, typed))(t)
	text, _ := io.ReadAll(terminal) // reading ends with an error when nobody writes any more
	_ = cmd.Wait()
	return out.String(), string(text)
}

var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// TestRemote_Token_NamesTheCaller: the token comes from the environment, and is sent only to the configured server.
func TestRemote_Token_NamesTheCaller(t *testing.T) {
	g := withPacks(t)
	url, _ := atAddress(t, g.Environ(t), "--auth")
	secret := printed(t, g.Environ(t), "token", "create", "release-bot", "--permissions", "read,decide", "--field",
		"token")
	c := newClone(t)
	session(t, append(graphtest.BareEnviron(t), "AT=NOMOGRAPH_URL="+url, "URL="+url, "TOKEN="+secret), `
$ $AT threshold get claim_promotion_confidence --value # 1
err Set NOMOGRAPH_TOKEN
$ $AT NOMOGRAPH_TOKEN=$TOKEN threshold get claim_promotion_confidence --value
= 0.9
$ $AT OURS=$TOKEN threshold get claim_promotion_confidence --value --token-env OURS
= 0.9
$ $AT NOMOGRAPH_TOKEN=nmg_wrong threshold get claim_promotion_confidence # 1
err not valid
$ $AT NOMOGRAPH_TOKEN=$TOKEN threshold set claim_promotion_confidence 0.8 --reason test # 1
err needs the permission govern
not $TOKEN
$ $AT NOMOGRAPH_TOKEN=$TOKEN NOMOGRAPH_AGENT=ada policy check Deploy --field agent_id
= release-bot
$ $AT NOMOGRAPH_TOKEN=$TOKEN policy check Deploy --agent ada # 2
err leave it out
not $TOKEN
$ NOMOGRAPH_URL=http://127.0.0.1:1 NOMOGRAPH_TOKEN=$TOKEN threshold get x --url $URL # 1
err NOMOGRAPH_TOKEN
not $TOKEN
$ NOMOGRAPH_TOKEN=$TOKEN threshold get x --url http://192.0.2.1:9991 # 2
err --allow-http
not $TOKEN
$ $AT policy check Deploy -o json # 1
err "allowed": false`)
	// The .env of a folder names no server until the file is trusted. A server named there does not get the user's
	// token.
	c.write(t, filepath.Join(c.dir, ".env"), "NOMOGRAPH_URL="+url+"\n", 0o600)
	c.environ = append(c.environ, "NOMOGRAPH_TOKEN="+secret, "NEO4J_URI=bolt://127.0.0.1:1")
	c.session(t, `
$ threshold get claim_promotion_confidence # 4
err with NOMOGRAPH_URL
err No Neo4j answers
$ trust`)
	if output, code := c.run(t, "threshold", "get", "claim_promotion_confidence"); code == 0 ||
		!strings.Contains(output, "remote.token from the environment is") &&
			!strings.Contains(output, "Set NOMOGRAPH_TOKEN") {
		t.Errorf("trusted: exit %d, %s", code, output)
	}
}
