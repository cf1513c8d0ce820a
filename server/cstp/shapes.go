package cstp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"nomograph/agents"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tools"
)

// shape describes how a CSTP method differs from its operation, so that existing CSTP clients work unchanged.
type shape struct {
	// in moves parameters of clients to the operation's arguments, in either spelling.
	in step
	// instead answers in place of the operation.
	instead func(ctx context.Context, d *Server, params object) (object, error)
	// out changes the answer, which is in camelCase.
	out change
	// reply changes the answer after out, if that needs more than the answer.
	reply func(ctx context.Context, d *Server, answer, params object) (any, *problem)
	// failed returns the answer for an error; nil if it remains an error.
	failed func(err error) any
}

// step changes the parameters of a call.
type step func(ctx context.Context, params object) error

// change changes an answer, or an object in it.
type change func(answer object)

var (
	decisionID = renamed("id", "decision_id", "decisionId")
	between    = steps(renamed("date_after", "dateFrom", "date_from"), renamed("date_before", "dateTo", "date_to"),
		inUTC("date_after", "date_before"))
	duration   = copied("queryTime", "queryTimeMs")
	summarized = copied("summary", "title")
	ofFiles    = without("output_dir", "outputDir", "mappings_dir", "mappingsDir") // which the caller writes
)

var shapes = map[string]shape{
	"cstp.queryDecisions": {in: steps(renamed("limit", "top_k", "topK"),
		without("hybridWeight", "hybrid_weight", "compacted", "includeDetail", "include_detail", "includeReasons",
			"include_reasons"),
		standard("limit", json.Number("10")), nonNull("bridgeSide", "filters"), queryIn, agentOfToken),
		reply: queryOut},
	"cstp.checkGuardrails": {in: steps(opened("action"), nonNull("category", "confidence", "stakes", "context"),
		agentOfToken), reply: checkOut},
	"cstp.announceIntent": {in: steps(agentURL, agentOfToken)},
	"cstp.recordDecision": {in: steps(opened("project_context", "projectContext"),
		without("preDecision", "pre_decision", "decisionId", "decision_id", "relatedTo", "related_to", "summary"),
		recordIn, nonNull("context", "project", "feature", "pr", "file", "line", "commit", "pattern")),
		reply: recordOut},
	"cstp.updateDecision": {in: steps(decisionID, opened("updates")),
		out: changes(snaked("updatedFields"), set("indexed", true))},
	"cstp.getDecision":    {in: decisionID, out: inside("decision", storedDecision), failed: notFoundResult},
	"cstp.reviewDecision": {in: decisionID, out: changes(copied("path", "uri"), set("reindexed", true))},
	"cstp.recordThought": {in: renamed("decision_id", "decisionId", "id"),
		out: changes(copied("tracker_key", "sessionId"), snaked("decisionId", "stepNumber"))},
	"cstp.preAction": {in: steps(within("action", nonNull("category", "confidence", "stakes", "context")),
		nonNull("pattern", "options", "reasons", "tags"), agentOfToken),
		out: changes(each("guardrailResults", nameViolation), preActionOut, present([]any{}, "patternsSummary"),
			each("patternsSummary", copied("count", "recorded")))},
	"cstp.getSessionContext": {in: steps(standard("format", "json"),
		nonNull("taskDescription", "task_description", "include"), agentOfToken), reply: contextOut},
	"cstp.ready": {in: agentOfToken, out: each("actions", moved("decisionId", "id"))},
	"cstp.getCalibration": {in: steps(agentName,
		without("agent", "minDecisions", "min_decisions", "feature", "since", "until"),
		nonNull("category", "project", "stakes", "window")), out: changes(calibrationOut, duration)},
	"cstp.getReasonStats":    {in: agentOfToken, out: changes(reasonStatsOut, duration)},
	"cstp.checkDrift":        {in: agentOfToken, out: driftOut},
	"cstp.attributeOutcomes": {in: steps(attributeIn, nonNull("since")), out: attributeOut},
	"cstp.reindex":           {instead: reindexOut},
	"cstp.listDecisions": {in: steps(renamed("agent_id", "agent"), between, nonEmpty,
		listed("stakes", "status", "tags")), instead: pageByOffset},
	"cstp.ingestEvidence": {out: evidenceOut},
	"cstp.linkEvidence": {in: without("stakes", "hasOutcome", "has_outcome"),
		out: evidenceOut}, // the stored decision has these
	"cstp.mapControls":          {in: ofFiles, out: evidenceOut},
	"cstp.exportEvidenceBundle": {in: ofFiles, instead: bundleOut},
	"cstp.verifyEvidenceChain":  {out: evidenceOut},
	"cstp.listGuardrails":       {in: agentOfToken, reply: guardrailsOut},
	"cstp.getStats":             {in: steps(between, nonNull("project"))},
	"cstp.compact": {in: steps(without("dryRun", "dry_run"), nonNull("category")),
		out: set("dryRun", false)}, // the operation changes nothing
	"cstp.debugTracker": {in: steps(renamed("session_id", "key", "sessionId"),
		without("includeConsumed", "include_consumed")), reply: trackerOut},
	"cstp.getGraph":     {out: each("nodes", summarized)},
	"cstp.getNeighbors": {out: each("neighbors", inside("node", summarized))},
	"cstp.getCompacted": {in: steps(atMost("limit", 100), nonNull("category", "level")),
		out: each("decisions", copied("level", "compactionLevel"), copied("decision", "text"))},
	"cstp.setPreserve": {in: decisionID, out: copied("decisionId", "id")},
	"cstp.listBreakers": {out: each("breakers", snaked("failureCount", "failureThreshold", "windowMs", "cooldownMs",
		"cooldownRemainingMs", "openedAt", "probeInFlight"),
		set("from_config", true))}, // a policy declares it permanently
	"cstp.resetCircuit": {out: changes(copied("previous_state", "previousState"),
		copied("new_state", "newState"))}, // the method defines one spelling, and the dashboard reads the other
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

// queryIn completes a search: the mode, and filters that are next to the query.
func queryIn(ctx context.Context, params object) error {
	if params["retrievalMode"] == nil && params["retrieval_mode"] == nil {
		leaveOut(params, "retrievalMode")
		params["retrieval_mode"] = "semantic"
	}
	filters := childOf(params, "filters")
	for _, name := range []string{"category", "project",
		"hasOutcome"} { // CSTP's dashboard sends these in addition to the query
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
	maps.DeleteFunc(filters, func(_ string, value any) bool { return value == nil })
	return steps(listed("stakes", "status", "outcome", "tags"),
		inUTC("dateAfter", "dateBefore", "date_after", "date_before"))(ctx, filters)
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

// agentURL reads the URL of the agent.
func agentURL(_ context.Context, params object) error {
	if agent, ok := params["agent"].(object); ok && agent["url"] != nil {
		return setParam(params, "agent_url", agent["url"], "agent.url", "agent_url")
	}
	return nil
}

// recordIn moves the trace to the deliberation, and completes reasons.
func recordIn(ctx context.Context, params object) error {
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
	return within("bridge", renamed("function", "purpose"))(ctx, params)
}

func recordOut(_ context.Context, _ *Server, answer, _ object) (any, *problem) {
	if answer["success"] != true { // a client that expects an id learns that there is none
		var why []string
		eachItem(answer, "violations", func(one object) {
			why = append(why, fmt.Sprintf("%v: %v", one["guardrailId"], one["message"]))
		})
		return nil, &problem{Code: recordFailed, Message: "The decision was not recorded: " + strings.Join(why, "; "),
			Data: answer}
	}
	snaked("guardrailWarnings", "deliberationAuto", "deliberationInputsCount", "bridgeAuto", "bridgeMethod",
		"relatedCount", "graphEdgesCreated")(answer)
	eachItem(answer, "guardrail_warnings", nameViolation)
	answer["path"], answer["indexed"] = answer["uri"], true
	return answer, nil
}

// storedDecision adds the members of a decision that CSTP clients read.
func storedDecision(d object) {
	d["date"], d["recorded_by"], d["summary"] = d["created_at"], d["agent"], d["decision"]
	if where := partOf(d, "project", "feature", "pr", "file", "line", "commit"); len(where) > 0 {
		d["project_context"] = where
	}
	if d["structure"] != nil || d["function"] != nil {
		d["bridge"] = partOf(d, "structure", "function", "tolerance", "enforcement", "prevention")
	}
	if reviews, _ := d["reviews"].([]any); len(reviews) > 0 {
		if review, ok := reviews[0].(object); ok {
			d["reviewed_at"], d["actual_result"], d["lessons"], d["review_notes"] = review["at"],
				review["actual_result"], review["lessons"], review["notes"]
		}
	}
}

// partOf returns the members with these names that are not null.
func partOf(of object, names ...string) object {
	part := object{}
	for _, name := range names {
		if of[name] != nil {
			part[name] = of[name]
		}
	}
	return part
}

func notFoundResult(err error) any {
	if apperr.Is(err, apperr.NotFound) {
		return object{"found": false, "error": apperr.From(err).Error()}
	}
	return nil
}

// preActionOut adds a distance to each precedent.
func preActionOut(answer object) {
	eachItem(answer, "relevantDecisions", func(one object) {
		if one["distance"] == nil { // without vectors, the score is that of full text
			var words *float64
			if answer["retrievalMode"] == "keyword" {
				words = number(one["score"])
			}
			one["distance"] = agents.Distance(nil, words)
		}
	})
}

func contextOut(_ context.Context, _ *Server, answer, params object) (any, *problem) {
	if params["format"] == "markdown" {
		return answer, nil
	}
	changes(present([]any{}, "relevantDecisions", "activeGuardrails", "readyQueue", "confirmedPatterns"),
		present(object{}, "calibrationByCategory"))(answer)
	eachItem(answer, "activeGuardrails", func(one object) {
		clauses := func(name string) []any {
			if text := str(one[name]); text != "" {
				return []any{object{"field": "action", "operator": "cel", "value": text}}
			}
			return []any{}
		}
		one["description"], one["conditions"], one["requirements"] = str(one["description"]), clauses("appliesWhen"),
			clauses("requires")
		present([]any{}, "scope")(one)
	})
	return answer, nil
}

// agentName reads the agent of the decisions, which is not the caller.
func agentName(_ context.Context, params object) error {
	if name, ok := params["agent"].(string); ok {
		return setParam(params, "agent_id", name, "agent", "agent_id")
	}
	return nil
}

func calibrationOut(answer object) {
	buckets := []any{}
	eachItem(answer, "byConfidenceBucket", func(one object) {
		if one["successRate"] != nil { // CSTP omits entries without a success rate
			buckets = append(buckets, one)
		}
	})
	answer["byConfidenceBucket"] = buckets
	overall := childOf(answer, "overall")
	if answer["overall"] == nil { // CSTP's dashboard expects an object
		delete(answer, "overall")
	} else if overall != nil { // CSTP's command line reads these members
		changes(copied("total_decisions", "totalDecisions"), copied("reviewed_decisions", "reviewedDecisions"),
			copied("brier_score", "brierScore"))(overall)
		maps.Copy(overall, partOf(answer, "window", "periodStart", "periodEnd"))
	}
}

// reasonStatsOut replaces null by 0 in fields that CSTP clients calculate with. reviewedUses is 0 if a rate has no
// data.
func reasonStatsOut(answer object) {
	eachItem(answer, "byReasonType", func(one object) {
		success, partial, reviewed := number(one["successCount"]), number(one["partialCount"]),
			number(one["reviewedUses"])
		if one["successRate"] == nil && success != nil && partial != nil && reviewed != nil &&
			*reviewed > 0 { // the operation returns no rate for so few reviews
			one["successRate"] = math.Round((*success+*partial/2) / *reviewed * 1000) / 1000
		}
		present(0, "successRate", "avgConfidence", "avgStrength")(one)
	})
	inside("diversity", present(0, "avgTypesPerDecision", "avgReasonsPerDecision"))(answer)
}

func driftOut(answer object) {
	for side, window := range map[string]string{"recent": "30d", "historical": "before"} {
		switch one := childOf(answer, side); {
		case one == nil:
		case one["brierScore"] == nil: // CSTP has no entry without data
			answer[side] = nil
		default:
			one["window"] = window
		}
	}
}

// attributeIn accepts all proposals, as in CSTP, unless it is a dry run.
func attributeIn(ctx context.Context, params object) error {
	if err := renamed("dry_run", "dryRun")(ctx, params); err != nil {
		return err
	}
	dry, _ := params["dry_run"].(bool)
	leaveOut(params, "dry_run")
	params["accept"] = !dry
	return nil
}

func attributeOut(answer object) {
	proposals, _ := answer["proposals"].([]any)
	pending, _ := answer["pending"].([]any)
	decisions := []any{}
	eachItem(answer, "proposals", func(one object) {
		decisions = append(decisions, object{"id": one["id"], "outcome": one["outcome"], "reason": one["reason"],
			"path": "nomograph://decision/" + str(one["id"]), "updated": one["accepted"] == true})
	})
	answer["decisions"], answer["attributed"] = decisions, object{"stable": len(proposals), "skipped": len(pending)}
}

func str(value any) string {
	text, _ := value.(string)
	return text
}

// bundleOut answers with the audit bundle of the evidence, and with its chain and its controls. Other formats than JSON
// become the report. A caller who may read only evidence, or a graph without any, gets an empty document and the
// reason.
func bundleOut(ctx context.Context, d *Server, params object) (object, error) {
	answer := object{}
	exported := object{"session_id": "evidence", "unsigned": true}
	if format := params["format"]; format == "markdown" || format == "pdf" || format == "both" {
		exported["format"] = "html"
	} else if format != nil {
		exported["format"] = format
	}
	head := object{}
	if params["expected_head_hash"] != nil {
		head["expected_head_hash"] = params["expected_head_hash"]
	}
	for _, call := range []struct {
		name      string
		arguments object
	}{{"export_audit", exported}, {"verify_evidence", head}, {"map_controls", object{}}} {
		part, err := d.ask(ctx, call.name, call.arguments)
		if call.name == "export_audit" && (apperr.Is(err, apperr.NotFound) || apperr.Is(err, apperr.PermissionDenied)) {
			part, err = object{"document": "", "document_error": apperr.From(err).Message}, nil
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(answer, part)
	}
	return object{"document": answer["document"], "document_error": answer["document_error"],
		"chain_head_hash": answer["headHash"], "chain_intact": answer["intact"], "coverage": answer["coverage"],
		"insufficient_evidence_count": answer["insufficientEvidenceCount"],
		"attested_only_controls":      answer["attestedOnlyControls"]}, nil
}

// reindexOut adds the duration to the answer.
func reindexOut(ctx context.Context, d *Server, params object) (object, error) {
	started := time.Now()
	answer, err := d.ask(ctx, "rebuild_index", params)
	if err != nil {
		return nil, err
	}
	answer["success"], answer["decisionsIndexed"], answer["errors"], answer["durationMs"] = true, answer["rebuilt"], 0,
		time.Since(started).Milliseconds()
	answer["message"] = fmt.Sprintf("Recreated the vectors of %v decisions", answer["rebuilt"])
	return answer, nil
}

// nonEmpty drops parameters without a value.
func nonEmpty(_ context.Context, params object) error {
	maps.DeleteFunc(params, func(_ string, value any) bool { return value == nil || value == "" })
	return nil
}

const (
	maxListed  = 500    // maximum length of a list, as in CSTP
	maxSkipped = 10_000 // skipped rows; a cursor continues from anywhere
	listPage   = 100
)

// pageByOffset returns a page by offset, or a search by words. Our pages continue from a cursor, so an offset costs as
// much as the skipped rows.
func pageByOffset(ctx context.Context, d *Server, params object) (object, error) {
	limit, offset := integerParam(params, "limit", 20), integerParam(params, "offset", 0)
	if limit < 1 || limit > maxListed || offset < 0 || offset > maxSkipped {
		return nil, apperr.Newf(apperr.Validation,
			"Invalid limit or offset: a list has 1 to %d decisions after at most %d", maxListed, maxSkipped).
			WithHint("Read further with the cursor of `list_decisions`")
	}
	leaveOut(params, "offset", "limit")
	if words, ok := params["search"].(string); ok {
		return d.searchPage(ctx, params, words, limit, offset)
	}
	decisions, total := []any{}, any(nil)
	for skipped := 0; len(decisions) < limit; {
		params["limit"] = min(listPage, offset-skipped+limit-len(decisions))
		page, err := d.ask(ctx, "list_decisions", params)
		if err != nil {
			return nil, err
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
	return inList(decisions, total, limit, offset), nil
}

// inList returns a list of decisions with the members that CSTP clients read.
func inList(decisions []any, total any, limit, offset int) object {
	answer := object{"decisions": decisions, "total": total, "limit": limit, "offset": offset}
	eachItem(answer, "decisions", func(one object) {
		one["summary"], one["created_at"], one["recorded_by"] = one["title"], one["date"], one["agentId"]
	})
	return answer
}

func (d *Server) searchPage(ctx context.Context, params object, words string, limit, offset int) (object, error) {
	const maximum = 50
	leaveOut(params, "search", "sort", "order", "cursor")
	arguments := object{"query": words, "retrieval_mode": "keyword", "no_links": true, "limit": maximum}
	if len(params) > 0 {
		arguments["filters"] = params
	}
	found, err := d.ask(ctx, "query_decisions", arguments)
	if err != nil {
		return nil, err
	}
	all, _ := found["decisions"].([]any)
	from := min(offset, len(all))
	return inList(all[from:min(from+limit, len(all))], len(all), limit, offset), nil
}

// ask runs an operation and returns its answer in camelCase.
func (d *Server) ask(ctx context.Context, operation string, arguments object) (object, error) {
	o, _ := tools.Find(tools.Catalog, operation)
	out, err := server.Run[any](ctx, d.runner, o, arguments)
	if err != nil {
		return nil, err
	}
	return inCamelCase(o, out)
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

// trackerOut returns the inputs of a session in the form of CSTP's tracker, whose key is the session.
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

// evidenceNames are the members of the answers of evidence methods that CSTP writes in snake case.
var evidenceNames = strings.Fields(`headHash firstSeq decisionId attestedSeq insufficientEvidence insufficientEvidenceCount attestedOnlyControls chainHeadHash chainIntact
	brokenAtSeq expectedHash tailCheck totalEvents mappedEvents unmappedEvents coveragePct eventType evidenceClass prNumber ruleId functionId controlName`)

func evidenceOut(answer object) { toSnake(answer) }

func toSnake(value any) {
	switch v := value.(type) {
	case object:
		snaked(evidenceNames...)(v)
		for _, member := range v {
			toSnake(member)
		}
	case []any:
		for _, one := range v {
			toSnake(one)
		}
	}
}
