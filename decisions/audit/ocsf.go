package audit

import (
	"cmp"
	"strings"
	"time"
)

// OCSF is the schema of security events that SIEMs read. Each verdict and each execution is an API Activity.
const (
	ocsfVersion     = "1.6.0"
	ocsfCategory    = 6 // Application Activity
	ocsfClass       = 6003
	otherActivity   = 99
	securityControl = "security_control" // profile with action_id and disposition_id
	product         = "Nomograph"
)

// activities are OCSF's activities by kinds of actions; others are otherActivity.
var activities = map[string]int{"file.read": 2, "web.fetch": 2, "file.write": 3, "file.delete": 4}

// severities are OCSF's severities of denials; everything else is informational.
var severities = map[string]int{"low": 2, "medium": 3, "high": 4, "critical": 5}

// act is what a verdict and an execution have in common.
type act struct {
	uid, kind, operation, agent, client, session, project string
	at                                                    time.Time
}

// event returns an event with the attributes that its class requires.
func (a act) event(code string) map[string]any {
	activity := cmp.Or(activities[a.kind], otherActivity)
	name := map[int]string{2: "Read", 3: "Update", 4: "Delete", otherActivity: cmp.Or(a.kind, "Other")}[activity]
	actor := map[string]any{"user": map[string]any{"name": cmp.Or(a.agent, "unknown")}}
	metadata := map[string]any{"version": ocsfVersion, "uid": a.uid, "event_code": code,
		"product": map[string]any{"name": product, "vendor_name": product}}
	if a.client != "" {
		actor["app_name"] = a.client
	}
	if a.session != "" {
		actor["session"], metadata["correlation_uid"] = map[string]any{"uid": a.session}, a.session
	}
	return map[string]any{"category_uid": ocsfCategory, "class_uid": ocsfClass, "activity_id": activity,
		"activity_name": name, "type_uid": ocsfClass*100 + activity, "time": a.at.UnixMilli(), "severity_id": 1,
		"metadata": metadata, "actor": actor, "api": map[string]any{"operation": cmp.Or(a.operation, a.kind, "action")},
		"src_endpoint": map[string]any{"name": cmp.Or(a.client, a.agent, "unknown")},
		"unmapped":     map[string]any{"project": a.project}}
}

// ocsf returns the verdict and its executions as events.
func (v Verdict) ocsf() []any {
	e := act{v.UID, v.Name, v.Name, v.Agent, v.Client, cmp.Or(v.ClientSession, v.Session), v.Project, v.At}.
		event("verdict")
	decision, policies, details := "allowed", []any{}, []string{}
	e["status_id"], e["action_id"], e["disposition_id"] = 1, 1, 1 // success, allowed, allowed
	if !v.Allowed {
		decision = "denied"
		e["status_id"], e["action_id"], e["disposition_id"] = 2, 2, 2 // failure, denied, blocked
		e["severity_id"] = max(severities[v.Stakes], 2)
	}
	if !v.Allowed && v.Enforced != nil && !*v.Enforced {
		e["status_id"], e["action_id"], e["disposition_id"] = 1, 3, 17 // success, observed, logged
	}
	if v.Results != nil {
		for _, violation := range v.Results.Violations {
			policies = append(policies, map[string]any{"decision": decision,
				"policy": map[string]any{"name": violation.GuardrailID, "desc": violation.Message}})
			details = append(details, violation.GuardrailID+": "+violation.Message)
		}
	}
	if len(policies) == 0 {
		policies = append(policies, map[string]any{"decision": decision})
	}
	e["actor"].(map[string]any)["authorizations"] = policies
	e["metadata"].(map[string]any)["profiles"] = []string{securityControl}
	e["message"], e["status_detail"] = cmp.Or(v.Description, v.Name, "action"), strings.Join(details, "; ")
	unmapped := e["unmapped"].(map[string]any)
	unmapped["stakes"], unmapped["revision"], unmapped["forced"], unmapped["actors"] = v.Stakes, v.Revision, v.Forced,
		v.Actors
	events := []any{e}
	for _, x := range v.Executions {
		e := act{x.UID, x.Kind, cmp.Or(x.Tool, x.Kind), cmp.Or(x.Agent, v.Agent), x.Client,
			cmp.Or(v.ClientSession, v.Session), x.Project, x.At}.event("execution")
		e["status_id"] = map[string]int{"success": 1, "failure": 2}[x.Outcome]
		e["unmapped"].(map[string]any)["verdict_id"] = v.UID
		events = append(events, e)
	}
	return events
}

// ocsf returns the verdicts of a bundle and their executions as OCSF events, one JSON object in each line.
func (c *checking) ocsf() (string, error) {
	var lines strings.Builder
	for _, verdict := range c.contents.Verdicts {
		for _, event := range verdict.ocsf() {
			line, err := exact(event)
			if err != nil {
				return "", err
			}
			lines.Write(append(line, '\n'))
		}
	}
	return lines.String(), nil
}
