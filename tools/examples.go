package tools

import "strings"

// examples are command lines that work, by operation: what help shows. Decisions, verdicts and sessions in them stand for some
// that are there.
var examples = map[string]string{
	"check_action":             `policy check "Move the database" --stakes high --confidence 0.8`,
	"get_policy":               `policy get NoTemporalFacet`,
	"get_threshold":            `threshold get claim_promotion_confidence --value`,
	"list_policies":            `policy list --active`,
	"list_thresholds":          `threshold list --table D10`,
	"pre_action":               `decision prepare "Move the queue to a table" --category architecture --stakes medium --confidence 0.8 --reason "analysis: one thing less to run"`,
	"get_session_context":      `context "Speed up the import"`,
	"ready":                    `decision ready`,
	"log_decision":             `decision log "Use a table as the queue" --category architecture --confidence 0.8 --reason "analysis: one thing less to run"`,
	"get_decision":             `decision show b71abea8`,
	"update_decision":          `decision update b71abea8 --tags storage,queue`,
	"review_outcome":           `decision review b71abea8 success --lessons "Measure before"`,
	"query_decisions":          `decision query "queue" --category architecture --since 6mo`,
	"get_stats":                `stats show`,
	"get_reason_stats":         `stats reasons`,
	"list_breakers":            `circuit list`,
	"get_circuit_state":        `circuit show stakes:high`,
	"reset_circuit":            `circuit reset stakes:high --reason "the cause is mended"`,
	"record_thought":           `decision think "The replica lags by two seconds" --on b71abea8`,
	"link_decisions":           `decision link c4a6716b b71abea8 --type depends_on`,
	"unlink_decisions":         `decision unlink c4a6716b b71abea8 --type depends_on --why "a mistake"`,
	"get_graph":                `decision graph b71abea8 --format mermaid`,
	"get_neighbors":            `decision neighbors b71abea8`,
	"list_decisions":           `decision list --since 2w --stakes high`,
	"find_path":                `decision path b71abea8 c4a6716b`,
	"get_lineage":              `decision lineage b71abea8`,
	"get_schema":               `schema SYS_Policy`,
	"get_today":                `today`,
	"list_contradictions":      `decision contradictions`,
	"get_wisdom":               `decision wisdom --category architecture`,
	"get_compacted":            `decision compacted`,
	"set_preserve":             `decision preserve b71abea8`,
	"get_salient":              `decision salient`,
	"propose_outcomes":         `decision attribute --for-project acme/shop --since 6mo`,
	"check_drift":              `stats drift`,
	"plot_calibration":         `stats plot`,
	"rebuild_stats":            `stats rebuild`,
	"evaluate_table":           `table evaluate D10 --inputs confidence=0.95`,
	"get_table":                `table get D10`,
	"list_tables":              `table list`,
	"explain_verdict":          `verdict explain 019aa0b1-7c3d --replay`,
	"list_verdicts":            `verdict list --since 1h`,
	"prune_verdicts":           `verdict prune`,
	"get_history":              `history list threshold claim_promotion_confidence`,
	"compare_versions":         `history diff threshold claim_promotion_confidence --from 2w`,
	"revert":                   `history revert threshold claim_promotion_confidence --to yesterday --reason "set by mistake"`,
	"get_federation_sources":   `federation list --status planned`,
	"get_subject_concepts":     `subject list --limit 5`,
	"run_cypher_readonly":      `cypher "MATCH (p:SYS_Policy {active: true}) RETURN p.name ORDER BY p.name"`,
	"list_sessions":            `session list`,
	"get_session":              `session show invoices-42`,
	"verify_trace":             `trace verify`,
	"changes_since":            `query changes-since`,
	"decisions_judged_by_rule": `query decisions-judged-by-rule no-high-stakes-low-confidence`,
	"history_of":               `query history-of claim_promotion_confidence`,
	"policies_of_table":        `query policies-of-table D10`,
	"precedents_of_decision":   `query precedents-of-decision b71abea8`,
	"tables_downstream":        `query tables-downstream D10`,
	"thresholds_nothing_reads": `query thresholds-nothing-reads`,
	"get_index_status":         `index status`,
	"rebuild_index":            `index rebuild`,
	"lint_policies":            `policy lint core`,
	"sync_policies":            `policy sync`,
	"set_threshold":            `threshold set claim_promotion_confidence 0.85 --reason "reviewed with the team"`,
	"apply_packs":              `policy apply core chrystallum`,
	"export_thresholds":        `env --table D10`,
	"export_pack":              `policy export core`,
	"import_guardrails":        `policy import guardrails.yaml --as team`,
	"validate_packs":           `policy validate team.yaml`,
	"test_packs":               `policy test team.yaml`,
	"diff_packs":               `policy diff team.yaml`,
	"import_adr":               `import adr docs/decisions --for-project acme/shop --dry-run`,
	"import_jsonl":             `import jsonl decisions.jsonl`,
	"import_cstp":              `import cstp decisions --dry-run`,
}

// Example is a command line of the operation, without the program's name. Of a query of one's own it is the usage.
func (o Operation) Example() string {
	if text := examples[o.Name]; text != "" {
		return text
	}
	if strings.HasPrefix(o.CLI.Command, "query ") {
		return o.Usage()
	}
	return ""
}
