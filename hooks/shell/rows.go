package shell

import (
	"strconv"
	"strings"

	"nomograph/internal/pattern"
)

// Program says what a program does that this package may not know. A row adds to what is known and takes nothing away.
type Program struct {
	Name    string
	Aliases []string // other names
	// Reads, Writes, Deletes, Sends, Connects and Runs say where paths, hosts and commands are among the arguments: an
	// option whose value it is ("--file"), the position of a word ("2"), or all words from a position ("2...").
	// Options are no words.
	Reads, Writes, Deletes, Sends, Connects, Runs []string
	// DeletesElsewhere, PrintsSecrets, Publishes and Weakens are operations: the words and options that a call must
	// have, in the form of operations.tsv.
	DeletesElsewhere, PrintsSecrets, Publishes, Weakens []string
	Privileged                                          bool // runs with the rights of an administrator
}

// Programs are rows of programs by their names and aliases.
type Programs struct {
	rows       map[string]Program
	operations map[string][]operation
}

// NewPrograms returns the rows of a list. The last row of a name counts.
func NewPrograms(list []Program) *Programs {
	p := &Programs{rows: map[string]Program{}, operations: map[string][]operation{}}
	for _, row := range list {
		var operations []operation
		for means, forms := range map[meaning][]string{deletesThere: row.DeletesElsewhere,
			printsSecret: row.PrintsSecrets, publishes: row.Publishes, weakens: row.Weakens} {
			for _, form := range forms {
				operations = append(operations, newOperation(means, strings.Fields(form)))
			}
		}
		for _, name := range append([]string{row.Name}, row.Aliases...) {
			p.rows[name], p.operations[name] = row, operations
		}
	}
	return p
}

// Parse is Parse with these rows.
func (p *Programs) Parse(command, cwd string) Effects { return parseIn(p, Guess, command, cwd) }

// Name reports whether a row describes the program.
func (p *Programs) Name(program string) bool {
	_, ok := p.rows[program]
	return ok
}

// Knows reports whether the package itself knows what a program does.
func Knows(program string) bool {
	handle := handlerOf(program)
	_, isCmdlet := cmdlets()[strings.ToLower(program)]
	return handle != nil || operationsOf[program] != nil || isCmdlet || described[program]
}

// described holds programs that need no handler of their own.
var described = map[string]bool{}

// programNamePattern matches what can be the name of a program, and no text that code only might run.
var programNamePattern = pattern.New(`^[A-Za-z_][\w.+@-]+$`)

// of returns the row of a program and its operations. A nil pointer has none.
func (p *Programs) of(name string) (Program, []operation) {
	if p == nil {
		return Program{}, nil
	}
	return p.rows[name], p.operations[name]
}

// noteRow notes the effects that a row gives a call. It returns the labels of what the call prints.
func (s *state) noteRow(row Program, c *call) (labels label) {
	s.effects.Privileged = s.effects.Privileged || row.Privileged
	for _, v := range argumentsAt(c, row.Reads) {
		labels |= s.read(v).labels
	}
	for _, v := range argumentsAt(c, row.Writes) {
		s.write(v, unknown(s.labelsOf(c)|s.stdin.labels))
	}
	for _, v := range argumentsAt(c, row.Deletes) {
		s.remove(v, true)
	}
	for _, v := range argumentsAt(c, row.Sends) {
		s.send(value{labels: v.labels | s.labelsOfFile(v)})
	}
	for _, v := range argumentsAt(c, row.Connects) {
		s.noteHost(v.text)
	}
	for _, place := range row.Runs {
		switch values := argumentsAt(c, []string{place}); {
		case len(values) == 0:
		case strings.HasSuffix(place, "..."):
			labels |= s.run(values).labels
		default:
			labels |= s.runText(values[0], nil).labels
		}
	}
	return labels
}

// noteUnknown notes a program that no table and no row describes. A script of the project is none: its text is in the
// project.
func (s *state) noteUnknown(c *call) {
	inProject := strings.Contains(c.path, "/") && !strings.HasPrefix(c.path, "/") && !strings.HasPrefix(c.path, "~")
	if row, _ := s.programs.of(c.name); row.Name == "" && !inProject && programNamePattern.MatchString(c.name) &&
		!Knows(c.name) {
		add(&s.effects.UnknownPrograms, c.name)
	}
}

// argumentsAt returns the arguments at some places of a row.
func argumentsAt(c *call, places []string) (found []value) {
	for _, place := range places {
		if strings.HasPrefix(place, "-") {
			if v, ok := c.option(place); ok {
				found = append(found, v)
			}
			continue
		}
		position, rest := strings.CutSuffix(place, "...")
		at, err := strconv.Atoi(position)
		words := c.words("")
		if err != nil || at < 1 || at > len(words) {
			continue
		}
		if words = words[at-1:]; !rest {
			words = words[:1]
		}
		found = append(found, words...)
	}
	return found
}
