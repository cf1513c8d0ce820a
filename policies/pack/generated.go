package pack

import (
	"context"

	"github.com/goccy/go-yaml"
)

// Generated is a pack that a program makes. Its fields are in the order of the text.
type Generated struct {
	Pack        Words
	Version     string // Text sets it
	Description Words
	Thresholds  []GeneratedThreshold `yaml:",omitempty"`
	Policies    []GeneratedPolicy    `yaml:",omitempty"`
	Tests       []GeneratedCase      `yaml:",omitempty"`
}

// GeneratedThreshold is a threshold of a generated pack.
type GeneratedThreshold struct {
	Name  Words
	Value float64
	Unit  Words
}

// GeneratedPolicy is a rule of a generated pack.
type GeneratedPolicy struct {
	Name                 Words
	Active               bool
	Description          Words   `yaml:",omitempty"`
	Source               Words   `yaml:",omitempty"`
	CircuitScope         Words   `yaml:"circuit_scope,omitempty"`
	CircuitFailures      Words   `yaml:"circuit_failures,omitempty"`
	CircuitWindowHours   Words   `yaml:"circuit_window_hours,omitempty"`
	CircuitCooldownHours Words   `yaml:"circuit_cooldown_hours,omitempty"`
	Severity             Words   `yaml:",omitempty"`
	Mode                 Words   `yaml:",omitempty"`
	Scope                []Words `yaml:",omitempty"`
	AppliesWhen          Words   `yaml:"applies_when,omitempty"`
	Requires             Words   `yaml:",omitempty"`
	Message              Words   `yaml:",omitempty"`
	Alternatives         []Words `yaml:",omitempty"`
	Rationale            Words   `yaml:",omitempty"`
}

// GeneratedCase is a test case of a generated pack: an action, and the rules that object to it in shadow mode.
type GeneratedCase struct {
	Name   Words
	Action map[string]any
	Expect struct{ Shadow []string }
}

// Words is text in a form that every YAML parser reads equally.
type Words string

// MarshalYAML returns the text, quoted where necessary.
func (w Words) MarshalYAML() (any, error) { return writtenText(string(w)), nil }

// Text returns the YAML of the pack, which it has read back.
func (g Generated) Text(ctx context.Context) (string, error) {
	g.Version = "1.0.0"
	text, err := yaml.MarshalWithOptions(g, yaml.IndentSequence(true))
	if err == nil {
		_, err = Parse(ctx, string(g.Pack)+".yaml", string(text))
	}
	return string(text), err
}
