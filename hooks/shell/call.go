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
			if a.text == option || strings.HasPrefix(option, "--") && len(a.text) > 4 && strings.HasPrefix(option, a.text) {
				return true
			}
			if len(option) == 2 && len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.IndexByte(a.text, option[1]) > 0 {
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
				return value{text: text, incomplete: a.incomplete, labels: a.labels}, true
			case !long && len(name) == 2 && strings.HasPrefix(a.text, name) && len(a.text) > 2:
				return value{text: a.text[2:], incomplete: a.incomplete, labels: a.labels}, true
			}
		}
	}
	return value{}, false
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

// words returns the arguments that are not options. valued lists the short options that take the next word as their value.
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
