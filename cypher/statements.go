// Package cypher holds every statement that Nomograph sends, one file each, so that a person who knows Neo4j can read
// them, paste them into a browser and EXPLAIN them. The first line of a file says what it answers and which parameters it
// takes.
package cypher

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed agents archive decisions feed graph limits memory policies search sessions tokens tools trace
var files embed.FS

// Statement is one named Cypher text. Writes says whether it may run only where writing is meant; Leader, that in a
// cluster it asks the one server that is never behind.
type Statement struct {
	Name   string
	Text   string
	Writes bool
	Leader bool
	Sight  bool // it has the parameter $sight: which decisions the caller may see
	open   string
	// Makes are the labels of Timed of which it makes nodes.
	Makes []string
}

// Timed are the labels of nodes that say that something happened, and when. What makes one of them is told of at once.
var Timed = []string{"SYS_Change", "Verdict", "Decision", "Revision", "Review", "CircuitReset", "Intent", "Voice", "Approval", "LinkChange"}

var made = regexp.MustCompile(`CREATE [^\n]*?\(\w*:(` + strings.Join(Timed, "|") + `)\b`)

// seen is the condition by which a decision is left to callers of some projects.
var seen = regexp.MustCompile(`\(\$sight IS NULL OR toLower\((\w+(?:\.\w+)*)\.project\) IN \$sight\.projects AND \((\w+(?:\.\w+)*)\.visibility <> 'private' OR toLower\((\w+(?:\.\w+)*)\.agent\) = \$sight\.agent\)\)`)

// For gives the text for a caller who may see what $sight says. Without limits the conditions on it are left out: the server reads the properties
// that they name of every node on the way, also where nothing is asked of them.
func (s Statement) For(sight any) string {
	if sight == nil && s.open != "" {
		return s.open
	}
	return s.Text
}

// With gives the statement with another text in the place of one, for what cannot be a parameter.
func (s Statement) With(old, text string) Statement {
	s.Text, s.open = strings.ReplaceAll(s.Text, old, text), strings.ReplaceAll(s.open, old, text)
	return s
}

// Catalogue has every statement by its name, for tests that walk all of them.
var Catalogue = map[string]Statement{}

func reads(name string) Statement  { return load(name, false) }
func writes(name string) Statement { return load(name, true) }

// ofLeader is for what a gate reads: no answer may rest on a rule that was changed already.
func (s Statement) ofLeader() Statement {
	s.Leader = true
	Catalogue[s.Name] = s
	return s
}

// tells is for what changes a node of Timed in a way that is told of.
func (s Statement) tells(label string) Statement {
	s.Makes = append(s.Makes, label)
	Catalogue[s.Name] = s
	return s
}

// load panics on a missing file, which every test run would show: the names are constants of this package.
func load(name string, writing bool) Statement {
	text, err := files.ReadFile(name + ".cypher")
	if err != nil {
		panic(err)
	}
	statement := Statement{Name: name, Text: strings.TrimSpace(string(text)), Writes: writing, Sight: strings.Contains(string(text), "$sight")}
	statement.open = seen.ReplaceAllString(statement.Text, "true")
	for _, found := range made.FindAllStringSubmatch(statement.Text, -1) {
		statement.Makes = append(statement.Makes, found[1])
	}
	Catalogue[name] = statement
	return statement
}
