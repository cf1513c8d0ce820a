package tools

import (
	"cmp"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// Toolset is a named group of operations that MCP serves or omits as a whole. The command line has all toolsets.
type Toolset struct {
	Name    string
	Use     string
	Default bool // served over MCP unless other toolsets are selected
	Listing      // default listing of its operations
}

// Listing is the condition under which tools/list includes a served operation. Calls by name do not depend on it.
type Listing string

// The listings. A toolset named in --toolsets is always listed.
const (
	ListedAlways        Listing = ""
	ListedNever         Listing = "never"
	ListedConversations Listing = "once conversations were imported"
	ListedAtlases       Listing = "once an atlas is loaded"
)

// Toolsets lists all toolsets in the order of docs/reference/tools.md.
var Toolsets = []Toolset{
	{Name: "policy", Use: "Check actions; read policies and thresholds live.", Default: true},
	{Name: "decisions", Use: "Record decisions, find precedents, review outcomes.", Default: true},
	{Name: "memory", Use: "Find, explain and reconstruct earlier sessions.", Default: true,
		Listing: ListedConversations},
	{Name: "memories", Use: "Search, count, import and forget memory."},
	{Name: "graph", Use: "Links between decisions.", Default: true},
	{Name: "explore", Use: "Lists of decisions, paths between them, dependents of failed decisions; the schema of the graph."},
	{Name: "insight", Use: "Drift, wisdom, salience, contradictions and plots of the decision record."},
	{Name: "tables", Use: "Decision tables."},
	{Name: "history", Use: "Versions and changes; verdicts and their explanations."},
	{Name: "lab", Use: "Replay of recorded actions with changed rules; proposals of changes."},
	{Name: "knowledge", Use: "Federation sources and subject concepts.", Default: true},
	{Name: "query", Use: "Read-only Cypher, and a search for operations.", Default: true},
	{Name: "queries", Use: "Named queries of this installation, from its queries folder.", Default: true},
	{Name: "trace", Use: "Sessions and their chained events."},
	{Name: "agents", Use: "Agents of other servers: intents, shared decisions, guardrails; and operations that only CSTP offers."},
	{Name: "evidence", Use: "Evidence for auditors: observations of other systems, linked decisions, controls."},
	{Name: "cra", Use: "Governed sessions: atlases and their contexts. Always listed if the server has --atlases.",
		Default: true, Listing: ListedAtlases},
	{Name: "samples", Use: "The shipped named queries, as examples."},
	{Name: "manage", Use: "Change thresholds, apply packs, export thresholds for scripts."},
	{Name: "tokens", Use: "API tokens and their usage."},
}

// presets are selections across toolsets: core is what a coding agent needs most, minimal fits the smallest context.
var presets = map[string]string{
	"core":    "check_action get_session_context log_decision get_decision update_decision review_outcome ready get_policy get_threshold pre_action query_decisions record_thought",
	"minimal": "get_policy get_threshold check_action pre_action log_decision query_decisions get_graph find_tools",
}

// inToolset returns operations, most of which belong to one toolset. An operation that names another toolset belongs
// to that.
func inToolset(name string, operations ...Operation) []Operation {
	for i := range operations {
		operations[i].Toolset = cmp.Or(operations[i].Toolset, name)
	}
	return operations
}

// Catalog lists all operations in the order of docs/reference/tools.md.
var Catalog = slices.Concat(preActionOperations, contextOperations, actionItemOperations, checkOperations,
	decisionOperations, precedentOperations, recallOperations, calibrationOperations, circuitOperations, linkOperations,
	policyOperations, tableOperations, knowledgeOperations, queryOperations, findingOperations, nameOperations,
	historyOperations, labOperations, proposalOperations, traceOperations, changeOperations, freezeOperations, packOperations,
	atlasOperations, sessionOperations, approvalOperations, agentOperations, evidenceOperations, peerOperations,
	federationOperations, exchangeOperations, webhookOperations, importOperations, memoryOperations,
	tokenOperations)

// Find returns the operation with this name.
func Find(operations []Operation, name string) (Operation, bool) {
	i := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return Operation{}, false
	}
	return operations[i], true
}

// Select returns the operations in the named toolsets. "default" and "all" select several toolsets, presets
// operations of any toolset. An operation that only "default" selects is listed as the operation and its
// toolset declare; others are always listed. It returns a validation_error that lists the names for an unknown one.
func Select(operations []Operation, names []string) ([]Operation, error) {
	named, byDefault, chosen := map[string]bool{}, map[string]Listing{}, []string(nil)
	for _, name := range names {
		preset, known := presets[name]
		chosen = append(chosen, strings.Fields(preset)...)
		known = known || name == "all" || name == "default"
		for _, set := range Toolsets {
			switch {
			case set.Name == name || name == "all":
				named[set.Name], known = true, true
			case name == "default" && set.Default:
				byDefault[set.Name] = set.Listing
			}
		}
		if !known {
			return nil, apperr.Newf(apperr.Validation, "Unknown toolset %q", name).
				WithHint("Use default, core, minimal, all, %s", strings.Join(toolsetNames(), ", "))
		}
	}
	var selected []Operation
	for _, o := range operations {
		listing, standard := byDefault[o.Toolset]
		switch {
		case named[o.Toolset] || slices.Contains(chosen, o.Name):
			o.Listing = ListedAlways
		case !standard:
			continue
		case o.Listing == ListedAlways:
			o.Listing = listing
		}
		selected = append(selected, o)
	}
	return selected, nil
}

func toolsetNames() []string {
	return lists.Map(Toolsets, func(set Toolset) string { return set.Name })
}
