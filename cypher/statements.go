// Package cypher holds every statement that Nomograph sends, one per file, so that it can be read, pasted into a
// browser and run with EXPLAIN. The first line of a file describes its result and parameters.
package cypher

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed agents archive decisions events graph limits memory policies search sessions tokens tools trace
var files embed.FS

// Statement is a named Cypher text. Writes is true if it may run only in write operations. Leader is true if it must
// run on the leader of a cluster, which has the newest data. The file is read when the statement is first sent,
// because a process sends few of them. generate declares each file.
type Statement struct {
	Name   string
	Writes bool
	Leader bool
	labels []string // see Notifies
	own    *text    // replaces the text of the file
}

// text holds both variants of a statement.
type text struct {
	unrestricted string
	restricted   string // "" if the statement has no marker
}

// New returns a statement without a file, such as one of a migration.
func New(name, cypher string, writes bool) Statement {
	return Statement{Name: name, Writes: writes, own: read(name, cypher)}
}

// EventLabels are the labels of nodes that record an event with its time. A commit that creates such a node notifies
// subscribers.
var EventLabels = []string{"SYS_Change", "Verdict", "Decision", "Revision", "Review", "CircuitReset", "Intent", "Voice",
	"Approval", "LinkChange", "Appeal", "ProposalStep"}

// Text returns the statement as in its file. It is sent for callers who may see all projects.
func (s Statement) Text() string { return s.text().unrestricted }

// Restricted returns the statement for callers who may see only some projects. It takes the parameter $caller. ok is
// false if the statement has no marker, so that Text is sent for every caller.
func (s Statement) Restricted() (text string, ok bool) {
	restricted := s.text().restricted
	return restricted, restricted != ""
}

// Notifies returns the EventLabels of the nodes that the statement creates, or changes so that subscribers are
// notified.
func (s Statement) Notifies() []string { return s.labels }

// WithoutNotification returns a copy of the statement that notifies no subscriber.
func (s Statement) WithoutNotification() Statement {
	s.labels = nil
	return s
}

// With returns a copy with a part of the text replaced that Cypher cannot parameterize.
func (s Statement) With(old, replacement string) Statement {
	s.own = read(s.Name, strings.ReplaceAll(s.Text(), old, replacement))
	return s
}

// Catalog maps names to statements, for tests that check all of them.
var Catalog = make(map[string]Statement, 400)

func declare(s Statement) Statement {
	Catalog[s.Name] = s
	return s
}

// texts caches file contents by statement name.
var texts sync.Map

// text panics if the file is missing, which TestDeclarations_EveryFile_IsDeclared detects.
func (s Statement) text() *text {
	if s.own != nil {
		return s.own
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

// annotation is a line for generate, which is not sent: the text of a pattern is stored in rules.
var annotation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^// (?:Asks the leader|Notifies ).*\n`)
})

// read panics on an invalid marker. TestRestrict_EveryStatement_LeavesNoMarker reads all files.
func read(name, cypher string) *text {
	t := &text{unrestricted: strings.TrimSpace(annotation().ReplaceAllString(cypher, ""))}
	var err error
	if t.restricted, err = restrict(t.unrestricted); err != nil {
		panic(fmt.Errorf("statement %s: %w", name, err))
	}
	return t
}
