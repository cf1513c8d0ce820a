package policies

import (
	"errors"
	"fmt"
	"slices"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/policies/condition"
)

// compile finds what is wrong with the pack's rules and rows, each with its place, and links each to the thresholds that
// it reads.
func (p *Pack) compile() error {
	for i := range p.Items {
		item := &p.Items[i]
		switch item.section.Name {
		case "policies":
			if err := p.compileRule(item); err != nil {
				return err
			}
		case "decision_rows":
			if err := p.compileRow(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// isGuardrail tells whether a policy judges actions; any other is plain data.
func isGuardrail(properties map[string]any) bool {
	return properties["requires"] != nil || properties["forbids_pattern"] != nil
}

func (p *Pack) compileRule(item *Item) error {
	if breaker, _ := circuitOf(item.Properties); breaker != nil && item.Properties["forbids_pattern"] == nil {
		item.Properties["forbids_pattern"] = cypher.CircuitState.Text
	}
	if !isGuardrail(item.Properties) {
		if item.Properties["applies_when"] != nil {
			return packFault(p.File, positionOf(item.node, []string{"applies_when"}), "'%s' says when it applies, but neither requires nor forbids_pattern", item.Key).
				WithHint(`Say what must hold; requires: "false" forbids whatever it applies to`)
		}
		return nil
	}
	rule := guardrailOf(item.Properties)
	var problem ruleProblem
	if errors.As(rule.Broken, &problem) {
		return packFault(p.File, positionOf(item.node, []string{problem.key}), "'%s': %s", item.Key, problem.Error()).
			WithHint("docs/rules.md shows how rules are written; nothing was applied")
	}
	plain, scoped := rule.thresholds()
	item.reads(plain, scoped)
	return nil
}

func (p *Pack) compileRow(item *Item) error {
	table := p.item("decision_tables", fmt.Sprint(item.Properties["table_id"]))
	table.reads(thresholdsIn(rowOutputs(item.Properties)))
	text, _ := item.Properties["conditions"].(string)
	if text == "" {
		return nil
	}
	program, err := condition.Row(text)
	if err != nil {
		return p.rowFault(item, err)
	}
	table.reads(program.Thresholds, program.Scoped)
	return nil
}

func (p *Pack) rowFault(item *Item, err error) *fault.Error {
	return packFault(p.File, positionOf(item.node, []string{"conditions"}), "'%s': conditions %s", item.Key, err.Error()).
		WithHint(`A condition is CEL over the inputs, such as: inputs.score >= threshold("score_min")`)
}

// reads links an item to thresholds, where it is not linked already.
func (i *Item) reads(names ...[]string) {
	for _, name := range slices.Concat(names...) {
		link := Link{"USES_THRESHOLD", "thresholds", name}
		if !slices.Contains(i.Links, link) {
			i.Links = append(i.Links, link)
		}
	}
}

// item finds an item by its section and key; nil where there is none.
func (p *Pack) item(section, key string) *Item {
	for i := range p.Items {
		if p.Items[i].section.Name == section && p.Items[i].Key == key {
			return &p.Items[i]
		}
	}
	return nil
}
