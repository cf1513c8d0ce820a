package cstp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"nomograph/agents"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/pattern"
)

// shape describes how a CSTP method differs from its operation, so that existing CSTP clients work unchanged.
type shape struct {
	// in moves parameters of clients to the operation's arguments, in either spelling.
	in func(ctx context.Context, params object) error
	// instead answers in place of the operation if it reports done.
	instead func(ctx context.Context, d *Door, given object) (out any, done bool, err error)
	// out changes the answer, which is in camelCase.
	out func(ctx context.Context, d *Door, answer, given object) (any, *problem)
	// failed returns the answer for an error; nil if it remains an error.
	failed func(err error) any
}

var shapes = map[string]shape{
	"cstp.queryDecisions":       {in: queryIn, out: queryOut},
	"cstp.checkGuardrails":      {in: checkIn, out: checkOut},
	"cstp.announceIntent":       {in: announceIn},
	"cstp.recordDecision":       {in: recordIn, out: recordOut},
	"cstp.updateDecision":       {in: updateIn, out: updateOut},
	"cstp.getDecision":          {in: decisionID, out: getOut, failed: notThere},
	"cstp.reviewDecision":       {in: decisionID, out: reviewOut},
	"cstp.recordThought":        {in: thoughtIn, out: thoughtOut},
	"cstp.preAction":            {in: preActionIn, out: preActionOut},
	"cstp.getSessionContext":    {in: contextIn, out: contextOut},
	"cstp.ready":                {in: agentOfToken, out: readyOut},
	"cstp.getCalibration":       {in: calibrationIn, out: calibrationOut},
	"cstp.getReasonStats":       {in: agentOfToken, out: reasonStatsOut},
	"cstp.checkDrift":           {in: agentOfToken, out: driftOut},
	"cstp.attributeOutcomes":    {in: attributeIn, out: attributeOut},
	"cstp.reindex":              {instead: reindexed},
	"cstp.listDecisions":        {in: listIn, instead: listed},
	"cstp.ingestEvidence":       {out: evidenceOut},
	"cstp.linkEvidence":         {in: linkIn, out: evidenceOut},
	"cstp.mapControls":          {in: exportIn, out: evidenceOut},
	"cstp.exportEvidenceBundle": {in: exportIn, out: evidenceOut},
	"cstp.verifyEvidenceChain":  {out: evidenceOut},
	"cstp.listGuardrails":       {in: agentOfToken, out: guardrailsOut},
	"cstp.getStats":             {in: statsIn},
	"cstp.compact":              {in: compactIn, out: compactOut},
	"cstp.debugTracker":         {in: trackerIn, out: trackerOut},
	"cstp.getGraph":             {out: graphOut},
	"cstp.getNeighbors":         {out: neighborsOut},
	"cstp.getCompacted":         {in: compactedIn, out: compactedOut},
	"cstp.setPreserve":          {in: decisionID, out: preserveOut},
	"cstp.listBreakers":         {out: breakersOut},
	"cstp.resetCircuit":         {out: resetOut},
}

// move renames a member of an answer, unless the new name exists.
func move(params object, to string, from ...string) {
	for _, name := range from {
		if value, given := params[name]; given {
			delete(params, name)
			if _, ok := params[to]; !ok && value != nil {
				params[to] = value
			}
		}
	}
}

// said renames a parameter. It returns a validation_error if both names are given with different values; null counts as
// absent.
func said(params object, to string, from ...string) error {
	for _, name := range from {
		value, given := params[name]
		if !given || name == to {
			continue
		}
		delete(params, name)
		if value == nil {
			continue
		}
		if err := put(params, to, value, name, to); err != nil {
			return err
		}
	}
	return nil
}

// put sets a parameter that is given under one name, unless it is given under the other. It returns a validation_error
// if the values differ.
func put(params object, name string, value any, one, other string) error {
	switch there := params[name]; {
	case there == nil:
		params[name] = value
	case value != nil && !reflect.DeepEqual(there, value):
		return apperr.Newf(apperr.Validation, "`%s` and `%s` differ", one, other).WithHint("Set only one, or both to the same value")
	}
	return nil
}

// leaveOut drops parameters that CSTP clients send and that have no effect here.
func leaveOut(params object, names ...string) {
	for _, name := range names {
		delete(params, name)
	}
}

// opened moves the members of an object parameter to the top level. It returns a validation_error if one exists there
// with a different value.
func opened(params object, names ...string) error {
	for _, name := range names {
		value, given := params[name]
		if !given {
			continue
		}
		members, ok := value.(object)
		if !ok {
			if value == nil {
				delete(params, name)
				continue
			}
			return apperr.Newf(apperr.Validation, "`%s` is not an object", name).WithHint("Send a JSON object")
		}
		delete(params, name)
		for key, member := range members {
			if err := put(params, key, member, name+"."+key, key); err != nil {
				return err
			}
		}
	}
	return nil
}

func childOf(params object, name string) object {
	child, _ := params[name].(object)
	return child
}

func each(answer object, name string, visit func(one object)) {
	list, _ := answer[name].([]any)
	for _, one := range list {
		if one, ok := one.(object); ok {
			visit(one)
		}
	}
}

// agentOfToken drops the agent parameter if the token names the agent.
func agentOfToken(ctx context.Context, params object) error {
	if caller.From(ctx).Proven {
		leaveOut(params, "agent")
		return nil
	}
	if agent, ok := params["agent"].(object); ok {
		delete(params, "agent")
		if agent["id"] == nil {
			return nil
		}
		return put(params, "agent_id", agent["id"], "agent.id", "agent_id")
	}
	leaveOut(params, "agent")
	return nil
}

func decisionID(_ context.Context, params object) error {
	return said(params, "id", "decision_id", "decisionId")
}

func queryIn(ctx context.Context, params object) error {
	if err := said(params, "limit", "top_k", "topK"); err != nil {
		return err
	}
	leaveOut(params, "hybridWeight", "hybrid_weight", "compacted", "includeDetail", "include_detail", "includeReasons", "include_reasons")
	for name, usual := range map[string]any{"limit": json.Number("10")} {
		if params[name] == nil {
			params[name] = usual
		}
	}
	if params["retrievalMode"] == nil && params["retrieval_mode"] == nil {
		leaveOut(params, "retrievalMode")
		params["retrieval_mode"] = "semantic"
	}
	if params["bridgeSide"] == nil {
		leaveOut(params, "bridgeSide")
	}
	if filters, given := params["filters"]; given && filters == nil {
		delete(params, "filters")
	}
	filters := childOf(params, "filters")
	for _, name := range []string{"category", "project", "hasOutcome"} { // CSTP's dashboard sends these beside the query
		if value, given := params[name]; given {
			delete(params, name)
			if filters == nil {
				filters = object{}
				params["filters"] = filters
			}
			if err := put(filters, name, value, name, "filters."+name); err != nil {
				return err
			}
		}
	}
	for name, value := range filters {
		if value == nil {
			delete(filters, name)
		}
	}
	lists(filters, "stakes", "status", "outcome", "tags")
	inUTC(filters, "dateAfter", "dateBefore", "date_after", "date_before")
	return agentOfToken(ctx, params)
}

// naive matches a time without a zone, which means UTC in CSTP.
var naive = pattern.New(`^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$`)

// inUTC adds the zone to such times.
func inUTC(params object, names ...string) {
	for _, name := range names {
		if at, ok := params[name].(string); ok && naive.MatchString(at) {
			at = strings.Replace(at, " ", "T", 1)
			if strings.Count(at, ":") == 1 {
				at += ":00"
			}
			params[name] = at + "Z"
		}
	}
}

// lists wraps single values in lists.
func lists(params object, names ...string) {
	for _, name := range names {
		if one, ok := params[name].(string); ok {
			params[name] = []any{one}
		}
	}
}

// queryOut adds a distance to each decision in every mode and removes results below the server's limits.
func queryOut(_ context.Context, d *Door, answer, _ object) (any, *problem) {
	scores, said := answer["scores"].(object)
	if !said { // shared decisions have all of this
		return answer, nil
	}
	kept := []any{}
	each(answer, "decisions", func(one object) {
		id, _ := one["id"].(string)
		score := childOf(scores, id)
		distance := agents.Distance(number(score["semantic"]), number(score["keyword"]))
		one["distance"], one["summary"] = distance, one["title"]
		for _, name := range []string{"category", "confidence"} {
			if _, ok := one[name]; !ok {
				one[name] = nil
			}
		}
		if most := d.options.MaxResults; 1-distance >= d.options.MinScore && (most <= 0 || len(kept) < most) {
			kept = append(kept, one)
		} else {
			delete(scores, id)
		}
	})
	answer["decisions"], answer["total"] = kept, len(kept)
	return answer, nil
}

func number(value any) *float64 {
	n, ok := value.(json.Number)
	if !ok {
		return nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil
	}
	return &f
}

func checkIn(ctx context.Context, params object) error {
	if err := opened(params, "action"); err != nil {
		return err
	}
	withoutNull(params, "category", "confidence", "stakes", "context")
	return agentOfToken(ctx, params)
}

func withoutNull(params object, names ...string) {
	for _, name := range names {
		if value, given := params[name]; given && value == nil {
			delete(params, name)
		}
	}
}

// checkOut adds violations under CSTP's names; for a denial, warnings are listed beside blocking violations, as in the
// design.
func checkOut(ctx context.Context, _ *Door, answer, _ object) (any, *problem) {
	if _, told := answer["evaluatedAt"]; !told {
		answer["evaluatedAt"] = answer["at"]
		leaveOut(answer, "at")
		if answer["allowed"] == false {
			violations, _ := answer["violations"].([]any)
			warnings, _ := answer["warnings"].([]any)
			answer["violations"] = append(violations[:len(violations):len(violations)], warnings...)
		}
		for _, name := range []string{"violations", "warnings", "shadow"} {
			each(answer, name, named)
		}
	}
	answer["agent"] = cmp.Or(caller.From(ctx).Name, fmt.Sprint(cmp.Or(answer["agentId"], any(""))))
	return answer, nil
}

// named adds the name and the alternatives of a violation.
func named(one object) {
	one["name"] = one["guardrailId"]
	if instead, _ := one["alternatives"].([]any); len(instead) > 0 {
		one["suggestion"] = instead[0]
	}
}

func announceIn(ctx context.Context, params object) error {
	if agent, ok := params["agent"].(object); ok {
		if agent["url"] != nil {
			if err := put(params, "agent_url", agent["url"], "agent.url", "agent_url"); err != nil {
				return err
			}
		}
	}
	return agentOfToken(ctx, params)
}

func recordIn(_ context.Context, params object) error {
	if err := opened(params, "project_context", "projectContext"); err != nil {
		return err
	}
	leaveOut(params, "preDecision", "pre_decision", "decisionId", "decision_id", "relatedTo", "related_to", "summary")
	if steps, ok := params["trace"].([]any); ok {
		delete(params, "trace")
		deliberation := childOf(params, "deliberation")
		if deliberation == nil {
			deliberation = object{}
			params["deliberation"] = deliberation
		}
		all, _ := deliberation["steps"].([]any)
		for _, one := range steps {
			step, _ := one.(object)
			thought := fmt.Sprint(cmp.Or(step["thought"], any("")))
			if output, ok := step["output"].(string); ok && output != "" {
				thought += "\n" + output
			}
			all = append(all, object{"step": cmp.Or(step["step"], any(json.Number("0"))), "thought": thought})
		}
		deliberation["steps"] = all
	}
	if deliberation := childOf(params, "deliberation"); deliberation != nil {
		leaveOut(deliberation, "convergencePoint", "convergence_point")
		each(deliberation, "inputs", func(one object) { leaveOut(one, "timestamp") })
		each(deliberation, "steps", func(one object) { leaveOut(one, "timestamp", "durationMs", "duration_ms") })
	}
	each(params, "reasons", func(one object) {
		if one["type"] == nil || one["type"] == "" {
			one["type"] = "analysis"
		}
	})
	if bridge := childOf(params, "bridge"); bridge != nil {
		if err := said(bridge, "function", "purpose"); err != nil {
			return err
		}
	}
	withoutNull(params, "context", "project", "feature", "pr", "file", "line", "commit", "pattern")
	return nil
}

// inSnake are members of the answer to a recording that CSTP clients read in this spelling.
var inSnake = map[string]string{"guardrailWarnings": "guardrail_warnings", "deliberationAuto": "deliberation_auto", "deliberationInputsCount": "deliberation_inputs_count",
	"bridgeAuto": "bridge_auto", "bridgeMethod": "bridge_method", "relatedCount": "related_count", "graphEdgesCreated": "graph_edges_created"}

func recordOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	if answer["success"] != true { // a client that expects an id learns that there is none
		var why []string
		each(answer, "violations", func(one object) { why = append(why, fmt.Sprintf("%v: %v", one["guardrailId"], one["message"])) })
		return nil, &problem{Code: recordFailed, Message: "The decision was not recorded: " + strings.Join(why, "; "), Data: answer}
	}
	for name, theirs := range inSnake {
		if value, ok := answer[name]; ok {
			delete(answer, name)
			answer[theirs] = value
		}
	}
	each(answer, "guardrail_warnings", named)
	answer["path"], answer["indexed"] = answer["uri"], true
	return answer, nil
}

func updateIn(_ context.Context, params object) error {
	if err := said(params, "id", "decision_id", "decisionId"); err != nil {
		return err
	}
	return opened(params, "updates")
}

func updateOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	move(answer, "updated_fields", "updatedFields")
	answer["indexed"] = true
	return answer, nil
}

// getOut returns the stored decision with the members that CSTP clients read.
func getOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	if d := childOf(answer, "decision"); d != nil {
		d["date"], d["recorded_by"], d["summary"] = d["created_at"], d["agent"], d["decision"]
		where := object{}
		for _, name := range []string{"project", "feature", "pr", "file", "line", "commit"} {
			if d[name] != nil {
				where[name] = d[name]
			}
		}
		if len(where) > 0 {
			d["project_context"] = where
		}
		if d["structure"] != nil || d["function"] != nil {
			bridge := object{}
			for _, name := range []string{"structure", "function", "tolerance", "enforcement", "prevention"} {
				if d[name] != nil {
					bridge[name] = d[name]
				}
			}
			d["bridge"] = bridge
		}
		if reviews, _ := d["reviews"].([]any); len(reviews) > 0 {
			if review, ok := reviews[0].(object); ok {
				d["reviewed_at"], d["actual_result"], d["lessons"], d["review_notes"] = review["at"], review["actual_result"], review["lessons"], review["notes"]
			}
		}
	}
	return answer, nil
}

func notThere(err error) any {
	if apperr.Is(err, apperr.NotFound) {
		return object{"found": false, "error": apperr.From(err).Error()}
	}
	return nil
}

func reviewOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	answer["path"], answer["reindexed"] = answer["uri"], true
	return answer, nil
}

func thoughtIn(_ context.Context, params object) error {
	return said(params, "decision_id", "decisionId", "id")
}

func thoughtOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	answer["tracker_key"] = answer["sessionId"]
	move(answer, "decision_id", "decisionId")
	move(answer, "step_number", "stepNumber")
	return answer, nil
}
