// Package cypher holds every statement that Nomograph sends, one file each, so that they can be read, pasted into a
// browser and EXPLAINed. The first line of a file says what it returns and which parameters it takes.
package cypher

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed agents archive decisions events graph limits memory policies search sessions tokens tools trace
var files embed.FS

// Statement is one named Cypher text. Writes says whether it may run only where writing is meant; Leader, that in a
// cluster it asks the one server that is never behind. The file is read when the statement is first sent: a process sends few of them.
type Statement struct {
	Name   string
	Writes bool
	Leader bool
	labels []string     // see Notifies
	own    *text        // replaces the text of the file
	lazy   func() *text // makes the text of a joined statement
}

// text holds both variants of a statement.
type text struct {
	unrestricted string
	restricted   string // "" if the statement has no marker
}

// New returns a statement that has no file, such as one of a migration.
func New(name, cypher string, writes bool) Statement {
	return Statement{Name: name, Writes: writes, own: read(name, cypher)}
}

// EventLabels are the labels of nodes that record an event and its time. A commit that creates such a node notifies subscribers.
var EventLabels = []string{"SYS_Change", "Verdict", "Decision", "Revision", "Review", "CircuitReset", "Intent", "Voice", "Approval", "LinkChange"}

// Text returns the statement as it stands in its file. It is sent for callers who may see every project.
func (s Statement) Text() string { return s.text().unrestricted }

// Restricted returns the statement for callers who may see only some projects. It takes the parameter $caller. ok is false if the
// statement has no marker, so that Text is sent for every caller.
func (s Statement) Restricted() (text string, ok bool) {
	restricted := s.text().restricted
	return restricted, restricted != ""
}

// Notifies returns the EventLabels of the nodes that the statement creates, or changes so that subscribers are notified.
func (s Statement) Notifies() []string { return s.labels }

// WithoutNotification returns the statement as one that notifies no subscriber.
func (s Statement) WithoutNotification() Statement {
	s.labels = nil
	return s
}

// With replaces a part of the text that Cypher does not take as a parameter.
func (s Statement) With(old, replacement string) Statement {
	s.own = read(s.Name, strings.ReplaceAll(s.Text(), old, replacement))
	return s
}

// Catalog maps names to statements, for tests that check all of them.
var Catalog = make(map[string]Statement, 400)

func reads(name string) Statement  { return declare(Statement{Name: name}) }
func writes(name string) Statement { return declare(Statement{Name: name, Writes: true}) }

func declare(s Statement) Statement {
	Catalog[s.Name] = s
	return s
}

// ofLeader is for what a policy check reads: no answer may rest on a rule that was changed already.
func (s Statement) ofLeader() Statement {
	s.Leader = true
	return declare(s)
}

// notifies declares what Notifies returns.
func (s Statement) notifies(labels ...string) Statement {
	s.labels = labels
	return declare(s)
}

// texts caches the files that were read, by the names of their statements.
var texts sync.Map

// text panics on a missing file, which TestEveryFileIsDeclaredAndExplained finds: the names are constants of this package.
func (s Statement) text() *text {
	if s.own != nil {
		return s.own
	}
	if s.lazy != nil {
		return s.lazy()
	}
	if stored, ok := texts.Load(s.Name); ok {
		return stored.(*text)
	}
	file, err := files.ReadFile(s.Name + ".cypher")
	if err != nil {
		panic(err)
	}
	stored, _ := texts.LoadOrStore(s.Name, read(s.Name, string(file)))
	return stored.(*text)
}

// read panics on a marker that it cannot read. TestRestrict_EveryStatement_LeavesNoMarker reads all files.
func read(name, cypher string) *text {
	t := &text{unrestricted: strings.TrimSpace(cypher)}
	var err error
	if t.restricted, err = restrict(t.unrestricted); err != nil {
		panic(fmt.Errorf("statement %s: %w", name, err))
	}
	return t
}
