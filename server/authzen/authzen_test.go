package authzen_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/server"
	"nomograph/server/authzen"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// fixture is the policy of AuthZEN's certification scenario: bob may not write record-1, only an admin writes archived
// records, and only soft deletes are allowed.
const fixture = `CREATE
	(:SYS_Policy {name: 'bob-reads', active: true, actions: ['write'], severity: 'block', message: 'Bob may only read records that are not archived',
		requires: 'action.context.subject.id != "bob" || (has(action.context.subject.properties.role) && action.context.subject.properties.role == "admin")'}),
	(:SYS_Policy {name: 'archived-is-closed', active: true, actions: ['write'], severity: 'block', message: 'Archived resources are read-only',
		applies_when: 'has(action.context.resource.properties.status) && action.context.resource.properties.status == "archived"',
		requires: 'has(action.context.subject.properties.role) && action.context.subject.properties.role == "admin"'}),
	(:SYS_Policy {name: 'soft-delete', active: true, actions: ['delete'], severity: 'block', message: 'Delete softly',
		requires: 'has(action.params.soft) && action.params.soft == true'})`

func serve(t *testing.T, env *tools.App) string {
	t.Helper()
	s := server.New(server.Options{Address: "127.0.0.1:0", Hosts: []string{"pdp.example.com"}, Log: zerolog.Nop(),
		Authenticate: func(r *http.Request) (caller.Caller, error) {
			switch r.Header.Get("Authorization") {
			case "Bearer gateway":
				return caller.Caller{Name: "gateway", Authenticated: true,
						Permissions: []caller.Permission{caller.Read}},
					nil
			case "Bearer asker":
				return caller.Caller{Name: "asker", Authenticated: true,
					Permissions: []caller.Permission{caller.Read, caller.Decide}}, nil
			case "Bearer shop":
				return caller.Caller{Name: "shop", Authenticated: true,
					Permissions: []caller.Permission{caller.Read, caller.Decide}, Projects: []string{"acme/shop"}}, nil
			case "Bearer two":
				return caller.Caller{Name: "two", Authenticated: true,
					Permissions: []caller.Permission{caller.Read, caller.Decide},
					Projects:    []string{"acme/shop", "acme/mill"}}, nil
			case "Bearer nothing":
				return caller.Caller{Name: "nothing", Authenticated: true}, nil
			}
			return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The request has no token")
		}})
	authzen.New(env.Runner()).Serve(s)
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return h.URL
}

func open(t *testing.T) (*graphtest.Graph, string) {
	t.Helper()
	g, env := toolstest.Open(t)
	g.Exec(t, fixture, nil)
	return g, serve(t, env)
}

func ask(t *testing.T, method, url, body string, headers ...string) (int, http.Header, map[string]any) {
	t.Helper()
	status, header, text := graphtest.Send(t, http.DefaultClient, method, url, body,
		append([]string{"Authorization", "Bearer gateway", "Content-Type", "application/json"}, headers...)...)
	var reply map[string]any
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		t.Errorf("%s: got %s, want no error", body, text)
	}
	return status, header, reply
}

const (
	alice    = `{"type": "user", "id": "alice"}`
	bob      = `{"type": "user", "id": "bob"}`
	admin    = `{"type": "user", "id": "bob", "properties": {"role": "admin"}}`
	record   = `{"type": "record", "id": "record-1"}`
	archived = `{"type": "record", "id": "record-2", "properties": {"status": "archived"}}`
)

func question(subject, action, resource string) string {
	return `{"subject": ` + subject + `, "action": ` + action + `, "resource": ` + resource + `}`
}

// TestEvaluations_CertificationRequests_MatchTheStandard sends the requests of AuthZEN's certification scenario, Basic
// and Batch.
func TestEvaluations_CertificationRequests_MatchTheStandard(t *testing.T) {
	_, url := open(t)
	for _, tt := range []struct {
		subject, action, resource string
		want                      bool
	}{
		{alice, `{"name": "read"}`, record, true}, {alice, `{"name": "write"}`, record, true},
		{bob, `{"name": "read"}`, record, true}, {bob, `{"name": "write"}`, record, false},
		{alice, `{"name": "write"}`, archived, false}, {admin, `{"name": "write"}`, archived, true},
		{alice, `{"name": "delete", "properties": {"soft": true}}`, record, true},
		{alice, `{"name": "delete", "properties": {"soft": false}}`, record, false},
	} {
		for range 2 { // the second call must return the same
			status, header, text := ask(t, "POST", url+"/access/v1/evaluation",
				question(tt.subject, tt.action, tt.resource), "X-Request-Id", "r-1")
			if status != 200 || text["decision"] != tt.want || header.Get("X-Request-Id") != "r-1" ||
				header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %s %s: got %d %v, want %v", tt.subject, tt.action, tt.resource, status, text, tt.want)
			}
		}
	}
	for _, more := range []string{`"context": {"time": "2025-06-27T18:03-07:00", "ip": "192.168.1.1"}`,
		`"foo": "bar", "futureField": {"nested": true}`,
		`"context": null`, `"options": null`, `"evaluations": null`, `"context": {"ip": null}`,
		`"options": {"evaluations_semantic": null}`, `"context": {"approval": null}`} {
		body := strings.TrimSuffix(question(alice, `{"name": "read"}`, record), "}") + ", " + more + "}"
		if status, _, text := ask(t, "POST", url+"/access/v1/evaluation", body); status != 200 ||
			text["decision"] != true {
			t.Errorf("%s: got %d %v, want status=200, decision=true", body, status, text)
		}
	}
	for _, bad := range []string{``, `{`, `[]`, `"x"`, `{"action": {"name": "read"}, "resource": ` + record + `}`,
		`{"subject": ` + alice + `, "resource": ` + record + `}`,
		`{"subject": ` + alice + `, "action": {"name": "read"}}`,
		question(`{"id": "alice"}`, `{"name": "read"}`, record),
		question(`{"type": "user"}`, `{"name": "read"}`, record),
		question(alice, `{}`, record), question(alice, `{"name": "read"}`, `{"id": "1"}`),
		question(alice, `{"name": "read"}`, `{"type": "record"}`),
		question(`"alice"`, `{"name": "read"}`, record), question(alice, `{"name": 123}`, record),
		question(alice, `{"name": null}`, record),
		question(alice, `{"name": "read", "properties": 5}`, record),
		question(alice, `{"name": "read", "properties": {"stakes": "huge"}}`, record),
		`{"Subject": ` + alice + `, "action": {"name": "read"}, "resource": ` + record + `}`,
		`{"subject": ` + alice + `, "subject": ` + bob + `, "action": {"name": "read"}, "resource": ` + record + `}`,
	} {
		if status, _, text := ask(t, "POST", url+"/access/v1/evaluation", bad); status != 400 ||
			text["allowed"] != false || text["decision"] != nil {
			t.Errorf("%s: got %d %v, want status=400, allowed=false, decision=nil", bad, status, text)
		}
	}
	if status, _, _ := ask(t, "POST", url+"/access/v1/evaluation", question(alice, `{"name": "read"}`, record),
		"Content-Type", "text/plain"); status != 400 {
		t.Errorf("another content type: got %d, want status=400", status)
	}
	if status, _, _ := ask(t, "POST", url+"/access/v1/evaluation", "{}", "Authorization",
		"Bearer nobody"); status != 401 {
		t.Errorf("without a token: got %d, want status=401", status)
	}
	for _, path := range []string{"/access/v1/evaluation", "/access/v1/evaluations"} {
		body := `{"subject": ` + alice + `, "action": {"name": "read"}, "resource": ` + record +
			`, "evaluations": [{}, {}]}`
		if status, _, _ := ask(t, "POST", url+path, body, "Authorization", "Bearer nothing"); status != 403 {
			t.Errorf("a caller without the read permission: got %d, want status=403", status)
		}
	}
}

func TestEvaluations_Batch_AnswersEach(t *testing.T) {
	g, url := open(t)
	for name, tt := range map[string]struct{ body, want string }{
		"defaults": {`"subject": ` + bob + `, "resource": ` + record +
			`, "evaluations": [{"action": {"name": "read"}}, {"action": {"name": "write"}}]`, "yes no"},
		"no defaults": {`"evaluations": [` + question(alice, `{"name": "read"}`, record) + `, ` +
			question(bob, `{"name": "write"}`, record) + `]`, "yes no"},
		"properties": {`"action": {"name": "write"}, "resource": ` + archived +
			`, "evaluations": [{"subject": ` + alice + `}, {"subject": ` + admin + `}]`, "no yes"},
		"whole parts": {`"subject": ` + alice + `, "action": {"name": "write"}, "resource": ` + record +
			`, "evaluations": [{}, {"resource": ` + archived + `}]`, "yes no"},
		"what is missing": {`"subject": ` + alice +
			`, "action": {"name": "read"}, "evaluations": [{"resource": ` + record + `}, {}]`, "yes error"},
		"deny on first deny": {`"subject": ` + bob + `, "resource": ` + record +
			`, "options": {"evaluations_semantic": "deny_on_first_deny"}, "evaluations": [{"action": {"name": "read"}}, {"action": {"name": "write"}}, {"action": {"name": "read"}}]`, "yes no"},
		"permit on first permit": {`"subject": ` + bob + `, "resource": ` + record +
			`, "options": {"evaluations_semantic": "permit_on_first_permit", "other": 1}, "evaluations": [{"action": {"name": "write"}}, {"action": {"name": "read"}}, {"action": {"name": "read"}}]`, "no yes"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, text := ask(t, "POST", url+"/access/v1/evaluations", "{"+tt.body+"}")
			list, _ := text["evaluations"].([]any)
			var got []string
			for _, one := range list {
				one := one.(map[string]any)
				context, _ := one["context"].(map[string]any)
				switch {
				case context["error"] != nil && one["decision"] == false:
					got = append(got, "error")
				case one["decision"] == true:
					got = append(got, "yes")
				default:
					got = append(got, "no")
				}
			}
			if status != 200 || strings.Join(got, " ") != tt.want || text["decision"] != nil {
				t.Errorf("%d %v, want %s", status, text, tt.want)
			}
		})
	}
	for _, evaluations := range []string{"", `, "evaluations": []`} {
		body := strings.TrimSuffix(question(bob, `{"name": "write"}`, record), "}") + evaluations + "}"
		if status, _, text := ask(t, "POST", url+"/access/v1/evaluations", body); status != 200 ||
			text["decision"] != false {
			t.Errorf("%s: got %d %v, want status=200, decision=false", body, status, text)
		}
	}
	for _, bad := range []string{`{"evaluations": 5}`, `{"evaluations": [5]}`,
		`{"evaluations": [{}], "options": {"evaluations_semantic": "some"}}`, `{"evaluations": [{}], "options": 5}`,
		`{"evaluations": [` + strings.Repeat("{},", 100) + `{}]}`} {
		if status, _, text := ask(t, "POST", url+"/access/v1/evaluations", bad); status != 400 {
			t.Errorf("%s: got %d %v, want status=400", bad, status, text)
		}
	}
	graphtest.Equal(t, toolstest.Count(t, g, "MATCH (v:Verdict) WHERE v.agent <> 'gateway' RETURN count(v)"), 0,
		"verdicts that name another agent than the caller")
}

var (
	changing = regexp.MustCompile(`"(verdict_id|policy_version)": "[^"]+"`)
	hash     = regexp.MustCompile(`\([0-9a-f]{64}\)`)
)

func TestEvaluation_Decision_HasAReason(t *testing.T) {
	_, url := open(t)
	_, _, body := ask(t, "POST", url+"/access/v1/evaluation",
		question(bob, `{"name": "write", "properties": {"stakes": "high"}}`, archived))
	golden.Check(t, "testdata/denied.json", hash.ReplaceAllString(changing.ReplaceAllString(toolstest.Pretty(t, body),
		`"$1": "..."`), "(version)"))
	away := serve(t, toolstest.App(t, toolstest.Unavailable(t)))
	if status, _, body := ask(t, "POST", away+"/access/v1/evaluation",
		question(alice, `{"name": "read"}`, record)); status != 503 || body["allowed"] != false ||
		body["decision"] != nil {
		t.Errorf("without a database: %d %v", status, body)
	}
	if status, _, body := ask(t, "POST", away+"/access/v1/evaluations", `{"subject": `+alice+
		`, "action": {"name": "read"}, "evaluations": [{"resource": `+record+`}]}`); status != 200 ||
		body["evaluations"].([]any)[0].(map[string]any)["decision"] != false {
		t.Errorf("without a database: %d %v", status, body)
	}
}

func TestMetadata_URLs_NameTheServer(t *testing.T) {
	_, url := open(t)
	status, _, body := ask(t, "GET", url+"/.well-known/authzen-configuration", "", "Authorization", "", "Host",
		"pdp.example.com", "X-Forwarded-Proto", "https")
	if status != 200 {
		t.Fatal(status, body)
	}
	golden.Check(t, "testdata/metadata.json", toolstest.Pretty(t, body))
}

// TestEvaluation_Denial_AllowsAnAccessRequest: only an approval lifts the denial, only for this subject, action and
// resource, and only if it is presented.
func TestEvaluation_Denial_AllowsAnAccessRequest(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'money', active: true, severity: 'approve', requires: 'false', actions: ['pay'], message: 'Money leaves'}), (:SYS_Policy {name: 'never', active: true, requires: 'false', actions: ['burn'], message: 'Never'})", nil)
	url := serve(t, env)
	asker := []string{"Authorization", "Bearer asker"}
	const pay = `{"name": "pay", "properties": {"amount": 20}}`
	evaluate := func(body string) (bool, map[string]any) {
		t.Helper()
		status, _, text := ask(t, "POST", url+"/access/v1/evaluation", body, asker...)
		if status != 200 {
			t.Fatalf("%s: got %d %v, want status=200", body, status, text)
		}
		context, _ := text["context"].(map[string]any)
		return text["decision"] == true, context
	}
	presented := func(body, approval string) string {
		return strings.TrimSuffix(body, "}") + `, "context": {"approval": {"id": "` + approval + `"}}}`
	}
	if yes, context := evaluate(question(bob, `{"name": "burn"}`, record)); yes || context["access_request"] != nil {
		t.Errorf("a forbidden action: got %v, want yes=false, access_request=nil", context)
	}
	_, context := evaluate(question(bob, pay, record))
	denial, _ := context["evaluation_id"].(string)
	if offer, _ := context["access_request"].(map[string]any); denial == "" || offer["endpoint"] != url+
		"/access/v1/requests" || offer["expires_at"] == nil || context["reason"] != "approval_required" {
		t.Fatalf("got %v, want a denial, endpoint=%v, non-nil expires_at, reason=approval_required", context, url+
			"/access/v1/requests")
	}
	submit := func(subject, id string, headers ...string) (int, map[string]any) {
		t.Helper()
		status, _, text := ask(t, "POST", url+"/access/v1/requests",
			strings.TrimSuffix(question(subject, pay, record), "}")+`, "denial": {"evaluation_id": "`+id+`"}}`,
			headers...)
		return status, text
	}
	if status, _ := submit(bob, denial); status != 403 {
		t.Errorf("a caller without the decide permission: got %d, want status=403", status)
	}
	for _, wrong := range [][2]string{{alice, denial}, {bob, "nosuch"}, {bob, ""}} {
		if status, text := submit(wrong[0], wrong[1], asker...); status != 400 {
			t.Errorf("%v: got %d %v, want status=400", wrong, status, text)
		}
	}
	status, text := submit(bob, denial, asker...)
	task, _ := text["task"].(map[string]any)
	id, _ := task["id"].(string)
	if status != 202 || task["status"] != "pending" || id == "" || task["status_endpoint"] != url+
		"/access/v1/requests/"+id {
		t.Fatalf("got %d %v, want status=202, status=pending, non-empty id, status_endpoint=%v", status, text, url+
			"/access/v1/requests/"+id)
	}
	if status, again := submit(bob, denial, asker...); status != 202 || again["task"].(map[string]any)["id"] != id {
		t.Errorf("again: %d %v", status, again)
	}
	if yes, _ := evaluate(presented(question(bob, pay, record), id)); yes {
		t.Error("a pending approval permits the action")
	}
	env.Sessions.ApprovalDelay = time.Hour
	for _, by := range []string{"Bob", "asker"} {
		_, err := env.Sessions.Approve(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: id,
			Reason: "mine", By: by}})
		toolstest.ErrorWithCode(t, err, apperr.PermissionDenied)
	}
	graphtest.Must(env.Sessions.Approve(t.Context(),
		sessions.Grant{Answer: sessions.Answer{ApprovalID: id, Reason: "It was double charged",
			By: "mia"}}))(t)
	if status, again := submit(bob, denial, asker...); status != 202 ||
		again["task"].(map[string]any)["status"] != "pending" {
		t.Errorf("got %d %v before the approval takes effect, want a pending task", status, again)
	}
	g.Exec(t, "MATCH (a:Approval) SET a.effective_at = datetime() - duration('PT1S')", nil)
	if status, _, text := ask(t, "GET", url+"/access/v1/requests/"+id, "", "Authorization",
		"Bearer gateway"); status != 403 {
		t.Errorf("another caller: got %d %v, want status=403", status, text)
	}
	status, _, text = ask(t, "GET", url+"/access/v1/requests/"+id, "", asker...)
	result, _ := text["result"].(map[string]any)
	if approval, _ := result["approval"].(map[string]any); status != 200 ||
		text["task"].(map[string]any)["status"] != "approved" || result["mode"] != "reevaluate" ||
		approval["id"] != id || approval["approved_until"] == "" {
		t.Errorf("got %d %v, want status=200, status=approved, mode=reevaluate, id=%v, non-empty approved_until",
			status, text, id)
	}
	for name, body := range map[string]string{"without it": question(bob, pay, record),
		"for another": presented(question(alice, pay, record), id),
		"for more":    presented(question(bob, `{"name": "pay", "properties": {"amount": 2000}}`, record), id)} {
		if yes, context := evaluate(body); yes || context["access_request"] == nil {
			t.Errorf("%s: got %v, want yes=false, non-nil access_request", name, context)
		}
	}
	if yes, context := evaluate(presented(question(bob, pay, record), id)); !yes || context["verdict_id"] == "" {
		t.Errorf("presented: %v", context)
	}
	if yes, _ := evaluate(presented(question(bob, pay, record), id)); yes {
		t.Error("an approval for one use was used twice")
	}
	graphtest.Equal(t, toolstest.Count(t, g, "MATCH (v:Verdict {forced: 'approval "+id+"'}) RETURN count(v)"), 1,
		"verdicts that name the approval")

	graphtest.Equal(t, toolstest.Count(t, g, "MATCH (a:Approval) RETURN count(a)"), 1, "requests")

	_, context = evaluate(question(alice, pay, record))
	denial, _ = context["evaluation_id"].(string)
	_, text = submit(alice, denial, asker...)
	other, _ := text["task"].(map[string]any)["id"].(string)
	graphtest.Must(env.Sessions.Reject(t.Context(),
		sessions.Answer{ApprovalID: other, Reason: "It was paid", By: "mia"}))(t)
	if status, _, text := ask(t, "GET", url+"/access/v1/requests/"+other, "", asker...); status != 200 ||
		text["task"].(map[string]any)["status"] != "denied" || text["result"] != nil {
		t.Errorf("got %d %v after the rejection, want a denied task", status, text)
	}
	if status, again := submit(alice, denial, asker...); status != 201 ||
		again["task"].(map[string]any)["status"] != "denied" {
		t.Errorf("got %d %v for a request after the rejection, want the denied task", status, again)
	}
}

// TestApproval_OtherProject_IsHidden presents real and invented approvals with tokens of other projects.
func TestApproval_OtherProject_IsHidden(t *testing.T) {
	g, url := open(t)
	in := func(project, approval string) string {
		context := `"project": "` + project + `"`
		if project == "" {
			context = `"a": 1`
		}
		if approval != "" {
			context += `, "approval": {"id": "` + approval + `"}`
		}
		return strings.TrimSuffix(question(bob, `{"name": "write"}`, record), "}") + `, "context": {` + context + `}}`
	}
	for _, approval := range []string{"", "made-up"} {
		for name, tt := range map[string]struct {
			token, project string
			status         int
			verdictProject any
		}{
			"its own":                 {"shop", "acme/shop", 200, "acme/shop"},
			"its own, not named":      {"shop", "", 200, "acme/shop"},
			"another":                 {"shop", "acme/bank", 403, nil},
			"of several, not named":   {"two", "", 403, nil},
			"of several, named":       {"two", "acme/mill", 200, "acme/mill"},
			"of several, another one": {"two", "acme/bank", 403, nil},
		} {
			g.Exec(t, "MATCH (v:Verdict) DETACH DELETE v", nil)
			status, _, body := ask(t, "POST", url+"/access/v1/evaluation", in(tt.project, approval), "Authorization",
				"Bearer "+tt.token)
			rows := g.Rows(t, "MATCH (v:Verdict) RETURN v.project AS project", nil)
			if status != tt.status || body["decision"] == true || len(rows) > 1 || len(rows) == 1 &&
				rows[0]["project"] != tt.verdictProject || (len(rows) == 1) != (tt.status == 200) {
				t.Errorf("%s, approval %q: got %d %v and verdicts %v, want status %d and project %v", name, approval,
					status, body, rows, tt.status, tt.verdictProject)
			}
		}
	}
	denied := strings.TrimSuffix(in("acme/bank", ""), "}") + `, "denial": {"evaluation_id": "made-up"}}`
	if status, _, body := ask(t, "POST", url+"/access/v1/requests", denied, "Authorization",
		"Bearer shop"); status != 403 {
		t.Errorf("an approval of another project was requested: %d %v", status, body)
	}
}
