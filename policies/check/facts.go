package check

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/internal/redact"
	"nomograph/policies"
)

// factsVersion is the schema_version of verdicts that store facts. An absent fact is unknown before this version.
const factsVersion = 2

// Facts are what a verdict stores for replay and reports, besides the action itself.
type Facts struct {
	ActionKey string        `json:"action_key" jsonschema:"key of the act: the same for its check, its retries and its recording"`
	Masked    []string      `json:"masked" jsonschema:"paths whose stored value differs from what the rules saw"`
	Applied   []AppliedRule `json:"applied" jsonschema:"rules whose condition applied"`
	// Consensus is {} if a rule read the consensus but no consensus existed, and absent if no rule read it.
	Consensus json.RawMessage `json:"consensus,omitempty" jsonschema:"consensus that the rules saw"`
	Model     string          `json:"model,omitempty" jsonschema:"language model, as the acting agent reported it"`
}

// AppliedRule is a rule whose condition applied to an action.
type AppliedRule struct {
	Rule   string `json:"rule"`
	Result string `json:"result" jsonschema:"passed, violated, or error: it could not be evaluated"`
}

// Values of overridden_by.
const (
	ByForce    = "force"    // the caller recorded a decision in spite of the denial
	ByApproval = "approval" // a person approved the action
)

// Override records that a denied action proceeds: by ByForce or ByApproval, with the reason or the approval. The reason
// is free text, so only by distinguishes the two.
func (v *Verdict) Override(by, reason string) { v.OverriddenBy, v.Forced = by, reason }

// exceeded records that a limit allowed the action at first but was exceeded when the verdict was stored.
func (v *Verdict) exceeded(name string) {
	v.Applied = slices.Clone(v.Applied)
	for i := range v.Applied {
		if v.Applied[i].Rule == name {
			v.Applied[i].Result = Violated
		}
	}
}

// storeFacts adds the facts of a verdict to its properties.
func (j Evaluation) storeFacts(properties map[string]any, inputs storedInputs) error {
	properties["schema_version"], properties["action_key"], properties["masked"] = factsVersion, inputs.key,
		inputs.masked
	properties["applied"] = lists.Map(j.Applied, func(a AppliedRule) string { return a.Rule })
	properties["applied_results"] = lists.Map(j.Applied, func(a AppliedRule) string { return a.Result })
	if j.OverriddenBy != "" {
		properties["overridden_by"] = j.OverriddenBy
	}
	maps.Copy(properties, toolCallOf(j.check.Context))
	if j.CarriesOut != "" {
		properties["carries_out"] = j.CarriesOut
	}
	if model := strings.TrimSpace(j.check.Model); model != "" {
		properties["model"] = redact.Mask(model)
	}
	if !j.by.set.consensus {
		return nil
	}
	consensus := "{}"
	if seen := j.by.facts.Action.Consensus; seen != nil {
		masked, _ := redact.Value(seen)
		text, err := json.Marshal(masked)
		if err != nil {
			return err
		}
		consensus = string(text)
	}
	properties["consensus"] = consensus
	return nil
}

// FactsOf decodes the facts of a stored verdict. It returns nil for a verdict of an earlier version, whose facts are
// unknown.
func FactsOf(stored map[string]any) *Facts {
	if version, _ := stored["schema_version"].(int64); version < factsVersion {
		return nil
	}
	f := &Facts{ActionKey: graph.Text(stored, "action_key"), Model: graph.Text(stored, "model"),
		Masked: graph.Texts(stored["masked"])}
	rules, results := graph.Texts(stored["applied"]), graph.Texts(stored["applied_results"])
	for i := range min(len(rules), len(results)) {
		f.Applied = append(f.Applied, AppliedRule{rules[i], results[i]})
	}
	if text := graph.Text(stored, "consensus"); json.Valid([]byte(text)) {
		f.Consensus = json.RawMessage(text)
	}
	return f
}

// shortHash is the length of a hash that only joins records.
const shortHash = 32

// actionKey returns the same key for every check of one act: a hash of its name, category and parameters, and of its
// description if it has neither name nor parameters. action is masked, so the key cannot be used to guess secrets.
func actionKey(action map[string]any) (string, error) {
	parts := map[string]any{}
	text := func(field string) string { return normalize.Name(graph.Text(action, field)) }
	if parts["name"], parts["category"] = text("name"), text("category"); action["params"] != nil {
		parts["params"] = action["params"]
	}
	if parts["name"] == "" && parts["params"] == nil {
		parts["description"] = text("description")
	}
	raw, err := json.Marshal(parts)
	return policies.Hash(string(raw))[:shortHash], err
}

// maxMasked is the maximum number of listed paths; beyond it, the objects that contain them are listed.
const maxMasked = 50

// rootsOfFields are the fields of a stored action that conditions do not read as fields of action with the same name.
// Those of a recording are fields of action.
var rootsOfFields = map[string]string{"agent_id": "agent", "session_id": "session", "project": "project",
	"recording": "action"}

// maskedPaths returns the paths at which an action differs from what is stored of it, in the form in which conditions
// name them.
func maskedPaths(action, shown map[string]any) []string {
	paths := []string{}
	for field, value := range action {
		paths = redact.AppendHidden(paths, cmp.Or(rootsOfFields[field], "action."+field), value, shown[field])
	}
	if paths = lists.Union(paths); len(paths) <= maxMasked {
		return paths
	}
	for i, path := range paths {
		if root, rest, ok := strings.Cut(path, "."); ok {
			name, _, _ := strings.Cut(rest, ".")
			name, _, _ = strings.Cut(name, "[")
			paths[i] = root + "." + name
		}
	}
	return slices.Compact(paths)
}
