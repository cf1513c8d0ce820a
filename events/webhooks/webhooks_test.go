package webhooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/events/webhooks"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/internal/webhook"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// request is what a receiver got.
type request struct {
	path, body, id string
	verified       error
	header         http.Header
}

// receiver serves addresses of webhooks. Each request is in got; status answers later ones.
func receiver(t *testing.T) (url string, got chan request, status *atomic.Int64) {
	t.Helper()
	got, status = make(chan request, 100), &atomic.Int64{}
	status.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(int(status.Load()))
		got <- request{r.URL.Path, string(body), r.Header.Get("Webhook-Id"),
			webhook.Verify([]string{secret}, r.Header, body, time.Now(), time.Minute), r.Header}
	}))
	t.Cleanup(server.Close)
	return server.URL, got, status
}

// configure writes the file of webhooks.
func configure(t *testing.T, env *tools.App, text string, values ...any) {
	t.Helper()
	env.Webhooks.Path = filepath.Join(t.TempDir(), "webhooks.yaml")
	graphtest.OK(t, os.WriteFile(env.Webhooks.Path, fmt.Appendf(nil, text, values...), 0o600))
}

// run sends until the returned function is called, and waits until the webhooks follow the feed.
func run(t *testing.T, g *graphtest.Graph, env *tools.App, names int64) (stop func()) {
	t.Helper()
	env.Webhooks.SetTick(50 * time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		env.Webhooks.Run(ctx)
	}()
	toolstest.Eventually(t, g, "MATCH (w:SYS_Webhook) WHERE w.position IS NOT NULL RETURN count(w) AS n", names)
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// bar makes a threshold that is recorded in the history.
func bar(t *testing.T, g *graphtest.Graph, env *tools.App) {
	t.Helper()
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'bar', value: 0.5})", nil)
	graphtest.Must(env.History.Sync(t.Context()))(t)
}

// set changes the threshold bar.
func set(t *testing.T, env *tools.App, value float64) {
	t.Helper()
	graphtest.Must(env.Change.SetThreshold(t.Context(),
		change.ThresholdChange{Name: "bar", Value: policies.ValueOf(value),
			Reason: "two <failed> & more", By: "ann", Confirm: true}))(t)
}

// act makes one event of each type that webhooks send by default.
func act(t *testing.T, env *tools.App) {
	t.Helper()
	must := func(_ any, err error) {
		t.Helper()
		graphtest.OK(t, err)
	}
	must(env.Sessions.Report(t.Context(), sessions.Report{Action: "rocket.launch",
		Params: graph.Parameters{"token": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"},
		Caller: sessions.Caller{By: "bo"}}))
	must(env.Proposals.Propose(t.Context(), proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}},
		Reason: "Two failed", By: "bo"}))
	set(t, env, 0.7)
	must(env.Change.Freeze(t.Context(), "agent", change.Freeze{Name: "bo", Reason: "it deleted a table", By: "ann"}))
	for i := range 5 {
		d := toolstest.Record(t, env, decisions.Record{Decision: fmt.Sprint("Move ", i), Category: "architecture",
			Stakes: "high", Confidence: 0.9, ExtraFields: decisions.ExtraFields{ForceReason: "it has to be"}})
		toolstest.Review(t, env, d.ID, "failure")
	}
}

func TestRun_EachFormat_ReceivesEveryEventOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyShipped(t, g, "core")
	bar(t, g, env)
	address, got, _ := receiver(t)
	t.Setenv("HOOK_URL", address+"/chat/T0/B0/XXXX")
	own := filepath.Join(t.TempDir(), "own.tmpl")
	graphtest.OK(t, os.WriteFile(own, []byte(`{"card": {{json .Title}}, "by": {{json .Name}}}`), 0o600))
	configure(t, env, `
site: https://nomograph.example.org/
webhooks:
  - {name: signed, url: "%[1]s/signed", secret: %[2]q}
  - {name: chat, url: "${HOOK_URL}", format: slack}
  - {name: phone, url: "%[1]s/prefix/topic-1", format: ntfy, token: tk_123}
  - {name: own, url: "%[1]s/own", format: %[3]q, events: [threshold]}
  - {name: elsewhere, url: "%[1]s/elsewhere", format: slack, project: acme/other, events: [approval.requested]}`, address,
		secret, own)
	run(t, g, env, 5)
	act(t, env)
	want := map[string][]string{
		"/signed": {`"type": "approval.requested"`, `"type": "proposal.opened"`, `"type": "threshold.changed"`,
			`"type": "agent.frozen"`, `"type": "breaker.opened"`},
		"/chat/T0/B0/XXXX": {`*Approval needed: rocket.launch*`, `*Proposed: `, `two &lt;failed&gt; &amp; more`,
			`is frozen by ann since`, `*Circuit breaker `},
		"/prefix/": {`"topic": "topic-1", "title": "Approval needed: rocket.launch"`, `"Proposed: `,
			`"click": "https://nomograph.example.org/threshold?name=bar"`, `"priority": 4`, `/breakers`},
		"/own": {`{"card": "Threshold bar changed", "by": "own"}`},
	}
	left := 0
	for _, texts := range want {
		left += len(texts)
	}
	for received := map[string]int{}; left > 0; left-- {
		r := graphtest.Receive(t, "a request", got)
		texts, at := want[r.path], received[r.path]
		if received[r.path]++; at >= len(texts) {
			t.Fatalf("%s: got a request too many: %s", r.path, r.body)
		}
		for name, wrong := range map[string]bool{
			"not JSON":              !json.Valid([]byte(r.body)),
			"without " + texts[at]:  !strings.Contains(r.body, texts[at]),
			"with a secret":         strings.Contains(r.body, "ghp_"),
			"without an id":         !strings.HasPrefix(r.id, "msg_"),
			"wrongly signed":        (r.verified == nil) != (r.path == "/signed"),
			"with a token it lacks": (r.header.Get("Authorization") == "Bearer tk_123") != (r.path == "/prefix/"),
		} {
			if wrong {
				t.Errorf("%s is %s: %s", r.path, name, r.body)
			}
		}
	}
}

// TestRun_ReceiverFails_DeliversLater: a failed delivery is kept and does not delay the next event; resending sends it
// with the same id; after a stop, events of the meantime are sent, and none twice.
func TestRun_ReceiverFails_DeliversLater(t *testing.T) {
	g, env := toolstest.Open(t)
	bar(t, g, env)
	address, got, status := receiver(t)
	configure(t, env, `webhooks: [{name: ops, url: "%s/secret-path", secret: %q, events: [threshold.changed]}]`,
		address,
		secret)
	stop := run(t, g, env, 1)
	state := func() webhooks.Webhook {
		t.Helper()
		list, err := env.Webhooks.Webhooks(t.Context(), webhooks.ListQuery{})
		if err != nil || list.Total != 1 {
			t.Fatal(list, err)
		}
		return list.Webhooks[0]
	}
	status.Store(http.StatusServiceUnavailable)
	set(t, env, 0.6)
	lost := graphtest.Receive(t, "the first attempt", got)
	graphtest.Until(t, "the failed delivery", func() bool { return state().Waiting == 1 })
	status.Store(http.StatusGone)
	set(t, env, 0.7)
	graphtest.Receive(t, "the second event", got)
	graphtest.Until(t, "a dead delivery", func() bool { return state().Dead == 1 })
	s := state()
	if len(s.Failed) != 2 || s.Failed[1].Error != "HTTP 503" || s.Failed[1].DeliveryID != lost.id || !s.Running ||
		s.Failed[0].NextAt != nil || strings.Contains(fmt.Sprint(s), "secret-path") {
		t.Errorf("got %+v, want two failed deliveries without the address", s)
	}
	status.Store(http.StatusOK)
	golden.Equal(t, "due", graphtest.Must(env.Webhooks.Resend(t.Context(), webhooks.Resending{Name: "ops"}))(t).Due, 2)
	ids := map[string]bool{}
	for range 2 {
		ids[graphtest.Receive(t, "the delivery sent again", got).id] = true
	}
	if !ids[lost.id] {
		t.Errorf("got ids %v, want %s included", ids, lost.id)
	}
	graphtest.Until(t, "no failed delivery", func() bool { s := state(); return s.Waiting+s.Dead == 0 })
	if s := state(); s.DeliveredAt == nil || len(s.Failed) != 0 {
		t.Errorf("got %+v, want a time of delivery", s)
	}
	stop()
	set(t, env, 0.8)
	run(t, g, env, 1)
	set(t, env, 0.9)
	for _, want := range []string{"0.8", "0.9"} {
		golden.Contains(t, "the body", graphtest.Receive(t, "an event of the meantime", got).body, want)
	}
	if len(got) > 0 {
		t.Errorf("got %v, want no other request", <-got)
	}
}

// TestRun_TemplateWithoutField_KeepsTheEvent: the list says what is wrong, and later events are sent.
func TestRun_TemplateWithoutField_KeepsTheEvent(t *testing.T) {
	g, env := toolstest.Open(t)
	bar(t, g, env)
	address, got, _ := receiver(t)
	own := filepath.Join(t.TempDir(), "own.tmpl")
	graphtest.OK(t, os.WriteFile(own, []byte(`{"action": {{json .Approval.Action}}}`), 0o600))
	configure(t, env, `webhooks: [{name: ops, url: "%s", format: %q}]`, address, own)
	run(t, g, env, 1)
	set(t, env, 0.6)
	graphtest.Must(env.Sessions.Report(t.Context(), sessions.Report{Action: "rocket.launch",
		Caller: sessions.Caller{By: "bo"}}))(t)
	golden.Equal(t, "the body", graphtest.Receive(t, "the approval", got).body, `{"action": "rocket.launch"}`)
	list, err := env.Webhooks.Webhooks(t.Context(), webhooks.ListQuery{})
	if err != nil || list.Webhooks[0].Dead != 1 ||
		!strings.Contains(list.Webhooks[0].Failed[0].Error, "cannot be filled in") {
		t.Fatalf("got %+v, %v, want one dead delivery", list, err)
	}
	graphtest.Must(env.Webhooks.Resend(t.Context(), webhooks.Resending{Name: "ops"}))(t)
	golden.Contains(t, "the body", graphtest.Receive(t, "the change", got).body, `"type": "threshold.changed"`)
}

// TestRun_TwoServers_SendEachEventOnce runs two servers on one graph.
func TestRun_TwoServers_SendEachEventOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	bar(t, g, env)
	address, got, _ := receiver(t)
	text := `webhooks: [{name: ops, url: "%s", secret: %q, events: [threshold.changed]}]`
	configure(t, env, text, address, secret)
	second := toolstest.App(t, g.DB)
	configure(t, second, text, address, secret)
	run(t, g, env, 1)
	run(t, g, second, 1)
	const changes = 20
	for i := range changes {
		set(t, env, 0.01*float64(i+1))
	}
	seen := map[string]bool{}
	for range changes {
		seen[graphtest.Receive(t, "a change", got).id] = true
	}
	if len(seen) != changes || len(got) > 0 {
		t.Errorf("got %d different and %d more, want %d and 0", len(seen), len(got), changes)
	}
}

func TestWebhooks_InvalidFile_NamesTheProblemWithoutSecrets(t *testing.T) {
	_, env := toolstest.Open(t)
	for name, tt := range map[string]struct{ text, problem string }{
		"no address": {`{name: a, secret: "` + secret + `"}`, "does not begin with https://"},
		"no TLS": {`{name: a, url: "http://example.org/SECRET", format: slack}`,
			"does not begin with https://"},
		"another scheme": {`{name: a, url: "file:///SECRET", format: slack}`, "does not begin with https://"},
		"no secret":      {`{name: a, url: "https://example.org"}`, "it has no secret"},
		"a short secret": {`{name: a, url: "https://example.org", secret: whsec_SECRET}`, "at least 24 bytes"},
		"no variable":    {`{name: a, url: "${NOT_SET_ANYWHERE}", format: slack}`, "which is not set"},
		"no format":      {`{name: a, url: "https://example.org", format: teams}`, "its format is not"},
		"no template":    {`{name: a, url: "https://example.org", format: none.tmpl}`, "its format is not"},
		"no such event": {`{name: a, url: "https://example.org", format: slack, events: [threshold.set]}`,
			"Unknown event type"},
		"no topic": {`{name: a, url: "https://ntfy.example.org/SECRET/", format: ntfy}`,
			"does not end with a topic"},
		"no such file": {`{name: a, url_file: none, format: slack}`, "cannot be read"},
	} {
		configure(t, env, "webhooks: [%s]", tt.text)
		list, err := env.Webhooks.Webhooks(t.Context(), webhooks.ListQuery{})
		if err != nil || !strings.Contains(list.Webhooks[0].Problem, tt.problem) ||
			strings.Contains(fmt.Sprint(list), "SECRET") {
			t.Errorf("%s: got %+v, %v, want %q", name, list, err, tt.problem)
		}
		if _, err := env.Webhooks.Test(t.Context(), webhooks.Selection{Name: "a"}); !apperr.Is(err, apperr.Validation) {
			t.Errorf("%s: got %v, want %s", name, err, apperr.Validation)
		}
	}
	for _, text := range []string{"webhooks: [{name: SECRET", "webhooks: [{name: a, adress: SECRET}]",
		"webhooks: [{name: a}, {name: a}]", "hooks: []"} {
		configure(t, env, "%s", text)
		if _, err := env.Webhooks.Webhooks(t.Context(), webhooks.ListQuery{}); !apperr.Is(err, apperr.Validation) ||
			strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v, want %s without the text", text, err, apperr.Validation)
		}
	}
}

func TestTest_Receivers_ReportTheirStatus(t *testing.T) {
	_, env := toolstest.Open(t)
	address, got, status := receiver(t)
	configure(t, env, `webhooks: [{name: ops, url: "%s", secret: %q}, {name: down, url: "http://127.0.0.1:1/SECRET", format: slack}]`,
		address, secret)
	golden.Equal(t, "status", graphtest.Must(env.Webhooks.Test(t.Context(), webhooks.Selection{Name: "ops"}))(t).Status,
		200)
	if r := graphtest.Receive(t, "the test message", got); r.verified != nil ||
		!strings.Contains(r.body, "Test of the webhook ops") {
		t.Errorf("got %+v, want a signed message", r)
	}
	status.Store(http.StatusFound) // a redirect is not followed
	for name, code := range map[string]apperr.Code{"ops": apperr.Unavailable, "down": apperr.Unavailable,
		"none": apperr.NotFound} {
		if _, err := env.Webhooks.Test(t.Context(), webhooks.Selection{Name: name}); !apperr.Is(err, code) ||
			strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v, want %s", name, err, code)
		}
	}
	if _, err := env.Webhooks.Resend(t.Context(), webhooks.Resending{Name: "ops", DeliveryID: "msg_0"}); !apperr.Is(err,
		apperr.NotFound) {
		t.Errorf("got %v, want %s", err, apperr.NotFound)
	}
}
