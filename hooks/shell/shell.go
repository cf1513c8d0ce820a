package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Effects are what a command would do. Lists are sorted and hold each value once.
type Effects struct {
	// Parsed is false where the text is not a shell command that can be parsed, or is too long.
	Parsed   bool
	Programs []string // names of programs without their folder
	// Reads, Writes and Deletes are paths as far as they are known; "$NAME" stands for a value that is not known. A path on
	// another machine starts with "HOST:".
	Reads, Writes, Deletes []string
	// ReadsOf, WritesOf and DeletesOf are the places of these paths: see the constants.
	ReadsOf, WritesOf, DeletesOf []string
	Hosts                        []string
	// Flows are the ways of data: "secret to network", "network to code", "decoded to code", "network to shell".
	Flows      []string
	Privileged bool
	// Git are operations of git, with the options that matter: "commit", "push", "push --force".
	Git []string
	// Remote are deletions of resources on other systems, such as "kubectl delete namespace".
	Remote []string
	// Code are the interpreters that are given code in the command itself.
	Code []string
	// Resources are ways in which the command exhausts the machine: "fork bomb".
	Resources []string
	// Protections are what the command switches off or opens: a firewall, an audit, a supervisor, the isolation of a container.
	Protections []string
	// Publishes are operations that make something public, such as "npm publish".
	Publishes []string
	// Installs are packages from elsewhere than the usual registry: "downloaded package", "package from a URL", "other registry".
	Installs []string
	// Unresolved are the parts whose meaning depends on values that are not known.
	Unresolved []string
}

// Limits of one command. A longer or more complex command is unresolved, or not parsed.
const (
	MaxCommand = 64 << 10 // bytes
	maxSteps   = 4000     // statements, words and loops, nested commands included
	maxDepth   = 12       // commands in commands
	maxListed  = 100      // values of a list
	maxText    = 48 << 10 // bytes of a value
)

// Parse tells what a command would do in the directory cwd, which is "" where it is not known.
func Parse(command, cwd string) Effects {
	s := newState(cwd)
	s.effects.Parsed = true
	if len(command) > MaxCommand {
		s.effects.Parsed = false
		s.unresolved(TooComplex)
		return s.finish()
	}
	if stmts, ok := parse(command); ok {
		s.program(stmts)
	} else {
		s.effects.Parsed = false
		s.unresolved("the command cannot be parsed")
		s.runUnparsed(command)
	}
	return s.finish()
}

// Code tells what code of another language would do, such as "python3" or "node".
func Code(language, text, cwd string) Effects {
	s := newState(cwd)
	s.effects.Parsed = true
	if language == "python3" {
		s.notebookCells(text) // the code may be a cell of a notebook
	}
	s.scanCode(language, known(text))
	return s.finish()
}

// Address gives the places that fetching an address reads: a file of this machine, or the credentials that a cloud gives it.
func Address(address, cwd string) []string {
	s := newState(cwd)
	s.noteMetadataRequest(address)
	if file, ok := LocalFile(address); ok {
		s.noteRead(file)
	}
	return s.effects.ReadsOf
}

// parse tries the shells from the most common on. A text that no parser takes is read as far as one can.
func parse(text string) ([]*syntax.Stmt, bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangZsh, syntax.LangMirBSDKorn} {
		file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
		if err == nil {
			return file.Stmts, true
		}
	}
	return nil, false
}

// Params returns the effects as parameters of an action, for rules to read.
func (e Effects) Params(command string) map[string]any {
	return map[string]any{
		"command": command, "parsed": e.Parsed, "programs": anyList(e.Programs), "reads": anyList(e.Reads), "writes": anyList(e.Writes),
		"deletes": anyList(e.Deletes), "reads_of": anyList(e.ReadsOf), "writes_of": anyList(e.WritesOf), "deletes_of": anyList(e.DeletesOf),
		"hosts": anyList(e.Hosts), "flows": anyList(e.Flows), "privileged": e.Privileged, "git": anyList(e.Git), "remote": anyList(e.Remote),
		"code": anyList(e.Code), "resources": anyList(e.Resources), "protections": anyList(e.Protections), "publishes": anyList(e.Publishes), "installs": anyList(e.Installs), "unresolved": anyList(e.Unresolved),
	}
}

func anyList(list []string) []any {
	values := make([]any, len(list))
	for i, text := range list {
		values[i] = text
	}
	return values
}

// add puts a value into a list of effects, once.
func add(list *[]string, value string) {
	if value == "" || len(*list) >= maxListed {
		return
	}
	if len(value) > 500 {
		value = strings.ToValidUTF8(value[:500], "")
	}
	if at, found := slices.BinarySearch(*list, value); !found {
		*list = slices.Insert(*list, at, value)
	}
}
