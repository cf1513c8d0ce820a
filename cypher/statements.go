// Package cypher holds every statement that Nomograph sends, one file each, so that a person who knows Neo4j can read
// them, paste them into a browser and EXPLAIN them. The first line of a file says what it answers and which parameters it
// takes.
package cypher

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed agents archive decisions events graph limits memory policies search sessions tokens tools trace
var files embed.FS

// Statement is one named Cypher text. Writes says whether it may run only where writing is meant; Leader, that in a
// cluster it asks the one server that is never behind. Its file is read when it is first sent: a process sends few of them.
type Statement struct {
	Name   string
	Writes bool
	Leader bool
	told   string // the label of Timed that it changes in a way that is told of
	quiet  bool   // nobody is told of what it makes
	own    *text  // in the place of the file's
}

// text is what a file says, and what follows from it.
type text struct {
	whole string
	open  string   // without the conditions on what a caller may see
	sight bool     // it has the parameter $sight: which decisions the caller may see
	makes []string // the labels of Timed of which it makes nodes
}

// New gives a statement that has no file, such as one of a migration.
func New(name, cypher string, writes bool) Statement {
	return Statement{Name: name, Writes: writes, own: read(cypher)}
}

// Timed are the labels of nodes that say that something happened, and when. What makes one of them is told of at once.
var Timed = []string{"SYS_Change", "Verdict", "Decision", "Revision", "Review", "CircuitReset", "Intent", "Voice", "Approval", "LinkChange"}

var made = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`CREATE [^\n]*?\(\w*:(` + strings.Join(Timed, "|") + `)\b`)
})

// seen are the conditions by which a decision, and an atlas with what belongs to it, is left to callers of some projects.
var seen = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\(\$sight IS NULL OR toLower\((\w+(?:\.\w+)*)\.project\) IN \$sight\.projects AND \((\w+(?:\.\w+)*)\.visibility <> 'private' OR toLower\((\w+(?:\.\w+)*)\.agent\) = \$sight\.agent\)\)` +
		`|\(\$sight IS NULL OR \w+\.project IS NULL OR toLower\(toStringOrNull\(\w+\.project\)\) IN \$sight\.projects\)`)
})

// Text is what is sent.
func (s Statement) Text() string { return s.text().whole }

// Sight tells whether the statement has the parameter $sight: which decisions the caller may see.
func (s Statement) Sight() bool { return s.text().sight }

// Makes are the labels of Timed of which the statement makes nodes.
func (s Statement) Makes() []string {
	switch {
	case s.quiet:
		return nil
	case s.told != "":
		return append(slices.Clone(s.text().makes), s.told)
	}
	return s.text().makes
}

// Quietly gives the statement as one whose nodes nobody is told of.
func (s Statement) Quietly() Statement {
	s.quiet = true
	return s
}

// For gives the text for a caller who may see what $sight says. Without limits the conditions on it are left out: the server reads the properties
// that they name of every node on the way, also where nothing is asked of them.
func (s Statement) For(sight any) string {
	if sight == nil {
		return s.text().open
	}
	return s.text().whole
}

// With gives the statement with another text in the place of one, for what cannot be a parameter.
func (s Statement) With(old, replacement string) Statement {
	s.own = read(strings.ReplaceAll(s.Text(), old, replacement))
	return s
}

// Catalog has every statement by its name, for tests that walk all of them.
var Catalog = make(map[string]Statement, 400)

func reads(name string) Statement  { return declare(Statement{Name: name}) }
func writes(name string) Statement { return declare(Statement{Name: name, Writes: true}) }

func declare(s Statement) Statement {
	Catalog[s.Name] = s
	return s
}

// ofLeader is for what a gate reads: no answer may rest on a rule that was changed already.
func (s Statement) ofLeader() Statement {
	s.Leader = true
	return declare(s)
}

// tells is for what changes a node of Timed in a way that is told of.
func (s Statement) tells(label string) Statement {
	s.told = label
	return declare(s)
}

// texts are those of the files that were read, by the names of their statements.
var texts sync.Map

// text panics on a missing file, which TestEveryFileIsDeclaredAndExplained finds: the names are constants of this package.
func (s Statement) text() *text {
	if s.own != nil {
		return s.own
	}
	if kept, ok := texts.Load(s.Name); ok {
		return kept.(*text)
	}
	file, err := files.ReadFile(s.Name + ".cypher")
	if err != nil {
		panic(err)
	}
	kept, _ := texts.LoadOrStore(s.Name, read(string(file)))
	return kept.(*text)
}

func read(cypher string) *text {
	t := &text{whole: strings.TrimSpace(cypher), sight: strings.Contains(cypher, "$sight")}
	if t.open = t.whole; t.sight {
		t.open = seen().ReplaceAllString(t.whole, "true")
	}
	if strings.Contains(t.whole, "CREATE ") {
		for _, found := range made().FindAllStringSubmatch(t.whole, -1) {
			t.makes = append(t.makes, found[1])
		}
	}
	return t
}
