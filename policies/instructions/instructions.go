// Package instructions makes a pack from instructions for coding agents, such as CLAUDE.md or AGENTS.md.
//
// Import turns the sentences that patterns.yaml understands into rules in shadow mode, each with its source and a case,
// and lists the other instructions with the reason. It reads no graph.
package instructions

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"nomograph/internal/apperr"
	"nomograph/policies/check"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// Files are instructions for agents, to be converted to a pack.
type Files struct {
	Files []pack.Source `json:"files" jsonschema:"the files, with their text" rule:"minItems=1,maxItems=50"`
	As    string        `json:"as,omitempty" jsonschema:"name of the resulting pack" rule:"maxLength=63,default=\"instructions\""`
}

// Imported is a pack made from instructions, with what was left out.
type Imported struct {
	Pack     string   `json:"pack"`
	Text     string   `json:"text" jsonschema:"the pack's YAML" recorded:"exact"`
	Policies int      `json:"policies" jsonschema:"number of rules in the pack"`
	Notes    []string `json:"notes" jsonschema:"instructions that no rule can enforce, with the reasons"`
}

//go:embed patterns.yaml
var patternsFile string

// patterns is what patterns.yaml declares.
type patterns struct {
	Forbids, Asks, Before, Ends, Limits, Runs, Edits, Stores expression
	Alternatives                                             [][]string
	Phrases                                                  []struct {
		Says     expression
		Commands []string
	}
}

type expression struct{ *regexp.Regexp }

// UnmarshalYAML compiles the expression.
func (e *expression) UnmarshalYAML(text []byte) (err error) {
	var source string
	if err = yaml.Unmarshal(text, &source); err == nil {
		e.Regexp, err = regexp.Compile("(?i)" + source)
	}
	return err
}

var known = sync.OnceValue(func() (p patterns) {
	if err := yaml.Unmarshal([]byte(patternsFile), &p); err != nil { // the file is embedded, and the tests read it
		panic(err)
	}
	return p
})

// Import converts instructions to a pack of rules in shadow mode. It returns a validation_error for an invalid name,
// and for files without an instruction that a rule can enforce, with what was left out.
func Import(ctx context.Context, f Files) (Imported, error) {
	out := Imported{Pack: cmp.Or(f.As, "instructions")}
	var all []found
	seen := map[string]bool{}
	for _, file := range f.Files {
		for _, s := range sentences(file.Text) {
			source := fmt.Sprintf("%s:%d", file.Name, s.line)
			one, why := known().read(s.text)
			if why != "" {
				out.Notes = append(out.Notes, fmt.Sprintf("%s: %s: %s", source, why, s.text))
			}
			if len(one.things) == 0 || seen[one.condition()] {
				continue
			}
			seen[one.condition()] = true
			one.name, one.source, one.text = fmt.Sprintf("%s-%d", out.Pack, len(all)+1), source, s.text
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return out, apperr.New(apperr.Validation, "No instruction can be enforced as a rule").
			WithHint("Rules can enforce sentences such as \"Never run `git push --force`\" or \"Do not edit `vendor/`\"").
			With("notes", out.Notes)
	}
	text, err := pack.Generated{Pack: pack.Words(out.Pack), Description: "Instructions for agents, as rules on trial",
		Policies: policies(all), Tests: tests(ctx, all)}.Text(ctx)
	if err != nil {
		return Imported{}, apperr.From(err)
	}
	out.Text, out.Policies = text, len(all)
	return out, nil
}

// found is what a sentence forbids.
type found struct {
	kind               kind
	things             []string
	severity           string
	name, source, text string
}

// kind is what a sentence names.
type kind int

const (
	commands kind = iota
	files
	toBranches
)

var (
	marked  = regexp.MustCompile("`([^`]+)`")
	program = regexp.MustCompile(`^(?:\./|[A-Za-z])[\w./+-]*(?: |$)`)
	aPath   = regexp.MustCompile(`^[\w.*@/{}~-]*(?:/|\.[\w*]+)[\w.*@/{}-]*$`)
	aBranch = regexp.MustCompile(`(?i)\b(?:to|on|into|against)\s+(?:the\s+)?((?:[` + "`" + `"]?[\w./-]+[` + "`" +
		`"]?(?:\s*(?:,|/|\bor\b|\band\b)\s*)?)+)`)
	usual   = regexp.MustCompile(`(?i)^(?:main|master|trunk|dev|develop|staging|production|prod|release/?.*)$`)
	instead = regexp.MustCompile("(?i)\\binstead of `")
	// A token with it stands for many commands.
	placeholder = regexp.MustCompile(`<|\.\.\.|&&| / |\|`)
	extension   = regexp.MustCompile(`^\.\w{1,5}$`)
	always      = regexp.MustCompile("(?i)\\b(?:always|only) use `?([a-z]+)`?")
)

// read returns what a sentence forbids, or why no rule can enforce it: "" for a sentence that is no instruction.
func (p patterns) read(text string) (f found, why string) {
	f.severity = rule.Block
	if p.Asks.MatchString(text) {
		f.severity = rule.Approve
	}
	if at := instead.FindStringIndex(text); at != nil {
		f.things = tokens(text[at[0]:], program)
		return f, ""
	}
	span, rest, forbidden := p.span(text)
	words := marked.ReplaceAllStringFunc(span, func(code string) string { // verbs in code, such as git add, do not count
		return strings.Repeat("`", len(code))
	})
	if m := always.FindStringSubmatch(text); m != nil {
		if f.things = p.programs(span); len(f.things) == 0 {
			f.things = p.others(m[1])
		}
	}
	if len(f.things) > 0 || span == "" {
		return f, ""
	}
	f.kind, f.things = p.things(span, words)
	for _, phrase := range p.Phrases {
		if len(f.things) == 0 && phrase.Says.MatchString(words) {
			f.kind, f.things = commands, phrase.Commands
		}
	}
	switch {
	case len(f.things) == 0 && !forbidden:
		return f, "It asks about something that no command, path or branch shows"
	case len(f.things) == 0:
		return f, "It names no command, path or branch"
	case f.kind == commands && f.severity == rule.Block && p.Limits.MatchString(words[firstEnd(span):]+rest):
		f.severity = rule.Warn
	}
	return f, ""
}

// things returns what a text names, by its verbs: branches and files of a commit, files, or commands.
func (p patterns) things(span, words string) (kind, []string) {
	if p.Stores.MatchString(words) {
		if names := branches(span); len(names) > 0 {
			return toBranches, names
		}
		if added := each(tokens(span, aPath), func(path string) []string {
			return []string{"git add " + path, "git add * " + path, "git commit * " + path}
		}); len(added) > 0 {
			return commands, added
		}
	}
	if p.Edits.MatchString(words) {
		return files, tokens(span, aPath)
	}
	first := firstEnd(span)
	if at := p.Limits.FindStringIndex(words[first:]); at != nil && first > 0 { // what follows is a place or a purpose
		span = span[:first+at[0]]
	}
	if found := tokens(span, program); len(found) > 0 || !p.Runs.MatchString(words) {
		return commands, found
	}
	return commands, p.programs(span)
}

// firstEnd returns where the first code of a text ends; 0 without code.
func firstEnd(text string) int {
	if at := marked.FindStringIndex(text); at != nil {
		return at[1]
	}
	return 0
}

// tokens returns the marked parts of a text that match.
func tokens(text string, form *regexp.Regexp) (found []string) {
	for _, m := range marked.FindAllStringSubmatch(text, -1) {
		if token := strings.TrimSpace(m[1]); form.MatchString(token) && !placeholder.MatchString(token) {
			found = append(found, token)
		}
	}
	return found
}

// span returns the part of a sentence that says what is forbidden, or what needs a question first, and the rest.
func (p patterns) span(text string) (span, rest string, forbidden bool) {
	at := p.Forbids.FindStringIndex(text)
	if forbidden = at != nil; !forbidden {
		if at = p.Before.FindStringIndex(text); at == nil {
			return "", "", false
		}
	}
	span = strings.TrimSpace(text[at[1]:])
	verb := strings.IndexByte(span, ' ') // the first word is the verb, such as use
	if verb < 0 {
		return span, "", forbidden
	}
	if end := p.Ends.FindStringIndex(span[verb:]); end != nil {
		return span[:verb+end[0]], span[verb+end[0]:], forbidden
	}
	return span, "", forbidden
}

// others returns the programs that do the same as one of the table.
func (p patterns) others(name string) (others []string) {
	for _, group := range p.Alternatives {
		if at := slices.Index(group, strings.ToLower(name)); at >= 0 {
			others = append(others, slices.Delete(slices.Clone(group), at, at+1)...)
		}
	}
	return others
}

// programs returns the programs of the table that a text names.
func (p patterns) programs(text string) (names []string) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
	for _, group := range p.Alternatives {
		for _, name := range group {
			if slices.Contains(words, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// branches returns the branches that a text names after to or on: marked ones, and usual names.
func branches(span string) (names []string) {
	m := aBranch.FindStringSubmatch(span)
	if m == nil {
		return nil
	}
	for _, word := range regexp.MustCompile(`\s*(?:,|\bor\b|\band\b|/)\s*|\s+`).Split(m[1], -1) {
		name := strings.Trim(word, "`\".")
		if usual.MatchString(name) || name != "" && strings.HasPrefix(word, "`") && !aPath.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// policies returns the rules in the form of a pack.
func policies(all []found) (items []pack.GeneratedPolicy) {
	for _, f := range all {
		alternative := pack.Words("Do what the instruction says instead")
		if f.severity == rule.Approve {
			alternative = "Ask a person first"
		}
		items = append(items, pack.GeneratedPolicy{Name: pack.Words(f.name), Active: true,
			Description: pack.Words(f.text), Source: pack.Words(f.source), Severity: pack.Words(f.severity),
			Mode: rule.Shadow, AppliesWhen: pack.Words(f.condition()), Requires: "false",
			Message: pack.Words(f.source + " says: " + f.text), Alternatives: []pack.Words{alternative}})
	}
	return items
}

// condition is true for an action that the sentence forbids.
func (f found) condition() string {
	switch f.kind {
	case commands:
		return "command.like(action.commands, " + quoted(each(f.things, func(command string) []string {
			if strings.Contains(command, "*") {
				return []string{command}
			}
			return []string{command, command + " *"}
		})) + ")"
	case toBranches:
		pushed := each(f.things, func(branch string) []string {
			return []string{"git push * " + branch, "git push * " + branch + " *", "git push *:" + branch + "*"}
		})
		return `action.name == "git.push" && git.branch(action.params.?branch).exists(b, b in ` + quoted(f.things) +
			`) || command.like(action.commands, ` + quoted(pushed) + `)`
	}
	paths := quoted(each(f.things, globs))
	return `action.name in ["file.write", "file.delete"] && path.like(action.paths, ` + paths +
		`) || has(action.params.writes) && path.like(action.params.writes, ` + paths +
		`) || has(action.params.deletes) && path.like(action.params.deletes, ` + paths + `)`
}

// globs returns the patterns of a path: of a folder, all in it; of a relative one, in any folder.
func globs(path string) []string {
	if path = strings.TrimPrefix(path, "./"); strings.HasSuffix(path, "/") {
		path += "*"
	}
	if extension.MatchString(path) {
		return []string{"*" + path}
	}
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") {
		return []string{path}
	}
	return []string{path, "*/" + path}
}

// example is an action that the sentence forbids.
func (f found) example() check.ActionCheck {
	concrete := strings.NewReplacer("**", "x", "*", "x").Replace(f.things[0])
	switch {
	case f.kind == toBranches:
		concrete = "git push origin " + concrete
	case f.kind == files && strings.HasSuffix(concrete, "/"):
		concrete += "x"
	}
	if f.kind == files {
		return check.ActionCheck{Description: "Write", Name: "file.write", Params: map[string]any{"path": concrete}}
	}
	return check.ActionCheck{Description: "Run", Name: "shell.run", Params: map[string]any{"command": concrete}}
}

// tests returns a case for each rule, with all rules that object to its action.
func tests(ctx context.Context, all []found) (items []pack.GeneratedCase) {
	var nodes check.RuleNodes
	for _, f := range all {
		nodes.Policies = append(nodes.Policies, check.RuleNode{ID: f.name, Properties: map[string]any{"name": f.name,
			"active": true, "mode": rule.Shadow, "applies_when": f.condition(), "requires": "false"}})
	}
	set := check.NewCompiler(nil).Compile(nodes, time.Now())
	for _, f := range all {
		example := f.example()
		item := pack.GeneratedCase{Name: pack.Words("what " + f.source + " forbids"), Action: map[string]any{
			"description": example.Description, "name": example.Name, "params": example.Params}}
		if action, _, err := example.Action(); err == nil {
			for _, violation := range set.Evaluator(example, action).Verdict(ctx).Shadow {
				item.Expect.Shadow = append(item.Expect.Shadow, violation.GuardrailID)
			}
		}
		items = append(items, item)
	}
	return items
}

func each(texts []string, forms func(string) []string) (all []string) {
	for _, text := range texts {
		all = append(all, forms(text)...)
	}
	return all
}

// quoted returns a list of texts in CEL, which reads the escapes of JSON.
func quoted(texts []string) string {
	text, _ := json.Marshal(texts) // texts always encode
	return string(text)
}
