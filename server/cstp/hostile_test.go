package cstp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/server/cstp"
	"nomograph/tools/toolstest"
)

const ping = `{"jsonrpc": "2.0", "method": "cstp.listGuardrails", "id": %s}`

// TestCSTP_InvalidRequest_HasNoEffect sends invalid requests. Each is answered quickly with a code of the protocol and
// has no effect.
func TestCSTP_InvalidRequest_HasNoEffect(t *testing.T) {
	g, _, d := open(t)
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	texts := strings.NewReplacer("BYTES", "\xff\xfe", "DEEP", deep, "X300", strings.Repeat("x", 300),
		"X100000", strings.Repeat("x", 100_000))
	for _, row := range golden.Rows(t, "testdata/invalid.txt") {
		body := texts.Replace(row[2])
		status, _, text := d.post("emerson", body)
		var r struct {
			ID    json.RawMessage
			Error *struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil || status != 200 || r.Error == nil ||
			strconv.Itoa(r.Error.Code) != row[0] || r.Error.Message == "" || string(r.ID) != row[1] ||
			len(text) > 20_000 {
			t.Errorf("%.120s: %d %.300s, want %s", body, status, text, row[0])
		}
	}
	graphtest.Equal(t, toolstest.Count(t, g, "MATCH (v:Verdict) RETURN count(v)"), 0, "given verdicts")
}

func TestCSTP_IDs_AreReturnedUnchanged(t *testing.T) {
	_, _, d := open(t)
	for _, id := range []string{`1`, `-7`, `1.5`, `9007199254740993`, `1e3`, `"a"`, `""`, `"1"`, `"\u00e9\n"`, `null`} {
		_, _, body := d.post("emerson", fmt.Sprintf(ping, id))
		if !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":`+id+`,"result":{`) && id != `"\u00e9\n"` {
			t.Errorf("%s: got %.100s, want not !strings.HasPrefix(body, `{\"jsonrpc\":\"2.0\",\"id\":`+id+`,\"result\":{`) && id != `\"\\u00e9\\n\"`", id, body)
		}
	}
}

func TestCSTP_BatchesAndNotifications_AreAnswered(t *testing.T) {
	g, _, d := open(t)
	check := `{"jsonrpc": "2.0", "method": "cstp.checkGuardrails", "params": {"action": {"description": "x"}}%s}`
	status, _, text := d.post("emerson", "["+strings.Join([]string{fmt.Sprintf(ping, "1"), fmt.Sprintf(check, ""),
		fmt.Sprintf(check, `, "id": 1`), `5`, `{"jsonrpc": "2.0", "method": "none"}`,
		fmt.Sprintf(check, `, "id": "z"`)}, ",")+"]")
	var all []response
	if err := json.Unmarshal([]byte(text), &all); err != nil || status != 200 || len(all) != 4 {
		t.Fatalf("got %d %s, want status=200, len(all)=4", status, text)
	}
	if all[0].ID != 1.0 || all[0].Result["count"] != 4.0 || all[1].Result["allowed"] != true ||
		all[2].Error.Code != -32600 || all[2].ID != nil || all[3].ID != "z" {
		t.Errorf("got %s, want all[0].ID=1.0, count=4.0, allowed=true, Code=-32600, all[2].ID=nil, all[3].ID=z", text)
	}
	graphtest.Equal(t, toolstest.Count(t, g, "MATCH (v:Verdict) RETURN count(v)"), 3,
		"verdicts of two calls and a notification")

	for _, body := range []string{fmt.Sprintf(check, ""), `{"jsonrpc": "2.0", "method": "none"}`,
		`[{"jsonrpc": "2.0", "method": "cstp.reindex"}, {"jsonrpc": "2.0", "method": "cstp.getDecision", "params": {"id": 5}}]`} {
		if status, _, text := d.post("emerson", body); status != 204 || text != "" {
			t.Errorf(`%s: got %d %s, want status=204, text=""`, body, status, text)
		}
	}
	if status, _, text := d.post("emerson", "["+
		strings.Repeat(fmt.Sprintf(ping, "1")+",", 10_000)+fmt.Sprintf(ping, "1")+"]"); status != 200 ||
		!strings.Contains(text, "-32600") || len(text) > 500 {
		t.Errorf("a batch of 10,001: %d %.200s", status, text)
	}
	status, header, text := d.post("hasty", "["+strings.Repeat(fmt.Sprintf(ping, "1")+",", 3)+fmt.Sprintf(ping, "2")+
		"]")
	if err := json.Unmarshal([]byte(text), &all); err != nil || status != 200 ||
		strings.Count(text, `"code":-32002`) != 2 || strings.Count(text, `"result"`) != 2 {
		t.Errorf("calls beyond the rate: %d %v %s", status, header, text)
	}
	if status, header, text = d.post("hasty", fmt.Sprintf(ping, "1")); status != 429 ||
		header.Get("Retry-After") != "7" || !strings.Contains(text, `"code":-32002`) ||
		!strings.Contains(text, `"allowed":false`) {
		t.Errorf("a request beyond the rate: %d %v %s", status, header, text)
	}
}

func TestCSTP_Unauthenticated_GetsAProtocolError(t *testing.T) {
	_, _, d := open(t)
	for name, tt := range map[string]struct {
		token, body string
		headers     []string
		status      int
		code        string
	}{
		"nobody":         {"", fmt.Sprintf(ping, "1"), nil, 401, "-32001"},
		"somebody else":  {"eve", fmt.Sprintf(ping, "1"), nil, 401, "-32001"},
		"another type":   {"emerson", fmt.Sprintf(ping, "1"), []string{"Content-Type", "text/plain"}, 415, "-32600"},
		"another coding": {"emerson", fmt.Sprintf(ping, "1"), []string{"Content-Encoding", "br"}, 415, "-32600"},
		"50 MB":          {"emerson", fmt.Sprintf(`{"jsonrpc": "2.0", "method": "cstp.ready", "id": 1, "params": {"x": "%s"}}`, strings.Repeat("x", 50<<20)), nil, 413, "-32600"},
		"a foreign origin": {"emerson", fmt.Sprintf(ping, "1"), []string{"Origin", "https://evil.example"}, 403,
			"-32009"},
	} {
		status, header, body := d.post(tt.token, tt.body, tt.headers...)
		if status != tt.status || !strings.Contains(body, `"code":`+tt.code) ||
			!strings.Contains(body, `"allowed":false`) || header.Get("Content-Type") != "application/json" {
			t.Errorf(`%s: got %d %v %.300s, want status=%v, body with %q, body with ""allowed":false", Content-Type="application/json"`, name, status, header, body, tt.status, `"code":`+tt.code)
		}
	}
	status, _, _ := graphtest.Send(t, http.DefaultClient, http.MethodGet, d.url+"/cstp", "")
	graphtest.Equal(t, status, http.StatusUnauthorized, "GET")
}

func TestCSTP_NoDatabase_Denies(t *testing.T) {
	d := serve(t, toolstest.App(t, toolstest.Unavailable(t)), cstp.Options{})
	for method, code := range map[string]int{"cstp.checkGuardrails": -32004, "cstp.queryDecisions": -32003,
		"cstp.announceIntent": -32004} {
		r := d.call("emerson", method, map[string]string{"cstp.checkGuardrails": `{"action": {"description": "x"}}`,
			"cstp.queryDecisions": `{"query": "x"}`, "cstp.announceIntent": `{"intent": "x"}`}[method])
		if r.Error == nil || r.Error.Code != code || method != "cstp.queryDecisions" &&
			r.Error.Data["allowed"] != false {
			t.Errorf(`got %s, %+v, want non-nil Error, Code=%v, not method != "cstp.queryDecisions" && r.Error.Data["allowed"] != false`, method, r.Error, code)
		}
	}
}
