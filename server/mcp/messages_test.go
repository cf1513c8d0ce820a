package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server/mcp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// endpoint serves the default tools without a database.
func endpoint(t *testing.T) *mcp.Server {
	t.Helper()
	served := graphtest.Must(tools.Select(tools.Catalog, []string{"default"}))(t)
	return mcp.New(toolstest.App(t, toolstest.Unavailable(t)).Runner(),
		mcp.Options{Version: "test", Operations: served, Log: zerolog.Nop()})
}

// stdioAnswers sends a line after the negotiation of a revision and returns the other lines that are answered.
func stdioAnswers(t *testing.T, d *mcp.Server, revision, line string) []string {
	t.Helper()
	const marker = `"first"`
	in := `{"jsonrpc":"2.0","id":` + marker + `,"method":"initialize","params":{"protocolVersion":"` + revision +
		`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	var out bytes.Buffer
	graphtest.OK(t, d.ServeStdio(t.Context(), strings.NewReader(in+"\n"+line+"\n"), &out))
	var answers []string
	for answer := range strings.Lines(out.String()) {
		if answer = strings.TrimSpace(answer); !strings.Contains(answer, marker) {
			answers = append(answers, answer)
		}
	}
	return answers
}

// httpAnswer sends a body with a revision in its header, "" for none.
func httpAnswer(t *testing.T, d *mcp.Server, revision, body string) (status int, answer string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body)).WithContext(t.Context())
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if revision != "" {
		r.Header.Set("MCP-Protocol-Version", revision)
	}
	w := httptest.NewRecorder()
	d.HTTP().ServeHTTP(w, r)
	text := graphtest.Must(io.ReadAll(w.Body))(t)
	return w.Code, strings.TrimSpace(string(text))
}

// compacted returns compact answers, separated by spaces.
func compacted(t *testing.T, answers []string) string {
	t.Helper()
	parts := make([]string, len(answers))
	for i, answer := range answers {
		parts[i] = compact(t, answer)
	}
	return strings.Join(parts, " ")
}

// compact returns the id and what is left of an answer: "ok", or the code of the error.
func compact(t *testing.T, answer string) string {
	t.Helper()
	var one struct {
		ID    json.RawMessage `json:"id"`
		Error *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if strings.HasPrefix(answer, "[") {
		var all []json.RawMessage
		if err := json.Unmarshal([]byte(answer), &all); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		parts := make([]string, len(all))
		for i, part := range all {
			parts[i] = string(part)
		}
		return "[" + compacted(t, parts) + "]"
	}
	if err := json.Unmarshal([]byte(answer), &one); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	if one.Error == nil {
		return string(one.ID) + " ok"
	}
	if strings.Contains(one.Error.Message, "json:") || strings.Contains(one.Error.Message, "Go ") ||
		strings.Contains(one.Error.Message, "strconv") {
		t.Errorf("the message is Go's: %s", one.Error.Message)
	}
	code, _ := json.Marshal(one.Error.Code)
	return string(one.ID) + " " + string(code)
}

func TestRequest_EveryID_ReturnsAsItCame(t *testing.T) {
	d := endpoint(t)
	for _, id := range []string{
		`0`, `1`, `-7`, `9007199254740992`,
		// https://github.com/can1357/oh-my-pi/pull/7107
		`9007199254740993`, `-9007199254740993`, `18446744073709551615`,
		`123456789012345678901234567890`,
		`1.0`, `1e3`, // languages without integers
		`"a"`, `""`, `"9007199254740993"`, `"1"`, // https://github.com/modelcontextprotocol/python-sdk/issues/961
		`"0b2f5f2e-6b7f-4d43-9b86-9d0f5e3ea9a7"`, `"é 日本"`, `"a\"b\\c"`, `"\u0041"`, `"as-written::1"`,
		`"as-written:3:1"`,
	} {
		request := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
		call := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"no_such_tool","arguments":{}}}`
		for _, revision := range []string{"2024-11-05", "2025-11-25"} {
			if got := stdioAnswers(t, d, revision, request); len(got) != 1 || compact(t, got[0]) != id+" ok" {
				t.Errorf("stdio %s: got %v, want the id %s", revision, got, id)
			}
		}
		if got := stdioAnswers(t, d, "2025-06-18", call); len(got) != 1 || compact(t, got[0]) != id+" -32602" {
			t.Errorf("a failure over stdio: got %v, want the id %s", got, id)
		}
		if _, got := httpAnswer(t, d, "2025-06-18", request); compact(t, got) != id+" ok" {
			t.Errorf("HTTP: got %v, want the id %s", got, id)
		}
		if _, got := httpAnswer(t, d, "2025-06-18", call); compact(t, got) != id+" -32602" {
			t.Errorf("a failure over HTTP: got %v, want the id %s", got, id)
		}
	}
}

func TestRequest_InvalidMessage_IsRefusedWithItsID(t *testing.T) {
	d := endpoint(t)
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`:      `"\ud800" -32600`,
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`:          "null -32600",
		`{"jsonrpc":"2.0","id":false,"method":"ping"}`:         "null -32600",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:          "null -32600",
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:            "null -32600",
		`{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}`: "null -32600",
		`{"jsonrpc":"2.0","id":[1],"method":"ping"}`:           "null -32600",
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:           "null -32600",
		`{"jsonrpc":"2.0","id":1e999,"method":"ping"}`:         "null -32600",
		`5`:                        "null -32600",
		`"ping"`:                   "null -32600",
		`null`:                     "null -32600",
		`{"jsonrpc":"2.0"`:         "null -32700",
		`{"id":7,"method":"ping"}`: "7 -32600",
		`{"jsonrpc":"1.0","id":9007199254740993,"method":"ping"}`:                                                            "9007199254740993 -32600",
		`{"jsonrpc":"2.0","id":7,"method":5}`:                                                                                "7 -32600",
		`{"jsonrpc":"2.0","id":7,"method":null}`:                                                                             "7 -32600",
		`{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}`:                                                               "7 -32600",
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}`:                                                               "7 -32602",
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":5}`:                                                                "7 -32602",
		`{"jsonrpc":"2.0","id":7,"method":"no/such"}`:                                                                        "7 -32601",
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}`:                                                 "7 -32602",
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":["x"],"arguments":{}}}`:                              "7 -32602",
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":7}}`:                                              "7 -32602",
		`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"x","arguments":["a"]}}`:                            "7 -32602",
		`{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":"x","argument":{}}}`:                         "7 -32602",
		`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":5}}`:                                               "7 -32602",
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"log_decision","arguments":{"decision":"x\ud800"}}}`: "7 -32600",
	} {
		if got := stdioAnswers(t, d, "2025-06-18", message); len(got) != 1 || compact(t, got[0]) != want {
			t.Errorf("stdio: %s: got %v, want %s", message, got, want)
		}
		if _, got := httpAnswer(t, d, "2025-06-18", message); compact(t, got) != want {
			t.Errorf("HTTP: %s: got %v, want %s", message, got, want)
		}
	}
	if got := stdioAnswers(t, d, "2025-06-18", "\ufeff"+`{"jsonrpc":"2.0","id":7,"method":"ping"}`); len(got) != 1 ||
		compact(t, got[0]) != "7 ok" {
		t.Errorf("a later line with a byte order mark: got %v, want an answer", got)
	}
	// Some clients send a null id with notifications.
	if got := stdioAnswers(t, d, "2025-06-18", `{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`); len(got) != 0 {
		t.Errorf("a notification with a null id: got %v, want no answer", got)
	}
}

// TestBatch_EveryRevision_IsAnsweredOrRefused: only 2025-03-26 has batches
// (https://github.com/modelcontextprotocol/python-sdk/issues/934). Over HTTP, a client of that revision sends no
// header.
func TestBatch_EveryRevision_IsAnsweredOrRefused(t *testing.T) {
	d := endpoint(t)
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	const note = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	for _, c := range []struct{ batch, answered, refused string }{
		{"[" + ping("1") + "]", "[1 ok]", "1 -32600"},
		{"[" + ping("1") + "," + ping(`"b"`) + "," + ping("9007199254740993") + "]",
			`[1 ok "b" ok 9007199254740993 ok]`, `[1 -32600 "b" -32600 9007199254740993 -32600]`},
		{"[" + note + "," + ping("2") + "]", "[2 ok]", "2 -32600"},
		{"[" + ping("1") + `,{"jsonrpc":"2.0","id":2,"method":"no/such"}]`, "[1 ok 2 -32601]", "[1 -32600 2 -32600]"},
		{"[" + ping("1") + `,{"jsonrpc":"2.0","id":true,"method":"ping"}]`, "[1 ok null -32600]",
			"[1 -32600 null -32600]"},
		{"[" + ping("1") + `,5,[]]`, "[1 ok null -32600 null -32600]", "[1 -32600 null -32600 null -32600]"},
		{`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool","arguments":{}}},` +
			ping("2") + "]", "[1 -32602 2 ok]", "[1 -32600 2 -32600]"},
		{`[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}},` + ping("2") + "]", "[1 -32600 2 ok]",
			"[1 -32600 2 -32600]"},
		{"[]", "null -32600", "null -32600"},
		{"[" + note + "]", "", ""},
	} {
		sorted := func(answers string) string { // the order in a batch is free
			fields := strings.Fields(strings.Trim(answers, "[]"))
			var pairs []string
			for i := 0; i+1 < len(fields); i += 2 {
				pairs = append(pairs, fields[i]+" "+fields[i+1])
			}
			return strings.Join(slices.Sorted(slices.Values(pairs)), ", ")
		}
		read := func(lines []string) string {
			parts := make([]string, len(lines))
			for i, line := range lines {
				parts[i] = strings.Trim(compact(t, line), "[]")
			}
			return sorted(strings.Join(parts, " "))
		}
		for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
			want := c.refused
			if revision == "2025-03-26" {
				want = c.answered
			}
			got := stdioAnswers(t, d, revision, c.batch)
			if read(got) != sorted(want) || strings.HasPrefix(c.answered, "[") && revision == "2025-03-26" &&
				len(got) != 1 {
				t.Errorf("stdio %s: %s: got %v, want %s", revision, c.batch, got, want)
			}
			status, answer := httpAnswer(t, d, revision, c.batch)
			if answer == "" != (want == "") || answer != "" && sorted(compact(t, answer)) != sorted(want) ||
				(status == http.StatusBadRequest) != (revision != "2025-03-26" && want != "" || c.batch == "[]") {
				t.Errorf("HTTP %s: %s: got %d %v, want %s", revision, c.batch, status, answer, want)
			}
		}
		if _, answer := httpAnswer(t, d, "", c.batch); answer != "" &&
			sorted(compact(t, answer)) != sorted(c.answered) {
			t.Errorf("HTTP without a header: %s: got %v, want %s", c.batch, answer, c.answered)
		}
	}
}

func TestBatch_Over100Messages_IsRefused(t *testing.T) {
	d := endpoint(t)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for count, want := range map[int]string{100: "1 ok", 101: "1 -32600"} {
		batch := "[" + strings.Repeat(ping+",", count-1) + ping + "]"
		want = "[" + strings.TrimSpace(strings.Repeat(want+" ", count)) + "]"
		if _, answer := httpAnswer(t, d, "2025-03-26", batch); compact(t, answer) != want {
			t.Errorf("%d messages over HTTP: got %s, want %s", count, answer, want)
		}
		if count > 100 {
			want = strings.Trim(want, "[]")
		}
		graphtest.Equal(t, compacted(t, stdioAnswers(t, d, "2025-03-26", batch)), want,
			fmt.Sprint(count, " messages over stdio"))
	}
}

// TestBatch_LimitedCaller_IsChargedForEachMessage: a batch is no way around the limits of a token.
func TestBatch_LimitedCaller_IsChargedForEachMessage(t *testing.T) {
	d := endpoint(t)
	left := 1
	who := caller.Caller{Name: "emerson", ChargeAgain: func() error {
		if left--; left < 0 {
			return apperr.New(apperr.RateLimited, "no calls are left")
		}
		return nil
	}}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("["+ping+","+ping+","+ping+"]")).
		WithContext(caller.With(t.Context(), who))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	d.HTTP().ServeHTTP(w, r)
	graphtest.Equal(t, compact(t, w.Body.String()), "[1 ok 1 ok 1 -32603]", "the answers")
}
