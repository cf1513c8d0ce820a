package pack

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
)

// Problems collects all problems of a pack, so that its author sees them together.
type Problems struct {
	File  string
	Mend  string // hint for several problems; empty for the default
	found []problem
}

type problem struct {
	document.Position
	message, hint string
}

const (
	maxProblems = 100 // listed problems of one pack
	packHint    = "Correct the pack; nothing was applied. `get_pack_schema` prints its JSON Schema"
)

// Add adds a problem at a position of the file.
func (p *Problems) Add(at document.Position, hint, format string, args ...any) {
	p.found = append(p.found, problem{at, fmt.Sprintf(format, args...), hint})
}

// addElsewhere adds a problem unless one is known at its position: the schema has then reported it with another
// message.
func (p *Problems) addElsewhere(at document.Position, hint, format string, args ...any) {
	if !slices.ContainsFunc(p.found, func(other problem) bool { return other.Position == at }) {
		p.Add(at, hint, format, args...)
	}
}

// Err returns the problems sorted by line, as lines FILE:LINE:COLUMN: MESSAGE and as data; nil if there are none.
func (p *Problems) Err() error {
	if len(p.found) == 0 {
		return nil
	}
	slices.SortStableFunc(p.found, func(a, b problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	hint := p.found[0].hint
	var lines []string
	data := []map[string]any{}
	for _, problem := range p.found[:min(len(p.found), maxProblems)] {
		if problem.hint != hint {
			hint = cmp.Or(p.Mend, packHint)
		}
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", p.File, problem.Line, problem.Column, problem.message))
		data = append(data, map[string]any{"file": p.File, "line": problem.Line, "column": problem.Column,
			"message": problem.message})
	}
	if more := len(p.found) - maxProblems; more > 0 {
		at := p.found[maxProblems]
		lines = append(lines, fmt.Sprintf("%s:%d:%d: and %d more from here on", p.File, at.Line, at.Column, more))
	}
	return apperr.New(apperr.Validation, strings.Join(lines, "\n")).WithHint("%s", hint).With("problems", data)
}

// NewError returns the error of a pack with one problem.
func NewError(file string, at document.Position, hint, format string, args ...any) error {
	problems := &Problems{File: file}
	problems.Add(at, hint, format, args...)
	return problems.Err()
}

// Unreadable converts a parse error; other errors stay unchanged.
func Unreadable(file string, err error) error {
	var refused *document.Error
	if !errors.As(err, &refused) {
		return err
	}
	problems := &Problems{File: file}
	for _, problem := range refused.Problems {
		problems.Add(problem.Position, "The file cannot be read here; nothing was applied", "%s", problem.Message)
	}
	return problems.Err()
}
