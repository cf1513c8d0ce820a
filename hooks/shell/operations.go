package shell

import (
	_ "embed"
	"path"
	"slices"
	"strings"
)

// meaning is an effect of an operation, in addition to those that its handler finds. It is the first column of
// operations.tsv.
type meaning string

const (
	printsSecret meaning = "prints a secret"
	printsToken  meaning = "prints a token" // that is meant to be given to another program
	// disables a protection of the machine, or opens the machine to others
	weakens            meaning = "weakens"
	deletesThere       meaning = "deletes elsewhere"
	deletesHere        meaning = "deletes here" // data of the machine that cannot be restored
	changesUsers       meaning = "changes users"
	overwritesDisk     meaning = "overwrites a disk"
	startsLater        meaning = "starts later"
	publishes          meaning = "publishes"
	printsUnseen       meaning = "prints unseen data" // such as a text in an image
	printsElsewhere    meaning = "prints from elsewhere"
	registersElsewhere meaning = "sets a registry" // for later installations
	sendsFiles         meaning = "sends files"
)

// operationTable lists operations: see its first lines.
//
//go:embed operations.tsv
var operationTable string

type operation struct {
	meaning meaning
	tokens  [][]string
}

// buildOperations returns the operations of each program.
func buildOperations() map[string][]operation {
	byProgram := map[string][]operation{}
	for line := range strings.Lines(operationTable) {
		means, form, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		fields := strings.Fields(form)
		o := newOperation(meaning(means), fields[1:])
		for _, program := range strings.Split(fields[0], "|") {
			byProgram[program] = append(byProgram[program], o)
		}
	}
	return byProgram
}

func newOperation(means meaning, words []string) operation {
	o := operation{meaning: means}
	for _, word := range words {
		o.tokens = append(o.tokens, strings.Split(word, "|"))
	}
	return o
}

// matches reports whether a call is this operation.
func (o operation) matches(c *call, words []value) bool {
	at := 0
	for i, token := range o.tokens {
		found := false
		if strings.HasPrefix(token[0], "-") || strings.HasPrefix(token[0], "/") {
			found = slices.ContainsFunc(token, c.optionLike)
		} else {
			for k := at; k < len(words) && (i > 0 || k < 3) && !found; k++ {
				found = slices.ContainsFunc(token,
					func(pattern string) bool { return matchesWildcard(pattern, words[k].text) })
				at = k + 1
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// optionLike reports whether an option is given, "--name=value" with this value. Options of Windows begin with a slash.
func (c *call) optionLike(option string) bool {
	name, wanted, with := strings.Cut(option, "=")
	if !with {
		return slices.ContainsFunc(c.args, func(a value) bool {
			key, _, _ := strings.Cut(a.text, "=")
			inCluster := len(option) == 2 && option[1] > '9' && isCluster(a.text) && len(a.text) < 6 &&
				strings.Contains(a.text, option[1:])
			return inCluster || matchesWildcard(option, key) || option[0] == '/' && strings.EqualFold(option, a.text)
		})
	}
	given, ok := c.option(name)
	return ok && matchesWildcard(wanted, given.text)
}

// matchesWildcard matches a pattern in which * stands for anything, slashes too.
func matchesWildcard(pattern, text string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == text
	}
	if pattern == "*" {
		return text != ""
	}
	if len(text) > 2000 || strings.ContainsAny(pattern, `[?\`) {
		return false
	}
	ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(text, "/", "\x01"))
	return ok
}

// isDryRun reports whether a call only prints help or what it would do. Of several such options, the last counts.
func (c *call) isDryRun() (dryRun bool) {
	for _, a := range c.args {
		key, value, ok := strings.Cut(a.text, "=")
		if key = strings.ReplaceAll(strings.ToLower(key), "_", "-"); key == "--" {
			return dryRun
		}
		if key == "--no-dry-run" {
			dryRun = false
		} else if key == "--help" || key == "--dryrun" ||
			len(key) >= len("--dry") && strings.HasPrefix("--dry-run", key) {
			dryRun = !a.incomplete &&
				!(ok && isOneOf(strings.ToLower(value), "", "false", "f", "none", "no", "off", "0"))
		}
	}
	return dryRun
}

// registersHere reports whether the registry in the words is a server on this machine.
func registersHere(words []value) (here bool) {
	for _, word := range words {
		if at := strings.Index(word.text, "http"); at >= 0 && strings.Contains(word.text, "://") {
			if !onThisMachine(word.text[at:]) && !knownRegistry(word.text[at:]) {
				return false
			}
			here = true
		}
	}
	return here
}

// noteOperations notes the meaning of a call's operation. It returns the labels of the call's output.
func (s *state) noteOperations(c *call) (labels label) {
	if c.isDryRun() {
		return 0
	}
	row, forms := s.programs.of(c.name)
	labels = s.noteRow(row, c)
	forms = slices.Concat(forms, operationsOf[c.name])
	words := c.words("")
	var text string
	for _, o := range forms {
		if !o.matches(c, words) {
			continue
		}
		if text == "" {
			text = strings.TrimSpace(c.name + " " + joinArgs(words[:min(3, len(words))]).text)
		}
		switch o.meaning {
		case printsSecret:
			add(&s.effects.ReadsOf, Credentials)
			labels |= secret
		case printsToken:
			if plain := plainOutputs[c.name]; plain == nil || !plain(c, words) {
				labels |= token
			}
		case weakens:
			add(&s.effects.Protections, text)
		case deletesThere:
			if !s.staysHere(c) {
				add(&s.effects.Remote, text)
			}
		case deletesHere:
			add(&s.effects.Deletes, text)
			add(&s.effects.DeletesOf, System)
		case changesUsers:
			add(&s.effects.Writes, text)
			add(&s.effects.WritesOf, System)
		case overwritesDisk:
			add(&s.effects.WritesOf, Device)
		case startsLater:
			add(&s.effects.WritesOf, Startup)
		case printsUnseen:
			labels |= unpacked
		case printsElsewhere:
			labels |= network
		case registersElsewhere:
			if !registersHere(words) {
				add(&s.effects.Installs, otherRegistry)
			}
		case publishes:
			add(&s.effects.Publishes, text)
		}
	}
	return labels
}
