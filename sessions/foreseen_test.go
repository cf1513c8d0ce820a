package sessions_test

import (
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
)

const foreseen = `atlas_version: "1.0"
atlas_id: com.acme.files
version: 1.0.0
name: Files
actions: [{action_id: file.write}, {action_id: file.read}, {action_id: file.stage}, {action_id: file.drop}]
policies:
  - {policy_id: no-prod, type: deny, actions: [file.write], parameters: {paths: ["/prod/*"]}, reason: Not by hand}
  - {policy_id: staging, type: allow, actions: [file.stage], parameters: {paths: ["/staging/*"]}}
  - {policy_id: never, type: deny, actions: [file.drop]}
  - {policy_id: seldom, type: deny, actions: [file.drop], applies_when: "action.params.size() > 0"}
`

// TestBootstrap_DenialDependsOnParameters_SaysDepends: an action that is approved without parameters may be denied with
// some.
func TestBootstrap_DenialDependsOnParameters_SaysDepends(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'main', active: true, applies_when: 'action.name == "git.push" && action.params.?force.orValue(false)', requires: 'false'}),
		(:SYS_Policy {name: 'ticket', active: true, actions: ['deploy.*'], requires: 'has(action.params.ticket)'})`)
	graphtest.Must(load(t, env, change.ApplyOptions{}, foreseen))(t)
	out := graphtest.Must(env.Sessions.Bootstrap(t.Context(),
		sessions.Bootstrap{Intent: "Work", Capabilities: []string{"file.write", "file.read", "file.stage", "file.drop",
			"git.push", "deploy.run", "rocket.launch"}, Caller: sessions.Caller{By: "Ann"}}))(t)
	want := map[string]string{"file.write": "depends", "file.read": "approved", "file.stage": "depends",
		"file.drop": "denied", "git.push": "depends", "deploy.run": "depends", "rocket.launch": "unknown"}
	for _, governed := range out.Governance {
		if governed.Decision != want[governed.Action] {
			t.Errorf("%s: got %+v, want %s", governed.Action, governed, want[governed.Action])
		}
	}
	denied, err := env.Sessions.Report(t.Context(),
		sessions.Report{Action: "file.write", Params: graph.Parameters{"path": "/prod/x"},
			Caller: sessions.Caller{By: "Ann"}})
	if err != nil || denied.Decision != sessions.DeniedAction ||
		strings.Contains(strings.Join(denied.PolicyNotes, "\n"), "Permitted by") {
		t.Errorf("got %+v (%v), want a denial without notes on what permits it", denied, err)
	}
	asked, err := env.Sessions.Report(t.Context(),
		sessions.Report{Action: "rocket.launch", Caller: sessions.Caller{By: "Ann"}})
	if err != nil || asked.ApprovalID == "" {
		t.Fatalf("got %+v (%v), want non-empty ApprovalID", asked, err)
	}
	golden.Equal(t, "approvals with their session",
		toolstest.Count(t, g, "MATCH (a:Approval) MATCH (s:Session {id: a.session, uid: a.session_uid}) RETURN count(a)"), 1)
}
