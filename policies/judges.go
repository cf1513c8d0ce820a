package policies

// Data is what a policy is that judges nothing: neither requires nor forbids_pattern says what must hold.
const Data = "data"

// Judging says what a policy does to actions, beside what the node says.
type Judging struct {
	Judges  string `json:"judges,omitempty" jsonschema:"block, warn, shadow or off; data: it judges nothing"`
	Problem string `json:"problem,omitempty" jsonschema:"why the rule cannot be evaluated: it objects to whatever it concerns"`
}

// judging tells what a policy with these properties, linked to these thresholds, does where it objects.
func judging(properties map[string]any, thresholds []string) Judging {
	if !isGuardrail(properties) {
		return Judging{Judges: Data}
	}
	if active := properties["active"]; active == nil || active == false {
		return Judging{Judges: off}
	}
	rule := guardrailOf(properties)
	rule.link(thresholds)
	j := Judging{Judges: doing(rule.Mode, rule.Severity)}
	if rule.Broken != nil && rule.Mode != off {
		j.Problem = rule.Broken.Error()
	}
	return j
}

// judged adds to the reading of a policy what it does. Links are those of its version.
func (n Node) judged(links []string) Node {
	n.Reading.Judging = judging(n.Properties, linkedThresholds(anyList(links)))
	return n
}
