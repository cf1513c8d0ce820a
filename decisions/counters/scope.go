package counters

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"strings"

	"nomograph/decisions"
)

// scope selects decisions that are counted together by the given names of scopeParts. All spellings of a name are
// equal.
type scope map[string]string

// countedKinds are the combinations that are counted continuously; others are computed from the decisions on request.
var countedKinds = []string{"all", "category", "stakes", "project", "agent", "category+stakes", "category+project",
	"stakes+project",
	"category+stakes+project", "category+agent", "pattern"}

// patternKind has no cells by day, because the number of patterns is unlimited and no operation reads their recent
// outcomes.
const patternKind = "pattern"

const allTime = "all" // the period of the all-time cell, and the kind of the unrestricted scope

var scopeParts = []string{"category", "stakes", "project", "agent", "pattern"}

// parts yields the given names with their values.
func (s scope) parts() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, name := range scopeParts {
			if value := strings.TrimSpace(s[name]); value != "" && !yield(name, value) {
				return
			}
		}
	}
}

// kind names the parts by which a scope selects.
func (s scope) kind() string {
	var names []string
	for name := range s.parts() {
		names = append(names, name)
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
	for name, value := range s.parts() {
		value = decisions.NameKey(value)
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

// with returns the scope with a different value of a part.
func (s scope) with(name, value string) scope {
	other := maps.Clone(s)
	other[name] = value
	return other
}

// restrictedTo returns the parts of a kind; false if one is not given.
func (s scope) restrictedTo(kind string) (scope, bool) {
	n := scope{}
	if kind == allTime {
		return n, true
	}
	for name := range strings.SplitSeq(kind, "+") {
		if n[name] = strings.TrimSpace(s[name]); n[name] == "" {
			return n, false
		}
	}
	return n, true
}

// includes reports whether a decision with these values counts in the scope.
func (s scope) includes(other scope) bool {
	for name, wanted := range s.parts() {
		if decisions.NameKey(wanted) != decisions.NameKey(other[name]) {
			return false
		}
	}
	return true
}

// countedScopes returns the scopes in which a decision with these values counts, by kind.
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
	for name, value := range s.parts() {
		names[name] = value
	}
	if s["pattern"] != "" {
		names["key"] = decisions.NameKey(s["pattern"])
	}
	return names
}

// words describes a scope for people.
func (s scope) words() string {
	var words []string
	for name, value := range s.parts() {
		words = append(words, name+" '"+value+"'")
	}
	return cmp.Or(strings.Join(words, " and "), "all decisions")
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
	return scope{"category": s.Category, "stakes": s.Stakes, "project": s.Project, "agent": s.AgentID}
}
