package policies

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
)

// Node holds a policy's or threshold's properties exactly as stored, and its Reading. In JSON the properties are at
// the top level and the Reading is in "reading"; a property called "reading" is in reading.own.
type Node struct {
	Properties map[string]any
	Reading    Reading
}

// MarshalJSON puts the properties at the top level.
func (n Node) MarshalJSON() ([]byte, error) {
	flat, reading := Flat(n.Properties, n.Reading, "reading")
	flat["reading"] = reading
	return json.Marshal(flat)
}

// Flat returns properties for the top level of an answer. Properties whose name is one of the answer's own fields are
// moved to own of the reading.
func Flat(properties map[string]any, r Reading, fields ...string) (map[string]any, Reading) {
	flat := make(map[string]any, len(properties)+len(fields))
	for key, value := range properties {
		if !slices.Contains(fields, key) {
			flat[key] = graph.JSON(value)
			continue
		}
		if r.Own == nil {
			r.Own = map[string]any{}
		}
		r.Own[key] = graph.JSON(value)
	}
	return flat, r
}

// UnmarshalJSON decodes what MarshalJSON encodes. Integers stay integers; a time stays a string.
func (n *Node) UnmarshalJSON(raw []byte) error {
	var properties graph.Parameters
	var about struct {
		Reading struct {
			Reading
			Own graph.Parameters `json:"own"`
		}
	}
	if err := json.Unmarshal(raw, &properties); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &about); err != nil {
		return err
	}
	delete(properties, "reading")
	for key, value := range about.Reading.Own {
		properties[key] = value
	}
	*n = Node{properties, about.Reading.Reading}
	return nil
}

// Reading says where an answer came from.
type Reading struct {
	Source  string     `json:"source" jsonschema:"node, scoped (the variant for the requested scope), version (an earlier state), or default (the caller's value, since no node exists)"`
	Scope   string     `json:"scope,omitempty" jsonschema:"scope of the node that provided the value"`
	Version string     `json:"version,omitempty" jsonschema:"SHA-256 of the node's content"`
	Since   *time.Time `json:"since,omitempty" jsonschema:"start of an earlier state"`
	Note    string     `json:"note,omitempty"`
	// Own holds properties whose name is one of the answer's own fields.
	Own          map[string]any `json:"own,omitempty" jsonschema:"node properties whose names collide with the answer's, such as reading"`
	PolicyEffect                // set for policies
}

// PolicyEffect says what a policy does to actions.
type PolicyEffect struct {
	Effect  string `json:"effect,omitempty" jsonschema:"block, warn, shadow, off, or data (evaluates no actions)"`
	Problem string `json:"problem,omitempty" jsonschema:"reason why the rule cannot be evaluated; it then denies every action it applies to"`
	// Thresholds are sorted by name.
	Thresholds []string `json:"thresholds,omitempty" jsonschema:"names of thresholds it reads or is linked to"`
}

// Stored is a row of the statements that read nodes by name.
type Stored struct {
	ID         string
	Properties map[string]any
	Links      []any
}

// Scopes returns the scopes of the node; a policy's scope may be a list.
func (s Stored) Scopes() []string {
	var scopes []string
	for _, key := range []string{"domain_scope", "scope"} {
		switch value := s.Properties[key].(type) {
		case string:
			if value != "" {
				scopes = append(scopes, value)
			}
		case []any:
			scopes = append(scopes, graph.Texts(value)...)
		}
	}
	return scopes
}

// Node returns the row as an answer. source is the kind of match, such as "scoped". scope is the requested scope,
// which is used only if source is "scoped".
func (s Stored) Node(source, scope string) Node {
	if source != "scoped" {
		scope = strings.Join(s.Scopes(), ", ")
	}
	return Node{Properties: s.Properties, Reading: Reading{Source: source, Scope: scope,
		Version: Version(s.Properties, graph.Texts(s.Links))}}
}
