package policies

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/internal/spelling"
)

// ThresholdUse is a threshold as a rule read it.
type ThresholdUse struct {
	Value   any    `json:"value"`
	Version string `json:"version"`
}

// ThresholdSource gives the threshold that is meant by a name and a scope.
type ThresholdSource func(name, scope string) (*Stored, error)

// ThresholdsAmong looks among the nodes that were read.
func ThresholdsAmong(nodes []Stored) ThresholdSource {
	return func(name, scope string) (*Stored, error) {
		names := NamesFor(name, scope)
		node, _, err := Pick("SYS_Threshold", name, scope, Filter(nodes, func(s Stored) bool {
			called, _ := s.Properties["name"].(string)
			return slices.Contains(names, called)
		}))
		if err == nil {
			err = node.Readable(name)
		}
		return node, err
	}
}

// SelectThreshold is the threshold of a name for a scope, whatever its spelling: what a rule passes as the scope was made one.
func SelectThreshold(name, scope string, found []Stored) (*Stored, error) {
	if scope != "" {
		of := func(one string) bool { return slices.Contains(spelling.Forms(one), spelling.Project(scope)) }
		if scoped := Filter(found, func(s Stored) bool {
			called, _ := s.Properties["name"].(string)
			variant, ok := strings.CutPrefix(called, name+"_")
			return slices.ContainsFunc(s.Scopes(), of) && (called == name || ok && of(variant))
		}); len(scoped) > 0 {
			if len(scoped) > 1 {
				return nil, twice("SYS_Threshold", name, scoped)
			}
			return &scoped[0], nil
		}
	}
	node, _, err := Pick("SYS_Threshold", name, scope, Filter(found, func(s Stored) bool { return s.Properties["name"] == name }))
	return node, err
}

// Readable tells why the value of a threshold cannot be read, if there is one at all.
func (s *Stored) Readable(name string) error {
	switch {
	case s == nil:
		return fmt.Errorf("SYS_Threshold node '%s' not found", name)
	case s.Properties["value"] == nil:
		return fmt.Errorf("SYS_Threshold node '%s' has no value", name)
	case !Finite(s.Properties["value"]): // whatever is compared with it does not hold, and neither does the opposite
		return fmt.Errorf("SYS_Threshold node '%s' is %s, with which nothing can be compared", name, ShowValue(s.Properties["value"]))
	}
	if problem := OutOfBounds(s.Properties); problem != "" { // a hand put it there, and nobody knows what is meant
		return fmt.Errorf("SYS_Threshold node '%s' is out of bounds: %s", name, problem)
	}
	return nil
}
