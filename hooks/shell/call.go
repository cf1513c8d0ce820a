package shell

import (
	"slices"
	"strings"
	"sync"
)

// call is one call of a program with its arguments.
type call struct {
	name, path string
	args       []value
}

// has reports whether the arguments contain one of the options; a cluster such as -rf contains -r and -f.
func (c *call) has(options ...string) bool {
	for _, a := range c.args {
		if a.text == "--" {
			return false
		}
		for _, option := range options {
			if a.text == option || strings.HasPrefix(option, "--") && len(a.text) > 4 &&
				strings.HasPrefix(option, a.text) {
				return true
			}
			if len(option) == 2 && len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' &&
				strings.IndexByte(a.text, option[1]) > 0 {
				return true
			}
		}
	}
	return false
}

// option returns the value of an option: -o value, -ovalue, --option value, --option=value, also abbreviated.
func (c *call) option(names ...string) (value, bool) {
	for i, a := range c.args {
		for _, name := range names {
			long := strings.HasPrefix(name, "--")
			key, text, ok := strings.Cut(a.text, "=")
			switch {
			case a.text == name || long && !ok && len(a.text) > 6 && strings.HasPrefix(name, a.text):
				if i+1 < len(c.args) {
					return c.args[i+1], true
				}
			case long && ok && (key == name || len(key) > 6 && strings.HasPrefix(name, key)):
				return a.with(text), true
			case !long && len(name) == 2 && strings.HasPrefix(a.text, name) && len(a.text) > 2:
				return a.with(a.text[2:]), true
			}
		}
	}
	return value{}, false
}

// isOneOf reports whether a text is one of others.
func isOneOf(text string, others ...string) bool { return slices.Contains(others, text) }

// contains reports whether one of the arguments is one of the texts.
func (c *call) contains(texts ...string) bool {
	return slices.ContainsFunc(c.args, func(a value) bool { return slices.Contains(texts, a.text) })
}

// after returns the argument that follows any of the given words.
func (c *call) after(names ...string) value {
	for i, a := range c.args {
		if slices.Contains(names, a.text) && i+1 < len(c.args) {
			return c.args[i+1]
		}
	}
	return value{}
}

// words returns the arguments that are not options. valued lists the short options that take the next word as their
// value.
func (c *call) words(valued string, long ...string) (words []value) {
	for i := 0; i < len(c.args); i++ {
		text := c.args[i].text
		switch {
		case text == "--":
			return append(words, c.args[i+1:]...)
		case strings.HasPrefix(text, "--"):
			if slices.Contains(long, text) {
				i++
			}
		case strings.HasPrefix(text, "-") && len(text) > 1:
			if strings.IndexByte(valued, text[len(text)-1]) >= 0 {
				i++
			}
		default:
			words = append(words, c.args[i])
		}
	}
	return words
}

// valuedOptions maps programs to their options that take a value.
var valuedOptions = sync.OnceValue(func() map[string][]string { return programsWith("takes") })

// eachOption calls note for each option with its value, "" without one, and returns the other arguments. programs.tsv
// lists the options of a program that take a value. A cluster such as -czf is several options, and a long name may be
// abbreviated.
func (c *call) eachOption(note func(option string, v value)) (words []value) {
	valued := valuedOptions()[c.name]
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		next := func() (v value) {
			if i+1 < len(c.args) {
				i++
				v = c.args[i]
			}
			return v
		}
		switch {
		case a.text == "--":
			return append(words, c.args[i+1:]...)
		case strings.HasPrefix(a.text, "--"):
			name, given, glued := strings.Cut(a.text, "=")
			name = fullOption(name, valued)
			v := a.with(given)
			if !glued && slices.Contains(valued, name) {
				v = next()
			}
			note(name, v)
		case strings.HasPrefix(a.text, "-") && len(a.text) > 1:
			name, rest := "", a.text[1:]
			for rest != "" && !slices.Contains(valued, name) {
				name, rest = "-"+rest[:1], rest[1:]
				if !slices.Contains(valued, name) {
					note(name, value{})
				}
			}
			if v := (a.with(rest)); slices.Contains(valued, name) {
				if rest == "" {
					v = next()
				}
				note(name, v)
			}
		default:
			words = append(words, a)
		}
	}
	return words
}

// fullOption returns the option that an abbreviation with at least six characters stands for. --backup does not stand
// for --backup-dir.
func fullOption(name string, options []string) string {
	if len(name) < 6 || slices.Contains(options, name) {
		return name
	}
	for _, option := range options {
		if strings.HasPrefix(option, name) && option[len(name)] != '-' {
			return option
		}
	}
	return name
}

func (s *state) labelsOf(c *call) (labels label) {
	for _, a := range c.args {
		labels |= a.labels
	}
	return labels
}

type handler func(s *state, c *call) value

var (
	handlers     map[string]handler
	operationsOf map[string][]operation
	listOnce     sync.Once
)

// handlerOf returns the handler of a program, nil for an unknown program. The first call builds the list.
func handlerOf(name string) handler {
	listOnce.Do(buildHandlers)
	return handlers[name]
}

// targetFolder returns the folder into which cp, mv, ln and install put files: -t FOLDER, also at the end of a cluster.
func (c *call) targetFolder() (value, bool) {
	if folder, ok := c.option("-t", "--target-directory"); ok {
		return folder, true
	}
	name := clusterValue(c, 't')
	return known(name), name != ""
}
