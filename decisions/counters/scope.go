package counters

import (
	"crypto/sha256"
	"encoding/hex"
	"nomograph/decisions"
	"strings"
)

// scope says which decisions are counted together: those that have all that is not empty. All spellings of a name are one.
type scope struct{ Category, Stakes, Project, Agent, Pattern string }

// keptKinds are the combinations that are counted as they come; any other is read from the decisions when it is asked for.
var keptKinds = []string{"all", "category", "stakes", "project", "agent", "category+stakes", "category+project", "stakes+project",
	"category+stakes+project", "category+agent", "pattern"}

// patternKind has no cells of days: there is no end of patterns, and nobody asks how they did last month.
const patternKind = "pattern"

const allTime = "all" // the period of a cell that has them all, and the kind of the scope that leaves nothing out

var scopeParts = []string{"category", "stakes", "project", "agent", "pattern"}

func (s scope) part(name string) string {
	switch name {
	case "category":
		return s.Category
	case "stakes":
		return s.Stakes
	case "project":
		return s.Project
	case "agent":
		return s.Agent
	case "pattern":
		return s.Pattern
	}
	return ""
}

// kind names what a scope narrows by.
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

// maxKeyLength is what of a name fits into the key of an index, which holds 8 kB in all.
const maxKeyLength = 1000

// String identifies a scope. A bar in a name is doubled, so that no name looks like two parts; of a name that is too long for
// an index, the SHA-256 stands for it.
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

// with is the scope with another value of a part.
func (s scope) with(name, value string) scope {
	switch name {
	case "category":
		s.Category = value
	case "stakes":
		s.Stakes = value
	case "project":
		s.Project = value
	case "agent":
		s.Agent = value
	case "pattern":
		s.Pattern = value
	}
	return s
}

// narrowed is what a kind leaves of the scope; false where the scope lacks a part of it.
func (s scope) narrowed(kind string) (scope, bool) {
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

// has tells whether what has all these parts counts in the scope.
func (s scope) has(other scope) bool {
	for _, name := range scopeParts {
		if wanted := decisions.NameKey(s.part(name)); wanted != "" && wanted != decisions.NameKey(other.part(name)) {
			return false
		}
	}
	return true
}

// kept are the scopes that a decision with all these parts counts in.
func (s scope) kept() map[string]scope {
	kept := make(map[string]scope, len(keptKinds))
	for _, kind := range keptKinds {
		if n, ok := s.narrowed(kind); ok {
			kept[kind] = n
		}
	}
	return kept
}

// names are the properties by which a cell says what it counts.
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

// Selection is which decisions are counted, and when they were reviewed: fields that operations share. What is empty leaves all.
type Selection struct {
	Category string `json:"category,omitempty" jsonschema:"such as architecture" rule:"maxLength=200"`
	Project  string `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	Stakes   string `json:"stakes,omitempty" jsonschema:"low, medium, high or critical" rule:"maxLength=200"`
	AgentID  string `json:"agent_id,omitempty" jsonschema:"filter by deciding agent" rule:"maxLength=200"`
	Window   string `json:"window,omitempty" jsonschema:"30d, 60d, 90d or all, by review date" rule:"maxLength=20,default=\"all\""`
}

func (s Selection) scope() scope {
	return scope{Category: s.Category, Stakes: s.Stakes, Project: s.Project, Agent: s.AgentID}
}
