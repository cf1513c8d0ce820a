package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/lists"
)

// Effects are the effects of a command. Lists are sorted and have no duplicates.
type Effects struct {
	// Parsed is false if the text is too long or not a valid shell command.
	Parsed   bool
	Programs []string // names of programs without their folder
	// Reads, Writes and Deletes are paths; "$NAME" stands for an unknown value. A path on
	// another machine starts with "HOST:".
	Reads, Writes, Deletes []string
	// ReadsOf, WritesOf and DeletesOf are the places of these paths: see the constants.
	ReadsOf, WritesOf, DeletesOf []string
	Hosts                        []string
	// Flows are data flows: "secret to network", "network to code", "decoded to code", "network to shell".
	Flows      []string
	Privileged bool
	// Git are git operations with options that rules read: "commit", "push", "push --force".
	Git []string
	// Remote are deletions of resources on other systems, such as "kubectl delete namespace".
	Remote []string
	// Code are interpreters that run code from the command itself.
	Code []string
	// Resources are ways in which the command exhausts the machine: "fork bomb".
	Resources []string
	// Protections are protections that the command disables: a firewall, an audit, a supervisor, the isolation of a
	// container.
	Protections []string
	// Publishes are operations that make something public, such as "npm publish".
	Publishes []string
	// Installs are packages from another source than the default registry: "downloaded package", "package from a URL",
	// "other registry".
	Installs []string
	// UnknownPrograms are the programs that no table and no row of a pack describes.
	UnknownPrograms []string
	// Unresolved are reasons why the effects are not fully known, such as HiddenCode.
	Unresolved []string
}

// Limits of one command. A longer or more complex command is unresolved, or not parsed.
const (
	MaxCommand = 64 << 10 // bytes
	maxSteps   = 4000     // statements, words and loops, nested commands included
	maxDepth   = 12       // depth of nested commands
	maxListed  = 100      // values of one list
	maxText    = 48 << 10 // bytes of a value
)

// Parse returns the effects of a command in the directory cwd, which is "" if unknown.
func Parse(command, cwd string) Effects { return ParseIn(Guess, command, cwd) }

// ParseIn is Parse for a command in a known dialect.
func ParseIn(dialect Dialect, command, cwd string) Effects {
	return parseIn(nil, dialect, command, cwd)
}

func parseIn(programs *Programs, dialect Dialect, command, cwd string) Effects {
	s := newState(cwd)
	s.programs = programs
	s.effects.Parsed = true
	if len(command) > MaxCommand {
		s.effects.Parsed = false
		s.unresolved(TooComplex)
		return s.finish()
	}
	dialects := []Dialect{dialect}
	if dialect == Guess {
		dialects = dialectsOf(command)
	}
	for _, dialect := range dialects {
		if dialect != Unix {
			s.child().runDialect(known(command), dialect)
		} else if stmts, ok := parse(command); ok {
			s.program(stmts)
		} else if s.effects.Parsed = len(dialects) > 1; !s.effects.Parsed {
			s.unresolved("the command cannot be parsed")
			s.program(parsePrefix(command))
			s.runUnparsed(command)
		}
	}
	return s.finish()
}

// Code returns the effects of code of another language, such as "python3" or "node".
func Code(language, text, cwd string) Effects {
	s := newState(cwd)
	s.effects.Parsed = true
	if language == "python3" {
		s.notebookCells(text) // the code may be a cell of a notebook
	}
	s.scanCode(language, known(text))
	return s.finish()
}

// PlacesOfAddress returns the places that a fetch of an address reads: a local file, or the credentials of a cloud
// machine.
func PlacesOfAddress(address, cwd string) []string {
	s := newState(cwd)
	s.noteMetadataRequest(address)
	if file, ok := LocalFile(address); ok {
		s.noteRead(file)
	}
	return s.effects.ReadsOf
}

// maxNesting is the depth of parentheses and braces up to which a text is parsed. For each of them, a parser calls
// itself a dozen times, and the stack grows.
const maxNesting = 2500

// tooNested reports whether a text has more than maxNesting open parentheses and braces, other than in single quotes.
func tooNested(text string) bool {
	depth, quoted := 0, false
	for _, c := range []byte(text) {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '{':
			depth++
		case (c == ')' || c == '}') && depth > 0:
			depth--
		}
		if depth > maxNesting {
			return true
		}
	}
	return false
}

// parse tries the parsers of the shells, the most common first.
func parse(text string) ([]*syntax.Stmt, bool) {
	if tooNested(text) {
		return nil, false
	}
	text = strings.TrimPrefix(text, "\ufeff")
	for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangZsh, syntax.LangMirBSDKorn} {
		file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
		if err == nil {
			return file.Stmts, true
		}
		if len(text) > maxBody && syntax.IsIncomplete(err) { // the others most likely miss the same, and take long
			break
		}
	}
	return nil, false
}

// maxRecovered is the maximum number of missing words, such as fi or }, that parsePrefix adds.
const maxRecovered = 8

// parsePrefix returns the statements of a text that is cut off, up to the first one that cannot be completed.
func parsePrefix(text string) (stmts []*syntax.Stmt) {
	recovered := maxRecovered
	if len(text) > maxBody {
		recovered = 0
	}
	if tooNested(text) {
		return nil
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.RecoverErrors(recovered))
	failed := false
	for stmt, err := range parser.StmtsSeq(strings.NewReader(text)) { // it panics after a break at an error
		if failed = failed || err != nil; !failed {
			stmts = append(stmts, stmt)
		}
	}
	return stmts
}

// Params returns the effects as parameters of an action, for rules to read.
func (e Effects) Params(command string) map[string]any {
	return map[string]any{
		"command": command, "parsed": e.Parsed, "programs": anyList(e.Programs), "privileged": e.Privileged,
		"reads": anyList(e.Reads), "writes": anyList(e.Writes), "deletes": anyList(e.Deletes),
		"reads_of": anyList(e.ReadsOf), "writes_of": anyList(e.WritesOf), "deletes_of": anyList(e.DeletesOf),
		"hosts": anyList(e.Hosts), "flows": anyList(e.Flows), "git": anyList(e.Git), "remote": anyList(e.Remote),
		"code": anyList(e.Code), "resources": anyList(e.Resources), "protections": anyList(e.Protections),
		"publishes": anyList(e.Publishes), "installs": anyList(e.Installs), "unresolved": anyList(e.Unresolved),
		"unknown_programs": anyList(e.UnknownPrograms),
	}
}

func anyList(list []string) []any {
	return lists.Map(list, func(text string) any { return text })
}

// add puts values into a list of effects, each once.
func add(list *[]string, values ...string) {
	for _, value := range values {
		if value == "" || len(*list) >= maxListed {
			continue
		}
		if len(value) > 500 {
			value = strings.ToValidUTF8(value[:500], "")
		}
		if at, found := slices.BinarySearch(*list, value); !found {
			*list = slices.Insert(*list, at, value)
		}
	}
}
