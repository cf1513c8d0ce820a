package policies

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/internal/lists"
	"nomograph/internal/normalize"
)

// ThresholdUse is a threshold as a rule read it.
type ThresholdUse struct {
	Value   any    `json:"value"`
	Version string `json:"version"`
}

// ThresholdSource returns the threshold for a name and a scope.
type ThresholdSource func(name, scope string) (*Stored, error)

// ThresholdsAmong returns a source of the given nodes.
func ThresholdsAmong(nodes []Stored) ThresholdSource {
	return func(name, scope string) (*Stored, error) {
		names := NamesFor(name, scope)
		node, _, err := Pick("SYS_Threshold", name, scope, lists.Filter(nodes, func(s Stored) bool {
			called, _ := s.Properties["name"].(string)
			return slices.Contains(names, called)
		}))
		if err == nil {
			err = node.Readable(name)
		}
		return node, err
	}
}

// SelectThreshold selects the threshold of a name for a scope in any spelling: rules pass normalized scopes.
func SelectThreshold(name, scope string, found []Stored) (*Stored, error) {
	if scope != "" {
		of := func(one string) bool { return slices.Contains(normalize.Forms(one), normalize.Project(scope)) }
		if scoped := lists.Filter(found, func(s Stored) bool {
			called, _ := s.Properties["name"].(string)
			variant, ok := strings.CutPrefix(called, name+"_")
			return slices.ContainsFunc(s.Scopes(), of) && (called == name || ok && of(variant))
		}); len(scoped) > 0 {
			if len(scoped) > 1 {
				return nil, duplicateNames("SYS_Threshold", name, scoped)
			}
			return &scoped[0], nil
		}
	}
	node, _, err := Pick("SYS_Threshold", name, scope,
		lists.Filter(found, func(s Stored) bool { return s.Properties["name"] == name }))
	return node, err
}

// Readable explains why a threshold has no valid value.
func (s *Stored) Readable(name string) error {
	switch {
	case s == nil:
		return fmt.Errorf("SYS_Threshold node '%s' not found", name)
	case s.Properties["value"] == nil:
		return fmt.Errorf("SYS_Threshold node '%s' has no value", name)
	case !Finite(s.Properties["value"]): // every comparison with it is false, and so is the opposite
		return fmt.Errorf("SYS_Threshold node '%s' is %s, which cannot be compared", name,
			ShowValue(s.Properties["value"]))
	}
	if problem := OutOfBounds(s.Properties); problem != "" { // only a manual edit can set such a value, and its intention is unknown
		return fmt.Errorf("SYS_Threshold node '%s' is out of bounds: %s", name, problem)
	}
	return nil
}
