package cstp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"nomograph/agents"
	"nomograph/internal/apperr"
	"nomograph/tools"
)

func preActionIn(ctx context.Context, params object) error {
	if action := childOf(params, "action"); action != nil {
		withoutNull(action, "category", "confidence", "stakes", "context")
	}
	withoutNull(params, "pattern", "options", "reasons", "tags")
	return agentOfToken(ctx, params)
}

func preActionOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	each(answer, "guardrailResults", named)
	each(answer, "relevantDecisions", func(one object) {
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
	each(answer, "patternsSummary", func(one object) { one["count"] = one["recorded"] })
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

func contextOut(_ context.Context, _ *Door, answer, given object) (any, *problem) {
	if given["format"] == "markdown" {
		return answer, nil
	}
	for _, name := range []string{"relevantDecisions", "activeGuardrails", "readyQueue", "confirmedPatterns"} {
		if answer[name] == nil {
			answer[name] = []any{}
		}
	}
	each(answer, "activeGuardrails", func(one object) {
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

func readyOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	each(answer, "actions", func(one object) { move(one, "decisionId", "id") })
	return answer, nil
}

func calibrationIn(ctx context.Context, params object) error {
	if name, ok := params["agent"].(string); ok { // whose decisions, not who asks
		if err := put(params, "agent_id", name, "agent", "agent_id"); err != nil {
			return err
		}
	}
	leaveOut(params, "agent", "minDecisions", "min_decisions", "feature", "since", "until")
	withoutNull(params, "category", "project", "stakes", "window")
	return nil
}

func calibrationOut(ctx context.Context, d *Door, answer, given object) (any, *problem) {
	buckets := []any{}
	each(answer, "byConfidenceBucket", func(one object) {
		if one["successRate"] != nil { // CSTP omits entries without a success rate
			buckets = append(buckets, one)
		}
	})
	answer["byConfidenceBucket"] = buckets
	if answer["overall"] == nil { // CSTP's dashboard expects an object
		delete(answer, "overall")
	}
	if overall := childOf(answer, "overall"); overall != nil { // CSTP's command line reads these
		for theirs, name := range map[string]string{"total_decisions": "totalDecisions", "reviewed_decisions": "reviewedDecisions", "brier_score": "brierScore"} {
			overall[theirs] = overall[name]
		}
		for _, name := range []string{"window", "periodStart", "periodEnd"} {
			if answer[name] != nil {
				overall[name] = answer[name]
			}
		}
	}
	return timed(ctx, d, answer, given)
}

// reasonStatsOut returns numbers where CSTP clients calculate with them; reviewedUses says when there is no data.
func reasonStatsOut(ctx context.Context, d *Door, answer, given object) (any, *problem) {
	numbered := func(one object, names ...string) {
		for _, name := range names {
			if one[name] == nil {
				one[name] = 0
			}
		}
	}
	each(answer, "byReasonType", func(one object) {
		success, partial, reviewed := number(one["successCount"]), number(one["partialCount"]), number(one["reviewedUses"])
		if one["successRate"] == nil && success != nil && partial != nil && reviewed != nil && *reviewed > 0 { // too few for a rate of ours
			one["successRate"] = math.Round((*success+*partial/2) / *reviewed * 1000) / 1000
		}
		numbered(one, "successRate", "avgConfidence", "avgStrength")
	})
	if diversity := childOf(answer, "diversity"); diversity != nil {
		numbered(diversity, "avgTypesPerDecision", "avgReasonsPerDecision")
	}
	return timed(ctx, d, answer, given)
}

// inBreakers are members of a list of breakers in this spelling.
var inBreakers = map[string]string{"failureCount": "failure_count", "failureThreshold": "failure_threshold", "windowMs": "window_ms", "cooldownMs": "cooldown_ms",
	"cooldownRemainingMs": "cooldown_remaining_ms", "openedAt": "opened_at", "probeInFlight": "probe_in_flight"}

func breakersOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	each(answer, "breakers", func(one object) {
		for name, theirs := range inBreakers {
			move(one, theirs, name)
		}
		one["from_config"] = true // a policy declares it permanently
	})
	return answer, nil
}

// resetOut returns both spellings: CSTP's method defines one, its dashboard reads the other.
func resetOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	answer["previous_state"], answer["new_state"] = answer["previousState"], answer["newState"]
	return answer, nil
}

// timed returns the duration under CSTP's name.
func timed(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	answer["queryTime"] = answer["queryTimeMs"]
	return answer, nil
}

func driftOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
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
	if err := said(params, "dry_run", "dryRun"); err != nil {
		return err
	}
	dry, _ := params["dry_run"].(bool)
	leaveOut(params, "dry_run")
	params["accept"] = !dry
	withoutNull(params, "since")
	return nil
}

func attributeOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	proposals, _ := answer["proposals"].([]any)
	waiting, _ := answer["waiting"].([]any)
	decisions := []any{}
	each(answer, "proposals", func(one object) {
		decisions = append(decisions, object{"id": one["id"], "outcome": one["outcome"], "reason": one["reason"], "path": "nomograph://decision/" + str(one["id"]), "updated": one["accepted"] == true})
	})
	answer["decisions"], answer["attributed"] = decisions, object{"stable": len(proposals), "skipped": len(waiting)}
	return answer, nil
}

func str(value any) string {
	text, _ := value.(string)
	return text
}

// reindexed also returns the duration.
func reindexed(ctx context.Context, d *Door, given object) (any, bool, error) {
	started := time.Now()
	o, _ := tools.Find(tools.Catalog, "rebuild_index")
	answer, err := d.ask(ctx, o, given)
	if err != nil {
		return nil, true, err
	}
	answer["success"], answer["decisionsIndexed"], answer["errors"], answer["durationMs"] = true, answer["rebuilt"], 0, time.Since(started).Milliseconds()
	answer["message"] = fmt.Sprintf("Vectors were made anew of %v decisions", answer["rebuilt"])
	return answer, true, nil
}

func graphOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	each(answer, "nodes", summarized)
	return answer, nil
}

func neighborsOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	each(answer, "neighbors", func(one object) { summarized(childOf(one, "node")) })
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

// atMost reduces a limit to ours.
func atMost(params object, most int64) {
	if n, ok := params["limit"].(json.Number); ok {
		if given, err := n.Int64(); err == nil && given > most {
			params["limit"] = json.Number(strconv.FormatInt(most, 10))
		}
	}
}

func compactedOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	each(answer, "decisions", func(one object) { one["level"], one["decision"] = one["compactionLevel"], one["text"] })
	return answer, nil
}

func preserveOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	answer["decisionId"] = answer["id"]
	return answer, nil
}

func listIn(_ context.Context, params object) error {
	if err := cmp.Or(said(params, "agent_id", "agent"), said(params, "date_after", "dateFrom", "date_from"), said(params, "date_before", "dateTo", "date_to")); err != nil {
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
	maxListed  = 500    // of one list, as in CSTP
	maxSkipped = 10_000 // skipped rows; a cursor continues from anywhere
	listPage   = 100
)

// listed returns a page by offset, or a search by words. Our pages continue from a cursor, so an offset costs as much as
// the skipped rows.
func listed(ctx context.Context, d *Door, given object) (any, bool, error) {
	limit, offset := whole(given, "limit", 20), whole(given, "offset", 0)
	if limit < 1 || limit > maxListed || offset < 0 || offset > maxSkipped {
		return nil, true, apperr.Newf(apperr.Validation, "Invalid limit or offset: a list has 1 to %d decisions after at most %d", maxListed, maxSkipped).WithHint("Read further with the cursor of `list_decisions`")
	}
	leaveOut(given, "offset", "limit")
	if words, ok := given["search"].(string); ok {
		return d.searched(ctx, given, words, limit, offset)
	}
	o, _ := tools.Find(tools.Catalog, "list_decisions")
	decisions, total := []any{}, any(nil)
	for skipped := 0; len(decisions) < limit; {
		given["limit"] = min(listPage, offset-skipped+limit-len(decisions))
		page, err := d.ask(ctx, o, given)
		if err != nil {
			return nil, true, err
		}
		if total == nil {
			total = cmp.Or(page["total"], page["totalAtLeast"])
		}
		each(page, "decisions", func(one object) {
			if skipped < offset {
				skipped++
			} else {
				decisions = append(decisions, one)
			}
		})
		if given["cursor"] = page["nextCursor"]; page["nextCursor"] == nil {
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
	each(answer, "decisions", func(one object) {
		one["summary"], one["created_at"], one["recorded_by"] = one["title"], one["date"], one["agentId"]
	})
	return answer
}

func (d *Door) searched(ctx context.Context, given object, words string, limit, offset int) (any, bool, error) {
	const most = 50
	o, _ := tools.Find(tools.Catalog, "query_decisions")
	leaveOut(given, "search", "sort", "order", "cursor")
	arguments := object{"query": words, "retrieval_mode": "keyword", "no_links": true, "limit": most}
	if len(given) > 0 {
		arguments["filters"] = given
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
func (d *Door) ask(ctx context.Context, o tools.Operation, arguments object) (object, error) {
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
	answer, _ = theirs(answer, o.Output()).(object)
	return answer, nil
}

func whole(params object, name string, usual int) int {
	n, ok := params[name].(json.Number)
	if !ok {
		if params[name] != nil {
			return -1
		}
		return usual
	}
	given, err := n.Int64()
	if err != nil {
		return -1
	}
	return int(given)
}

func guardrailsOut(ctx context.Context, d *Door, answer, _ object) (any, *problem) {
	answer["agent"] = d.options.Card.Name
	return answer, nil
}

func statsIn(_ context.Context, params object) error {
	if err := cmp.Or(said(params, "date_after", "dateFrom", "date_from"), said(params, "date_before", "dateTo", "date_to")); err != nil {
		return err
	}
	inUTC(params, "date_after", "date_before")
	withoutNull(params, "project")
	return nil
}

// compactIn drops dry_run: the operation changes nothing.
func compactIn(_ context.Context, params object) error {
	leaveOut(params, "dryRun", "dry_run")
	withoutNull(params, "category")
	return nil
}

func compactOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	answer["dryRun"] = false
	return answer, nil
}

// trackerIn accepts a tracker key as the session.
func trackerIn(_ context.Context, params object) error {
	if err := said(params, "session_id", "key", "sessionId"); err != nil {
		return err
	}
	leaveOut(params, "includeConsumed", "include_consumed")
	return nil
}

func trackerOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	key := str(answer["sessionId"])
	sessions, detail := []any{}, object{}
	if inputs, _ := answer["inputs"].([]any); len(inputs) > 0 {
		each(answer, "inputs", func(one object) {
			one["source"] = "session"
			if at, err := time.Parse(time.RFC3339Nano, str(one["at"])); err == nil {
				one["ageSeconds"] = max(0, int64(time.Since(at).Seconds()))
			}
		})
		sessions, detail[key] = append(sessions, key), object{"key": key, "inputCount": len(inputs), "inputs": inputs}
	}
	return object{"sessions": sessions, "sessionCount": len(sessions), "detail": detail, "consumed": []any{}}, nil
}

// linkIn drops what the decision itself contains.
func linkIn(_ context.Context, params object) error {
	leaveOut(params, "stakes", "hasOutcome", "has_outcome")
	return nil
}

// inEvidence are members of evidence methods in this spelling.
var inEvidence = map[string]string{"headHash": "head_hash", "firstSeq": "first_seq", "decisionId": "decision_id", "attestedSeq": "attested_seq", "insufficientEvidence": "insufficient_evidence",
	"insufficientEvidenceCount": "insufficient_evidence_count", "attestedOnlyControls": "attested_only_controls", "chainHeadHash": "chain_head_hash", "chainIntact": "chain_intact",
	"brokenAtSeq": "broken_at_seq", "expectedHash": "expected_hash", "tailCheck": "tail_check", "totalEvents": "total_events", "mappedEvents": "mapped_events", "unmappedEvents": "unmapped_events",
	"coveragePct": "coverage_pct", "eventType": "event_type", "evidenceClass": "evidence_class", "prNumber": "pr_number", "ruleId": "rule_id", "functionId": "function_id", "controlName": "control_name"}

func evidenceOut(_ context.Context, _ *Door, answer, _ object) (any, *problem) {
	return snaked(answer), nil
}

func snaked(value any) any {
	switch v := value.(type) {
	case object:
		for name, theirs := range inEvidence {
			if member, ok := v[name]; ok {
				delete(v, name)
				v[theirs] = member
			}
		}
		for _, member := range v {
			snaked(member)
		}
	case []any:
		for _, one := range v {
			snaked(one)
		}
	}
	return value
}

// exportIn accepts the supported formats; the caller writes files.
func exportIn(_ context.Context, params object) error {
	leaveOut(params, "output_dir", "outputDir", "mappings_dir", "mappingsDir")
	return nil
}
