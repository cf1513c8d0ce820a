package cstp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"nomograph/agents"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/pattern"
	"nomograph/tools"
)

// shape describes how a CSTP method differs from its operation, so that existing CSTP clients work unchanged.
type shape struct {
	// in moves parameters of clients to the operation's arguments, in either spelling.
	in func(ctx context.Context, params object) error
	// instead answers in place of the operation if it reports done.
	instead func(ctx context.Context, d *Server, params object) (out any, done bool, err error)
	// out changes the answer, which is in camelCase.
	out func(ctx context.Context, d *Server, answer, params object) (any, *problem)
	// failed returns the answer for an error; nil if it remains an error.
	failed func(err error) any
}

var shapes = map[string]shape{
	"cstp.queryDecisions":       {in: queryIn, out: queryOut},
	"cstp.checkGuardrails":      {in: checkIn, out: checkOut},
	"cstp.announceIntent":       {in: announceIn},
	"cstp.recordDecision":       {in: recordIn, out: recordOut},
	"cstp.updateDecision":       {in: updateIn, out: updateOut},
	"cstp.getDecision":          {in: decisionID, out: getOut, failed: notFoundResult},
	"cstp.reviewDecision":       {in: decisionID, out: reviewOut},
	"cstp.recordThought":        {in: thoughtIn, out: thoughtOut},
	"cstp.preAction":            {in: preActionIn, out: preActionOut},
	"cstp.getSessionContext":    {in: contextIn, out: contextOut},
	"cstp.ready":                {in: agentOfToken, out: readyOut},
	"cstp.getCalibration":       {in: calibrationIn, out: calibrationOut},
	"cstp.getReasonStats":       {in: agentOfToken, out: reasonStatsOut},
	"cstp.checkDrift":           {in: agentOfToken, out: driftOut},
	"cstp.attributeOutcomes":    {in: attributeIn, out: attributeOut},
	"cstp.reindex":              {instead: reindexOut},
	"cstp.listDecisions":        {in: listIn, instead: pageByOffset},
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

// renameMember renames a member of an answer, unless the new name exists.
func renameMember(params object, to string, from ...string) {
	for _, name := range from {
		if value, given := params[name]; given {
			delete(params, name)
			if _, ok := params[to]; !ok && value != nil {
				params[to] = value
			}
		}
	}
}

// renameParam renames a parameter. It returns a validation_error if both names are given with different values; null counts as
// absent.
func renameParam(params object, to string, from ...string) error {
	for _, name := range from {
		value, ok := params[name]
		if !ok || name == to {
			continue
		}
		delete(params, name)
		if value == nil {
			continue
		}
		if err := setParam(params, to, value, name, to); err != nil {
			return err
		}
	}
	return nil
}

// setParam sets a parameter from its value under the name one, unless the call also has it under the name other. It
// returns a validation_error if the values differ.
func setParam(params object, name string, value any, one, other string) error {
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

// openObject moves the members of an object parameter to the top level. It returns a validation_error if one exists there
// with a different value.
func openObject(params object, names ...string) error {
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
			if err := setParam(params, key, member, name+"."+key, key); err != nil {
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

func eachItem(answer object, name string, visit func(one object)) {
	list, _ := answer[name].([]any)
	for _, one := range list {
		if one, ok := one.(object); ok {
			visit(one)
		}
	}
}

// agentOfToken drops the agent parameter if the token names the agent.
func agentOfToken(ctx context.Context, params object) error {
	if caller.From(ctx).Authenticated {
		leaveOut(params, "agent")
		return nil
	}
	if agent, ok := params["agent"].(object); ok {
		delete(params, "agent")
		if agent["id"] == nil {
			return nil
		}
		return setParam(params, "agent_id", agent["id"], "agent.id", "agent_id")
	}
	leaveOut(params, "agent")
	return nil
}

func decisionID(_ context.Context, params object) error {
	return renameParam(params, "id", "decision_id", "decisionId")
}

func queryIn(ctx context.Context, params object) error {
	if err := renameParam(params, "limit", "top_k", "topK"); err != nil {
		return err
	}
	leaveOut(params, "hybridWeight", "hybrid_weight", "compacted", "includeDetail", "include_detail", "includeReasons", "include_reasons")
	for name, fallback := range map[string]any{"limit": json.Number("10")} {
		if params[name] == nil {
			params[name] = fallback
		}
	}
	if params["retrievalMode"] == nil && params["retrieval_mode"] == nil {
		leaveOut(params, "retrievalMode")
		params["retrieval_mode"] = "semantic"
	}
	if params["bridgeSide"] == nil {
		leaveOut(params, "bridgeSide")
	}
	if filters, ok := params["filters"]; ok && filters == nil {
		delete(params, "filters")
	}
	filters := childOf(params, "filters")
	for _, name := range []string{"category", "project", "hasOutcome"} { // CSTP's dashboard sends these in addition to the query
		if value, ok := params[name]; ok {
			delete(params, name)
			if filters == nil {
				filters = object{}
				params["filters"] = filters
			}
			if err := setParam(filters, name, value, name, "filters."+name); err != nil {
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

// timeWithoutZone matches a time without a zone, which means UTC in CSTP.
var timeWithoutZone = pattern.New(`^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$`)

// inUTC adds the zone UTC to times without a zone.
func inUTC(params object, names ...string) {
	for _, name := range names {
		if at, ok := params[name].(string); ok && timeWithoutZone.MatchString(at) {
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
func queryOut(_ context.Context, d *Server, answer, _ object) (any, *problem) {
	scores, body := answer["scores"].(object)
	if !body { // shared decisions already have these members
		return answer, nil
	}
	remaining := []any{}
	eachItem(answer, "decisions", func(one object) {
		id, _ := one["id"].(string)
		score := childOf(scores, id)
		distance := agents.Distance(number(score["semantic"]), number(score["keyword"]))
		one["distance"], one["summary"] = distance, one["title"]
		for _, name := range []string{"category", "confidence"} {
			if _, ok := one[name]; !ok {
				one[name] = nil
			}
		}
		if limit := d.options.MaxResults; 1-distance >= d.options.MinScore && (limit <= 0 || len(remaining) < limit) {
			remaining = append(remaining, one)
		} else {
			delete(scores, id)
		}
	})
	answer["decisions"], answer["total"] = remaining, len(remaining)
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
	if err := openObject(params, "action"); err != nil {
		return err
	}
	withoutNull(params, "category", "confidence", "stakes", "context")
	return agentOfToken(ctx, params)
}

func withoutNull(params object, names ...string) {
	for _, name := range names {
		if value, ok := params[name]; ok && value == nil {
			delete(params, name)
		}
	}
}

// checkOut adds violations under CSTP's names; for a denial, warnings are listed with blocking violations, as in the
// design.
func checkOut(ctx context.Context, _ *Server, answer, _ object) (any, *problem) {
	if _, present := answer["evaluatedAt"]; !present {
		answer["evaluatedAt"] = answer["at"]
		leaveOut(answer, "at")
		if answer["allowed"] == false {
			violations, _ := answer["violations"].([]any)
			warnings, _ := answer["warnings"].([]any)
			answer["violations"] = append(violations[:len(violations):len(violations)], warnings...)
		}
		for _, name := range []string{"violations", "warnings", "shadow"} {
			eachItem(answer, name, nameViolation)
		}
	}
	answer["agent"] = cmp.Or(caller.From(ctx).Name, fmt.Sprint(cmp.Or(answer["agentId"], any(""))))
	return answer, nil
}

// nameViolation adds the name and the alternatives of a violation.
func nameViolation(one object) {
	one["name"] = one["guardrailId"]
	if instead, _ := one["alternatives"].([]any); len(instead) > 0 {
		one["suggestion"] = instead[0]
	}
}

func announceIn(ctx context.Context, params object) error {
	if agent, ok := params["agent"].(object); ok {
		if agent["url"] != nil {
			if err := setParam(params, "agent_url", agent["url"], "agent.url", "agent_url"); err != nil {
				return err
			}
		}
	}
	return agentOfToken(ctx, params)
}

func recordIn(_ context.Context, params object) error {
	if err := openObject(params, "project_context", "projectContext"); err != nil {
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
		eachItem(deliberation, "inputs", func(one object) { leaveOut(one, "timestamp") })
		eachItem(deliberation, "steps", func(one object) { leaveOut(one, "timestamp", "durationMs", "duration_ms") })
	}
	eachItem(params, "reasons", func(one object) {
		if one["type"] == nil || one["type"] == "" {
			one["type"] = "analysis"
		}
	})
	if bridge := childOf(params, "bridge"); bridge != nil {
		if err := renameParam(bridge, "function", "purpose"); err != nil {
			return err
		}
	}
	withoutNull(params, "context", "project", "feature", "pr", "file", "line", "commit", "pattern")
	return nil
}

// recordingNames maps members of the answer to a recording to their names in CSTP.
var recordingNames = map[string]string{"guardrailWarnings": "guardrail_warnings", "deliberationAuto": "deliberation_auto", "deliberationInputsCount": "deliberation_inputs_count",
	"bridgeAuto": "bridge_auto", "bridgeMethod": "bridge_method", "relatedCount": "related_count", "graphEdgesCreated": "graph_edges_created"}

func recordOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	if answer["success"] != true { // a client that expects an id learns that there is none
		var why []string
		eachItem(answer, "violations", func(one object) { why = append(why, fmt.Sprintf("%v: %v", one["guardrailId"], one["message"])) })
		return nil, &problem{Code: recordFailed, Message: "The decision was not recorded: " + strings.Join(why, "; "), Data: answer}
	}
	for name, theirs := range recordingNames {
		if value, ok := answer[name]; ok {
			delete(answer, name)
			answer[theirs] = value
		}
	}
	eachItem(answer, "guardrail_warnings", nameViolation)
	answer["path"], answer["indexed"] = answer["uri"], true
	return answer, nil
}

func updateIn(_ context.Context, params object) error {
	if err := renameParam(params, "id", "decision_id", "decisionId"); err != nil {
		return err
	}
	return openObject(params, "updates")
}

func updateOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	renameMember(answer, "updated_fields", "updatedFields")
	answer["indexed"] = true
	return answer, nil
}

// getOut returns the stored decision with the members that CSTP clients read.
func getOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
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

func notFoundResult(err error) any {
	if apperr.Is(err, apperr.NotFound) {
		return object{"found": false, "error": apperr.From(err).Error()}
	}
	return nil
}

func reviewOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	answer["path"], answer["reindexed"] = answer["uri"], true
	return answer, nil
}

func thoughtIn(_ context.Context, params object) error {
	return renameParam(params, "decision_id", "decisionId", "id")
}

func thoughtOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	answer["tracker_key"] = answer["sessionId"]
	renameMember(answer, "decision_id", "decisionId")
	renameMember(answer, "step_number", "stepNumber")
	return answer, nil
}

func preActionIn(ctx context.Context, params object) error {
	if action := childOf(params, "action"); action != nil {
		withoutNull(action, "category", "confidence", "stakes", "context")
	}
	withoutNull(params, "pattern", "options", "reasons", "tags")
	return agentOfToken(ctx, params)
}

func preActionOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	eachItem(answer, "guardrailResults", nameViolation)
	eachItem(answer, "relevantDecisions", func(one object) {
		if one["distance"] == nil { // without vectors, the score is that of full text
			var words *float64
			if answer["retrievalMode"] == "keyword" {
				words = number(one["score"])
			}
			one["distance"] = agents.Distance(nil, words)
		}
	})
	if answer["patternsSummary"] == nil {
		answer["patternsSummary"] = []any{}
	}
	eachItem(answer, "patternsSummary", func(one object) { one["count"] = one["recorded"] })
	return answer, nil
}

// contextIn sets JSON as the default format, as in CSTP.
func contextIn(ctx context.Context, params object) error {
	if params["format"] == nil {
		params["format"] = "json"
	}
	withoutNull(params, "taskDescription", "task_description", "include")
	return agentOfToken(ctx, params)
}

func contextOut(_ context.Context, _ *Server, answer, params object) (any, *problem) {
	if params["format"] == "markdown" {
		return answer, nil
	}
	for _, name := range []string{"relevantDecisions", "activeGuardrails", "readyQueue", "confirmedPatterns"} {
		if answer[name] == nil {
			answer[name] = []any{}
		}
	}
	eachItem(answer, "activeGuardrails", func(one object) {
		clauses := func(name string) []any {
			if text := str(one[name]); text != "" {
				return []any{object{"field": "action", "operator": "cel", "value": text}}
			}
			return []any{}
		}
		one["description"], one["conditions"], one["requirements"] = str(one["description"]), clauses("appliesWhen"), clauses("requires")
		if one["scope"] == nil {
			one["scope"] = []any{}
		}
	})
	if answer["calibrationByCategory"] == nil {
		answer["calibrationByCategory"] = object{}
	}
	return answer, nil
}

func readyOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	eachItem(answer, "actions", func(one object) { renameMember(one, "decisionId", "id") })
	return answer, nil
}

func calibrationIn(ctx context.Context, params object) error {
	if name, ok := params["agent"].(string); ok { // agent of the decisions, not the caller
		if err := setParam(params, "agent_id", name, "agent", "agent_id"); err != nil {
			return err
		}
	}
	leaveOut(params, "agent", "minDecisions", "min_decisions", "feature", "since", "until")
	withoutNull(params, "category", "project", "stakes", "window")
	return nil
}

func calibrationOut(ctx context.Context, d *Server, answer, params object) (any, *problem) {
	buckets := []any{}
	eachItem(answer, "byConfidenceBucket", func(one object) {
		if one["successRate"] != nil { // CSTP omits entries without a success rate
			buckets = append(buckets, one)
		}
	})
	answer["byConfidenceBucket"] = buckets
	if answer["overall"] == nil { // CSTP's dashboard expects an object
		delete(answer, "overall")
	}
	if overall := childOf(answer, "overall"); overall != nil { // CSTP's command line reads these members
		for theirs, name := range map[string]string{"total_decisions": "totalDecisions", "reviewed_decisions": "reviewedDecisions", "brier_score": "brierScore"} {
			overall[theirs] = overall[name]
		}
		for _, name := range []string{"window", "periodStart", "periodEnd"} {
			if answer[name] != nil {
				overall[name] = answer[name]
			}
		}
	}
	return renameDuration(ctx, d, answer, params)
}

// reasonStatsOut replaces null by 0 in fields that CSTP clients calculate with. reviewedUses is 0 if a rate has no data.
func reasonStatsOut(ctx context.Context, d *Server, answer, params object) (any, *problem) {
	numbered := func(one object, names ...string) {
		for _, name := range names {
			if one[name] == nil {
				one[name] = 0
			}
		}
	}
	eachItem(answer, "byReasonType", func(one object) {
		success, partial, reviewed := number(one["successCount"]), number(one["partialCount"]), number(one["reviewedUses"])
		if one["successRate"] == nil && success != nil && partial != nil && reviewed != nil && *reviewed > 0 { // the operation returns no rate for so few reviews
			one["successRate"] = math.Round((*success+*partial/2) / *reviewed * 1000) / 1000
		}
		numbered(one, "successRate", "avgConfidence", "avgStrength")
	})
	if diversity := childOf(answer, "diversity"); diversity != nil {
		numbered(diversity, "avgTypesPerDecision", "avgReasonsPerDecision")
	}
	return renameDuration(ctx, d, answer, params)
}

// breakerNames maps members of a circuit breaker to their names in CSTP.
var breakerNames = map[string]string{"failureCount": "failure_count", "failureThreshold": "failure_threshold", "windowMs": "window_ms", "cooldownMs": "cooldown_ms",
	"cooldownRemainingMs": "cooldown_remaining_ms", "openedAt": "opened_at", "probeInFlight": "probe_in_flight"}

func breakersOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	eachItem(answer, "breakers", func(one object) {
		for name, theirs := range breakerNames {
			renameMember(one, theirs, name)
		}
		one["from_config"] = true // a policy declares it permanently
	})
	return answer, nil
}

// resetOut returns both spellings: CSTP's method defines one, its dashboard reads the other.
func resetOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	answer["previous_state"], answer["new_state"] = answer["previousState"], answer["newState"]
	return answer, nil
}

// renameDuration returns the duration under CSTP's name.
func renameDuration(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	answer["queryTime"] = answer["queryTimeMs"]
	return answer, nil
}

func driftOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	for side, window := range map[string]string{"recent": "30d", "historical": "before"} {
		switch one := childOf(answer, side); {
		case one == nil:
		case one["brierScore"] == nil: // CSTP has no entry without data
			answer[side] = nil
		default:
			one["window"] = window
		}
	}
	return answer, nil
}

// attributeIn accepts all proposals, as in CSTP, unless it is a dry run.
func attributeIn(_ context.Context, params object) error {
	if err := renameParam(params, "dry_run", "dryRun"); err != nil {
		return err
	}
	dry, _ := params["dry_run"].(bool)
	leaveOut(params, "dry_run")
	params["accept"] = !dry
	withoutNull(params, "since")
	return nil
}

func attributeOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	proposals, _ := answer["proposals"].([]any)
	pending, _ := answer["pending"].([]any)
	decisions := []any{}
	eachItem(answer, "proposals", func(one object) {
		decisions = append(decisions, object{"id": one["id"], "outcome": one["outcome"], "reason": one["reason"], "path": "nomograph://decision/" + str(one["id"]), "updated": one["accepted"] == true})
	})
	answer["decisions"], answer["attributed"] = decisions, object{"stable": len(proposals), "skipped": len(pending)}
	return answer, nil
}

func str(value any) string {
	text, _ := value.(string)
	return text
}

// reindexOut adds the duration to the answer.
func reindexOut(ctx context.Context, d *Server, params object) (any, bool, error) {
	started := time.Now()
	o, _ := tools.Find(tools.Catalog, "rebuild_index")
	answer, err := d.ask(ctx, o, params)
	if err != nil {
		return nil, true, err
	}
	answer["success"], answer["decisionsIndexed"], answer["errors"], answer["durationMs"] = true, answer["rebuilt"], 0, time.Since(started).Milliseconds()
	answer["message"] = fmt.Sprintf("Recreated the vectors of %v decisions", answer["rebuilt"])
	return answer, true, nil
}

func graphOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	eachItem(answer, "nodes", summarized)
	return answer, nil
}

func neighborsOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	eachItem(answer, "neighbors", func(one object) { summarized(childOf(one, "node")) })
	return answer, nil
}

func summarized(node object) {
	if node != nil {
		node["summary"] = node["title"]
	}
}

func compactedIn(_ context.Context, params object) error {
	atMost(params, 100)
	withoutNull(params, "category", "level")
	return nil
}

// atMost caps the client's limit at the operation's maximum.
func atMost(params object, limit int64) {
	if n, ok := params["limit"].(json.Number); ok {
		if input, err := n.Int64(); err == nil && input > limit {
			params["limit"] = json.Number(strconv.FormatInt(limit, 10))
		}
	}
}

func compactedOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	eachItem(answer, "decisions", func(one object) { one["level"], one["decision"] = one["compactionLevel"], one["text"] })
	return answer, nil
}

func preserveOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	answer["decisionId"] = answer["id"]
	return answer, nil
}

func listIn(_ context.Context, params object) error {
	if err := cmp.Or(renameParam(params, "agent_id", "agent"), renameParam(params, "date_after", "dateFrom", "date_from"), renameParam(params, "date_before", "dateTo", "date_to")); err != nil {
		return err
	}
	inUTC(params, "date_after", "date_before")
	for name, value := range params {
		if value == nil || value == "" {
			delete(params, name)
		}
	}
	lists(params, "stakes", "status", "tags")
	return nil
}

const (
	maxListed  = 500    // maximum length of a list, as in CSTP
	maxSkipped = 10_000 // skipped rows; a cursor continues from anywhere
	listPage   = 100
)

// pageByOffset returns a page by offset, or a search by words. Our pages continue from a cursor, so an offset costs as much as
// the skipped rows.
func pageByOffset(ctx context.Context, d *Server, params object) (any, bool, error) {
	limit, offset := integerParam(params, "limit", 20), integerParam(params, "offset", 0)
	if limit < 1 || limit > maxListed || offset < 0 || offset > maxSkipped {
		return nil, true, apperr.Newf(apperr.Validation, "Invalid limit or offset: a list has 1 to %d decisions after at most %d", maxListed, maxSkipped).WithHint("Read further with the cursor of `list_decisions`")
	}
	leaveOut(params, "offset", "limit")
	if words, ok := params["search"].(string); ok {
		return d.searchPage(ctx, params, words, limit, offset)
	}
	o, _ := tools.Find(tools.Catalog, "list_decisions")
	decisions, total := []any{}, any(nil)
	for skipped := 0; len(decisions) < limit; {
		params["limit"] = min(listPage, offset-skipped+limit-len(decisions))
		page, err := d.ask(ctx, o, params)
		if err != nil {
			return nil, true, err
		}
		if total == nil {
			total = cmp.Or(page["total"], page["totalAtLeast"])
		}
		eachItem(page, "decisions", func(one object) {
			if skipped < offset {
				skipped++
			} else {
				decisions = append(decisions, one)
			}
		})
		if params["cursor"] = page["nextCursor"]; page["nextCursor"] == nil {
			break
		}
	}
	if total == nil {
		total = offset + len(decisions)
	}
	return inList(decisions, total, limit, offset), true, nil
}

// inList returns a list of decisions with the members that CSTP clients read.
func inList(decisions []any, total any, limit, offset int) object {
	answer := object{"decisions": decisions, "total": total, "limit": limit, "offset": offset}
	eachItem(answer, "decisions", func(one object) {
		one["summary"], one["created_at"], one["recorded_by"] = one["title"], one["date"], one["agentId"]
	})
	return answer
}

func (d *Server) searchPage(ctx context.Context, params object, words string, limit, offset int) (any, bool, error) {
	const maximum = 50
	o, _ := tools.Find(tools.Catalog, "query_decisions")
	leaveOut(params, "search", "sort", "order", "cursor")
	arguments := object{"query": words, "retrieval_mode": "keyword", "no_links": true, "limit": maximum}
	if len(params) > 0 {
		arguments["filters"] = params
	}
	found, err := d.ask(ctx, o, arguments)
	if err != nil {
		return nil, true, err
	}
	all, _ := found["decisions"].([]any)
	from := min(offset, len(all))
	return inList(all[from:min(from+limit, len(all))], len(all), limit, offset), true, nil
}

// ask runs an operation and returns its answer in camelCase.
func (d *Server) ask(ctx context.Context, o tools.Operation, arguments object) (object, error) {
	raw, err := text(arguments)
	if err != nil {
		return nil, err
	}
	out, err := d.runner.Run(ctx, o, raw)
	if err != nil {
		return nil, err
	}
	if raw, err = text(out); err != nil {
		return nil, err
	}
	var answer object
	if err := decode(raw, &answer); err != nil {
		return nil, err
	}
	answer, _ = toCamelCase(answer, o.Output()).(object)
	return answer, nil
}

func integerParam(params object, name string, fallback int) int {
	n, ok := params[name].(json.Number)
	if !ok {
		if params[name] != nil {
			return -1
		}
		return fallback
	}
	input, err := n.Int64()
	if err != nil {
		return -1
	}
	return int(input)
}

func guardrailsOut(ctx context.Context, d *Server, answer, _ object) (any, *problem) {
	answer["agent"] = d.options.Card.Name
	return answer, nil
}

func statsIn(_ context.Context, params object) error {
	if err := cmp.Or(renameParam(params, "date_after", "dateFrom", "date_from"), renameParam(params, "date_before", "dateTo", "date_to")); err != nil {
		return err
	}
	inUTC(params, "date_after", "date_before")
	withoutNull(params, "project")
	return nil
}

// compactIn drops dry_run, because the operation changes nothing.
func compactIn(_ context.Context, params object) error {
	leaveOut(params, "dryRun", "dry_run")
	withoutNull(params, "category")
	return nil
}

func compactOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	answer["dryRun"] = false
	return answer, nil
}

// trackerIn accepts a tracker key as the session.
func trackerIn(_ context.Context, params object) error {
	if err := renameParam(params, "session_id", "key", "sessionId"); err != nil {
		return err
	}
	leaveOut(params, "includeConsumed", "include_consumed")
	return nil
}

func trackerOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	key := str(answer["sessionId"])
	sessions, detail := []any{}, object{}
	if inputs, _ := answer["inputs"].([]any); len(inputs) > 0 {
		eachItem(answer, "inputs", func(one object) {
			one["source"] = "session"
			if at, err := time.Parse(time.RFC3339Nano, str(one["at"])); err == nil {
				one["ageSeconds"] = max(0, int64(time.Since(at).Seconds()))
			}
		})
		sessions, detail[key] = append(sessions, key), object{"key": key, "inputCount": len(inputs), "inputs": inputs}
	}
	return object{"sessions": sessions, "sessionCount": len(sessions), "detail": detail, "consumed": []any{}}, nil
}

// linkIn drops parameters that the stored decision contains.
func linkIn(_ context.Context, params object) error {
	leaveOut(params, "stakes", "hasOutcome", "has_outcome")
	return nil
}

// evidenceNames maps members of the answers of evidence methods to their names in CSTP.
var evidenceNames = map[string]string{"headHash": "head_hash", "firstSeq": "first_seq", "decisionId": "decision_id", "attestedSeq": "attested_seq", "insufficientEvidence": "insufficient_evidence",
	"insufficientEvidenceCount": "insufficient_evidence_count", "attestedOnlyControls": "attested_only_controls", "chainHeadHash": "chain_head_hash", "chainIntact": "chain_intact",
	"brokenAtSeq": "broken_at_seq", "expectedHash": "expected_hash", "tailCheck": "tail_check", "totalEvents": "total_events", "mappedEvents": "mapped_events", "unmappedEvents": "unmapped_events",
	"coveragePct": "coverage_pct", "eventType": "event_type", "evidenceClass": "evidence_class", "prNumber": "pr_number", "ruleId": "rule_id", "functionId": "function_id", "controlName": "control_name"}

func evidenceOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	return toSnake(answer), nil
}

func toSnake(value any) any {
	switch v := value.(type) {
	case object:
		for name, theirs := range evidenceNames {
			if member, ok := v[name]; ok {
				delete(v, name)
				v[theirs] = member
			}
		}
		for _, member := range v {
			toSnake(member)
		}
	case []any:
		for _, one := range v {
			toSnake(one)
		}
	}
	return value
}

// exportIn accepts the supported formats; the caller writes files.
func exportIn(_ context.Context, params object) error {
	leaveOut(params, "output_dir", "outputDir", "mappings_dir", "mappingsDir")
	return nil
}
