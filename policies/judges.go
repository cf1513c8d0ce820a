package policies

import "strings"

// Data is what a policy is that judges nothing: neither requires nor forbids_pattern says what must hold.
const Data = "data"

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

// withJudging adds to the reading of a policy what it does. Links are those of its version.
func withJudging(n Node, links []string) Node {
	n.Reading.Judging = judging(n.Properties, linkedThresholds(anyList(links)))
	return n
}

// isGuardrail tells whether a policy judges actions; any other is plain data.
func isGuardrail(properties map[string]any) bool {
	return properties["requires"] != nil || properties["forbids_pattern"] != nil
}

// linkedThresholds are the names of the thresholds among the links of a version.
func linkedThresholds(links []any) []string {
	var names []string
	for _, link := range texts(links) {
		if name, is := strings.CutPrefix(link, "USES_THRESHOLD "); is {
			names = append(names, name)
		}
	}
	return names
}

// doing is what a rule does where it objects.
func doing(mode, severity string) string {
	if mode == enforce {
		return severity
	}
	return mode
}
