package counters

import (
	"crypto/sha256"
	"encoding/hex"
	"nomograph/decisions"
	"strings"
)

// scope selects decisions that are counted together, by all fields that are set. All spellings of a name are equal.
type scope struct{ Category, Stakes, Project, Agent, Pattern string }

// countedKinds are the combinations that are counted continuously; others are computed from the decisions on request.
var countedKinds = []string{"all", "category", "stakes", "project", "agent", "category+stakes", "category+project",
	"stakes+project",
	"category+stakes+project", "category+agent", "pattern"}

// patternKind has no cells by day, because the number of patterns is unlimited and no operation reads their recent
// outcomes.
const patternKind = "pattern"

const allTime = "all" // the period of the all-time cell, and the kind of the unrestricted scope

var scopeParts = []string{"category", "stakes", "project", "agent", "pattern"}

// field returns the field with a name of scopeParts.
func (s *scope) field(name string) *string {
	switch name {
	case "category":
		return &s.Category
	case "stakes":
		return &s.Stakes
	case "project":
		return &s.Project
	case "agent":
		return &s.Agent
	}
	return &s.Pattern
}

func (s scope) part(name string) string { return *s.field(name) }

// kind names the fields by which a scope selects.
func (s scope) kind() string {
	var names []string
	for _, name := range scopeParts {
		if decisions.NameKey(s.part(name)) != "" {
			names = append(names, name)
		}
	}
	if names == nil {
		return allTime
	}
	return strings.Join(names, "+")
}

// maxKeyLength is the indexed part of a name; an index key has at most 8 kB.
const maxKeyLength = 1000

// String identifies a scope. A bar in a name is doubled, so that it is unambiguous; a name that is too long for an
// index is replaced by its SHA-256.
func (s scope) String() string {
	var parts []string
	for _, name := range scopeParts {
		value := decisions.NameKey(s.part(name))
		if value == "" {
			continue
		}
		if len(value) > maxKeyLength {
			sum := sha256.Sum256([]byte(value))
			value = "sha256:" + hex.EncodeToString(sum[:])
		}
		parts = append(parts, name+"="+strings.ReplaceAll(value, "|", "||"))
	}
	if parts == nil {
		return allTime
	}
	return strings.Join(parts, "|")
}

// with returns the scope with a different value of a field.
func (s scope) with(name, value string) scope {
	*s.field(name) = value
	return s
}

// restrictedTo returns the fields of a kind; false if one is not set.
func (s scope) restrictedTo(kind string) (scope, bool) {
	var n scope
	if kind == allTime {
		return n, true
	}
	for name := range strings.SplitSeq(kind, "+") {
		value := strings.TrimSpace(s.part(name))
		if value == "" {
			return n, false
		}
		n = n.with(name, value)
	}
	return n, true
}

// includes reports whether a decision with these fields counts in the scope.
func (s scope) includes(other scope) bool {
	for _, name := range scopeParts {
		if wanted := decisions.NameKey(s.part(name)); wanted != "" && wanted != decisions.NameKey(other.part(name)) {
			return false
		}
	}
	return true
}

// countedScopes returns the scopes in which a decision with these fields counts.
func (s scope) countedScopes() map[string]scope {
	stored := make(map[string]scope, len(countedKinds))
	for _, kind := range countedKinds {
		if n, ok := s.restrictedTo(kind); ok {
			stored[kind] = n
		}
	}
	return stored
}

// names returns the properties that identify a cell.
func (s scope) names(period string) map[string]any {
	names := map[string]any{"scope": s.String(), "period": period, "kind": s.kind()}
	for _, name := range scopeParts {
		if value := strings.TrimSpace(s.part(name)); value != "" {
			names[name] = value
		}
	}
	if s.Pattern != "" {
		names["key"] = decisions.NameKey(s.Pattern)
	}
	return names
}

// Selection selects decisions and the time of their reviews: fields shared by operations. Empty fields select all.
type Selection struct {
	Category string `json:"category,omitempty" jsonschema:"category, such as architecture" rule:"maxLength=200"`
	Project  string `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	Stakes   string `json:"stakes,omitempty" jsonschema:"low, medium, high or critical" rule:"maxLength=200"`
	AgentID  string `json:"agent_id,omitempty" jsonschema:"deciding agent" rule:"maxLength=200"`
	Window   string `json:"window,omitempty" jsonschema:"30d, 60d, 90d or all, by review date" rule:"maxLength=20,default=\"all\""`
}

func (s Selection) scope() scope {
	return scope{Category: s.Category, Stakes: s.Stakes, Project: s.Project, Agent: s.AgentID}
}
