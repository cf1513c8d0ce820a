package policies

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/policies/spelling"
)

// ThresholdUse is a threshold as a rule read it.
type ThresholdUse struct {
	Value   any    `json:"value"`
	Version string `json:"version"`
}

// thresholdSource gives the threshold that is meant by a name and a scope.
type thresholdSource func(name, scope string) (*stored, error)

// thresholdsAmong looks among the nodes that were read.
func thresholdsAmong(nodes []stored) thresholdSource {
	return func(name, scope string) (*stored, error) {
		names := namesFor(name, scope)
		node, _, err := pick("SYS_Threshold", name, scope, filter(nodes, func(s stored) bool {
			called, _ := s.Properties["name"].(string)
			return slices.Contains(names, called)
		}))
		if err == nil {
			err = node.readable(name)
		}
		return node, err
	}
}

// chosen is the threshold of a name for a scope, whatever its spelling: what a rule passes as the scope was made one.
func chosen(name, scope string, found []stored) (*stored, error) {
	if scope != "" {
		of := func(one string) bool { return slices.Contains(spelling.Forms(one), spelling.Project(scope)) }
		if scoped := filter(found, func(s stored) bool {
			called, _ := s.Properties["name"].(string)
			variant, is := strings.CutPrefix(called, name+"_")
			return slices.ContainsFunc(s.scopes(), of) && (called == name || is && of(variant))
		}); len(scoped) > 0 {
			if len(scoped) > 1 {
				return nil, twice("SYS_Threshold", name, scoped)
			}
			return &scoped[0], nil
		}
	}
	node, _, err := pick("SYS_Threshold", name, scope, filter(found, func(s stored) bool { return s.Properties["name"] == name }))
	return node, err
}

// readable tells why the value of a threshold cannot be read, if there is one at all.
func (s *stored) readable(name string) error {
	switch {
	case s == nil:
		return fmt.Errorf("SYS_Threshold node '%s' not found", name)
	case s.Properties["value"] == nil:
		return fmt.Errorf("SYS_Threshold node '%s' has no value", name)
	case !finite(s.Properties["value"]): // whatever is compared with it does not hold, and neither does the opposite
		return fmt.Errorf("SYS_Threshold node '%s' is %s, with which nothing can be compared", name, shown(s.Properties["value"]))
	}
	return nil
}
