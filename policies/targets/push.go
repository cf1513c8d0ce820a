package targets

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/internal/normalize"
	"nomograph/internal/pattern"
)

// Words of keys that name a branch to push to, or say that the push rewrites history.
var (
	branchWords = pattern.Words{Text: `branch branches ref refs refspec refspecs`}
	forceWords  = pattern.Words{Text: `force f forced mirror delete deleted d`}
	// options of git push that take the next word
	valueFlags = pattern.Words{Text: `-o --push-option --repo --receive-pack --exec`}
	gitFlags   = pattern.Words{Text: `-c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env`}
)

// ForcePushed returns the branches that an action force-pushes or deletes, or AnyBranch if it names none or they are
// ambiguous. It reads commands under any key of params, including wrappers (sudo, bash -c), and a description that is a
// command. If the action's name contains git and push, it also reads branches, force flags and argument lists in
// params. A force flag that cannot be interpreted counts as force.
func ForcePushed(name, description string, params map[string]any) []string {
	_, commands := Named(params)
	if program, _, _ := strings.Cut(normalize.Name(description), " "); program == "git" {
		commands = append(commands, description)
	}
	var p push
	for _, command := range commands {
		forms, all := commandForms(command)
		for _, form := range forms {
			p.command(form)
		}
		if !all {
			p.branches = append(p.branches, AnyBranch)
		}
	}
	if parts := keyWords(name); slices.Contains(parts, "git") && slices.Contains(parts, "push") {
		p.facts(params)
	}
	slices.Sort(p.branches)
	return slices.Compact(p.branches)
}

// push collects the branches that pushes rewrite.
type push struct{ branches []string }

// command reads one form of a command line.
func (p *push) command(line string) {
	tokens := strings.Fields(line)
	if len(tokens) == 0 || programOf(tokens[0]) != "git" {
		return
	}
	tokens = tokens[1:]
	for len(tokens) > 0 && strings.HasPrefix(tokens[0], "-") {
		skip := 1
		if gitFlags.Has(tokens[0]) {
			skip = 2
		}
		tokens = tokens[min(skip, len(tokens)):]
	}
	if len(tokens) == 0 || tokens[0] != "push" {
		return
	}
	forced, all, specs := arguments(tokens[1:])
	if len(specs) > 0 { // the first word is the remote
		specs = specs[1:]
	}
	p.add(forced, all, specs)
}

// arguments reads the words after git push until the end of the command: whether they force, whether they select all
// branches, and the words that are not options.
func arguments(tokens []string) (forced, all bool, rest []string) {
	for i := 0; i < len(tokens); i++ {
		token := strings.Trim(tokens[i], `"'`)
		option, _, _ := strings.Cut(token, "=")
		switch {
		case strings.ContainsAny(token, "<>"): // a redirection
		case strings.ContainsAny(token, ";|&"):
			return forced, all, rest
		case token == "--":
		case strings.HasPrefix(option, "--force"), option == "--mirror", option == "--delete", option == "--prune":
			forced, all = true, all || option == "--mirror"
		case option == "--all", option == "--branches":
			all = true
		case valueFlags.Has(token):
			i++
		case strings.HasPrefix(token, "--"):
		case strings.HasPrefix(token, "-"):
			forced = forced || strings.ContainsAny(token, "fd")
		default:
			rest = append(rest, token)
		}
	}
	return forced, all, rest
}

// add records the rewritten branches of refspecs: all if the push is forced, else those with + or :.
func (p *push) add(forced, all bool, specs []string) {
	if forced && (all || len(specs) == 0) {
		p.branches = append(p.branches, AnyBranch)
	}
	for _, spec := range specs {
		if forced || Forced(spec) {
			p.branches = append(p.branches, Branches(spec)...)
		}
	}
}

// facts reads the params of an action that is a push.
func (p *push) facts(params map[string]any) {
	forced, all, specs := false, false, []string{}
	var read func(fields map[string]any)
	read = func(fields map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			parts := keyWords(key)
			if len(parts) == 0 {
				continue
			}
			value := fields[key]
			nested, ok := value.(map[string]any)
			switch last := parts[len(parts)-1]; {
			case ok:
				read(nested)
			case forceWords.Has(parts[0]) || forceWords.Has(last):
				forced = forced || mayBeTrue(value)
			case branchWords.Has(last):
				specs = append(specs, textsOf(value)...)
			case argsWords.Has(last):
				is, every, rest := arguments(strings.Fields(normalize.Fold(strings.Join(textsOf(value), " "))))
				forced, all, specs = forced || is, all || every,
					append(specs, slices.DeleteFunc(rest, func(word string) bool {
						return word == "git" || word == "push"
					})...)
			}
		}
	}
	read(params)
	p.add(forced, all, specs)
}

// mayBeTrue reports whether a value is true or cannot be interpreted.
func mayBeTrue(value any) bool {
	texts := textsOf(value)
	return slices.ContainsFunc(texts, func(text string) bool {
		is, ok := normalize.Truth(text)
		return is || !ok
	})
}

// textsOf returns the texts of a value; for a list, those of its items. null has none.
func textsOf(value any) (texts []string) {
	switch v := value.(type) {
	case nil:
	case []any:
		for _, one := range v {
			texts = append(texts, textsOf(one)...)
		}
	case []string:
		texts = v
	default:
		texts = []string{fmt.Sprint(v)}
	}
	return texts
}
