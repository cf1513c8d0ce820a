package shell

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

// cmdletTable lists the cmdlets of PowerShell: see its first lines.
//
//go:embed cmdlets.tsv
var cmdletTable string

// textsWith returns the texts of programs.tsv with a role, such as the commands that methods stand for.
func textsWith(role string) map[string]string {
	texts := map[string]string{}
	for name, words := range programsWith(role) {
		texts[name] = strings.Join(words, " ")
	}
	return texts
}

// cmdlet is a row of the table. A parameter maps to "+" for an argument, "." for a value without an effect, ":-x" for a
// switch and "=-x" for an option with a value.
type cmdlet struct {
	name, program string
	parameters    [][2]string
}

// cmdlets maps names and aliases in lower case to cmdlets.
var cmdlets = sync.OnceValue(func() map[string]cmdlet {
	byName := map[string]cmdlet{}
	for line := range strings.Lines(cmdletTable) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(fields) < 3 {
			continue
		}
		c := cmdlet{name: fields[0], program: fields[2]}
		for _, parameter := range strings.Fields(strings.Join(fields[3:], " ")) {
			end := strings.IndexAny(parameter, "+.:=")
			c.parameters = append(c.parameters, [2]string{"-" + strings.ToLower(parameter[:end]), parameter[end:]})
		}
		for _, name := range append(strings.Fields(fields[1]), fields[0]) {
			byName[strings.ToLower(name)] = c
		}
	}
	return byName
})

// parameter returns the name of a parameter, which may be cut, and what it means, "" for one that the table does not
// list.
func (c cmdlet) parameter(text string) (name, meaning string) {
	for _, p := range c.parameters {
		if strings.HasPrefix(p[0], strings.ToLower(text)) {
			return p[0], p[1]
		}
	}
	return "", ""
}

// isForeign reports whether an argument is an option of the Unix program with the same name, such as -rf or --silent.
func (c cmdlet) isForeign(a word) bool {
	text := a.literal
	if !a.bare || len(text) < 2 || text[0] != '-' {
		return false
	}
	_, meaning := c.parameter(text)
	return strings.HasPrefix(text, "--") || len(text) < 6 && meaning == "" &&
		!slices.Contains(commonWords()["parameters"], strings.ToLower(text)) || c.program == "curl" && len(text) < 4
}

// translatedCall translates the call of a cmdlet, an alias or another program. fed is true if a pipe gives it input.
func translatedCall(name word, args []word, fed bool) string {
	lower := strings.ToLower(name.literal)
	row, known := cmdlets()[lower]
	switch {
	case !name.fixed || !known:
		for _, prefix := range commonWords()["cmdlets"] {
			if name.fixed && strings.HasPrefix(lower, prefix) &&
				!slices.ContainsFunc(args, func(a word) bool { return strings.EqualFold(a.literal, "-WhatIf") }) {
				return "az delete " + lower
			}
		}
		if name.fixed && verbNounPattern.MatchString(lower) { // a cmdlet without a row: parameters ignore case
			for i, a := range args {
				if a.bare && strings.HasPrefix(a.literal, "-") {
					args[i] = fixedWord(strings.ToLower(a.literal))
				}
			}
			if lower == "set-executionpolicy" &&
				slices.ContainsFunc(args, func(a word) bool { return strings.EqualFold(a.literal, "process") }) {
				return "true"
			}
			return joinWords(lower, scripts(args))
		}
		if lower == "robocopy" {
			return mirror(args)
		}
		program := name.script
		if name.computed {
			program = `"$ps_computed"`
		}
		return joinWords(program, scripts(args))
	case slices.ContainsFunc(args, func(a word) bool { return strings.EqualFold(a.literal, "-WhatIf") }):
		return "true"
	}
	if program := strings.TrimSuffix(lower, ".exe"); handlerOf(program) != nil &&
		slices.ContainsFunc(args, row.isForeign) {
		return joinWords(program, scripts(args))
	}
	return row.bind(args).call(row, fed)
}

// mirror translates robocopy, which may delete what only the target has.
func mirror(args []word) string {
	deletes := slices.ContainsFunc(args, func(a word) bool {
		return strings.EqualFold(a.literal, "/mir") || strings.EqualFold(a.literal, "/purge")
	})
	program := "cp -r "
	if deletes {
		program = "rsync -a --delete "
	}
	return program + scripts(slices.DeleteFunc(slices.Clone(args),
		func(a word) bool { return strings.HasPrefix(a.literal, "/") }))
}

var verbNounPattern = pattern.New(`^[a-z]+-[a-z0-9]+$`)

// arguments are those of a cmdlet by their meaning.
type arguments struct {
	named   map[string][]word // by the name of the parameter
	options []string
	words   []word // arguments in order
	blocks  []string
}

// bind sorts the arguments of a cmdlet by its parameters.
func (c cmdlet) bind(args []word) arguments {
	out := arguments{named: map[string][]word{}}
	slots := map[string][]word{}
	var rest [][]word
	for i := 0; i < len(args); i++ {
		a := args[i]
		text, given, colon := strings.Cut(a.literal, ":")
		name, meaning := c.parameter(text)
		switch {
		case a.block:
			out.blocks = append(out.blocks, a.script)
		case !a.bare || len(text) < 2 || text[0] != '-':
			list := listAt(args, i)
			rest, i = append(rest, list), i+len(list)-1
		case meaning == "" && slices.Contains(commonWords()["parameters"], strings.ToLower(text)):
			i++
		case meaning == "":
		case meaning[0] == ':':
			if meaning != ":" && !(colon && strings.HasSuffix(given, "false")) {
				out.options = append(out.options, meaning[1:])
			}
		case i+1 < len(args):
			list := listAt(args, i+1)
			i += len(list)
			if list[0].block {
				out.blocks = append(out.blocks, list[0].script)
			}
			out.named[name] = list
			if meaning[0] == '=' {
				out.options = append(out.options, meaning[1:], joined(list).script)
			} else if meaning == "+" {
				slots[name] = list
			}
		}
	}
	for _, p := range c.parameters {
		switch list, named := slots[p[0]]; {
		case p[1] != "+":
		case named:
			out.words = append(out.words, list...)
		case len(rest) > 0 && p[0] != "-literalpath":
			out.named[p[0]] = rest[0]
			out.words, rest = append(out.words, rest[0]...), rest[1:]
		}
	}
	for _, list := range rest {
		out.words = append(out.words, list...)
	}
	return out
}

// listAt returns the list at an index, such as a, b.
func listAt(args []word, i int) []word {
	end := i
	for end < len(args)-1 && args[end].joined {
		end++
	}
	return args[i : end+1]
}

// call translates the call of a cmdlet with these arguments.
func (a arguments) call(row cmdlet, fed bool) string {
	if strings.HasPrefix(row.program, "[") {
		return a.translated(row, fed)
	}
	options, words := strings.Join(a.options, " "), scripts(a.words)
	switch row.program {
	case "-":
		switch {
		case a.blocks != nil:
			return "{ cat\n" + a.block() + "\n}"
		case a.named["-inputobject"] != nil, !fed && len(a.words) > 0:
			return "echo " + words
		}
		return "cat"
	case "*":
		if a.blocks != nil {
			return a.block()
		}
		return words
	case "cat":
		if name, ok := a.environmentVariable(); ok {
			return "printenv " + fixedWord(strings.ToUpper(name)).script
		}
	}
	out := joinWords(row.program, options, words)
	if fed && len(a.words) == 0 && isOneOf(row.program, "cp", "mv", "pkill") {
		return "xargs " + out
	}
	if a.blocks != nil {
		out += "\n" + a.block()
	}
	return out
}

// block returns the statements of script blocks.
func (a arguments) block() string { return cmp.Or(strings.Join(a.blocks, "\n"), ":") }

// one returns the value of a parameter as one word.
func (a arguments) one(parameter string) word { return joined(a.named[parameter]) }

func (a arguments) path() []word {
	if literal := a.named["-literalpath"]; len(literal) > 0 {
		return literal
	}
	return a.named["-path"]
}

// environmentVariable returns NAME of the path env:NAME.
func (a arguments) environmentVariable() (name string, ok bool) {
	if len(a.words) == 0 {
		return "", false
	}
	return cutFold(a.words[0].literal, "env:")
}

// translated translates a cmdlet that no Unix program stands for.
func (a arguments) translated(row cmdlet, fed bool) string {
	words := scripts(a.words)
	switch row.program {
	case "[each]":
		if fed {
			return "while read -r psitem; do " + a.block() + "; done"
		}
		return a.block()
	case "[evaluate]":
		if joined(a.words).computed {
			words = `"$ps_computed"`
		}
		if words == "" {
			return "pwsh"
		}
		return "pwsh -c " + words
	case "[remote]":
		if hosts := slices.Concat(a.named["-computername"], a.named["-hostname"], a.named["-session"]); len(hosts) > 0 {
			return "ssh " + hosts[0].script + " " + quote(a.block())
		}
		return a.block()
	case "[start]":
		return a.start()
	case "[write]":
		return a.write(row.name == "Add-Content")
	case "[create]":
		return a.create(fed)
	case "[list]":
		return a.list()
	case "[remove]":
		if len(a.words) == 0 && fed {
			return joinWords("xargs rm", strings.Join(a.options, " "))
		}
		return joinWords("rm", strings.Join(a.options, " "), words)
	case "[source]":
		if len(a.words) > 0 && strings.Contains(a.words[0].literal, "/") {
			return ". " + words
		}
	case "[alias]":
		if len(a.words) > 1 && a.words[0].fixed {
			return strings.ToLower(a.words[0].literal) + "() { " + a.words[1].script + ` "$@"; }`
		}
	case "[variable]":
		if len(a.words) > 1 && a.words[0].fixed {
			return variableName("", a.words[0].literal) + "=" + joined(a.words[1:]).script
		}
	case "[zip]":
		return "zip -r " + a.one("-destinationpath").script + " " + scripts(a.path())
	case "[unzip]":
		return "unzip " + scripts(a.path()) + " -d " + a.one("-destinationpath").script
	}
	return "true"
}

// write translates Set-Content and Add-Content.
func (a arguments) write(appends bool) string {
	tee := "tee "
	if appends {
		tee = "tee -a "
	}
	tee += scripts(a.path())
	if value := a.named["-value"]; len(value) > 0 {
		return "printf '%s\\n' " + scripts(value) + " | " + tee
	}
	return tee
}

// create translates New-Item.
func (a arguments) create(fed bool) string {
	target := joined(a.path()).script
	if child := a.named["-name"]; len(child) > 0 {
		target = strings.TrimPrefix(target+"/"+joined(child).script, "''/")
	}
	switch kind := strings.ToLower(a.one("-itemtype").literal); {
	case a.named["-target"] != nil:
		return "ln -s " + a.one("-target").script + " " + target
	case kind == "directory":
		return "mkdir -p " + target
	case strings.HasSuffix(kind, "link"), kind == "junction":
		return "ln -s " + a.one("-value").script + " " + target
	case a.named["-value"] != nil:
		return "printf %s " + a.one("-value").script + " | tee " + target
	case fed:
		return "tee " + target
	}
	return "touch " + target
}

// list translates Get-ChildItem, which gives whole paths.
func (a arguments) list() string {
	if _, ok := a.environmentVariable(); ok {
		return "printenv"
	}
	folders := cmp.Or(scripts(a.words), ".")
	if at := slices.Index(a.options, "-name"); at >= 0 {
		return "find " + folders + " -name " + a.options[at+1]
	}
	return "find " + folders
}

// start translates Start-Process, whose argument list may be one text.
func (a arguments) start() string {
	program := joined(a.named["-filepath"])
	var words []string
	for _, w := range a.named["-argumentlist"] {
		if !w.fixed {
			words = append(words, w.script)
			continue
		}
		left := maxTranslation
		inner := &translator{text: w.literal, left: &left}
		for {
			part, ok := inner.argument()
			if !ok {
				break
			}
			words = append(words, part.script)
		}
	}
	script := program.script + " " + strings.Join(words, " ")
	if verb := a.named["-verb"]; len(verb) > 0 && strings.EqualFold(verb[0].literal, "runas") {
		script = "sudo " + script
	}
	return "{ " + script + " & }" // it does not wait
}

// runCmdlet runs a cmdlet that a Unix shell calls as a program.
func (s *state) runCmdlet(args []value) value {
	words := make([]word, len(args))
	for i, a := range args {
		if words[i] = fixedWord(pathSlashes(a.text)); a.incomplete {
			words[i] = word{script: `"$ps_unknown"`}
		}
		words[i].bare = true
	}
	stmts, ok := parse(translatedCall(words[0], words[1:], s.hasStdin))
	sub := s.child()
	if !ok || !sub.step() {
		return unknown(0)
	}
	return sub.stmts(stmts)
}
