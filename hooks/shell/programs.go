package shell

import (
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

// unknownProgram handles programs without a handler: it assumes that they read files with secrets and print all their
// input.
func unknownProgram(s *state, c *call) value {
	if out, ok := s.commandInArguments(c); ok {
		return out
	}
	if strings.HasPrefix(c.name, "mkfs.") || strings.HasPrefix(c.name, "fsck.") || strings.HasPrefix(c.name, "newfs_") {
		return diskProgram(s, c)
	}
	out := unknown(s.stdin.labels)
	s.noteDestroyingWords(c)
	here := withoutRemoteNames(c)
	for i, a := range here.args {
		option, text, glued := strings.Cut(a.text, "=")
		if !glued {
			text = a.text
		}
		if i > 0 && !glued {
			option = here.args[i-1].text
		}
		out.labels |= a.labels
		if strings.HasPrefix(text, "-") || text == "" || slices.Contains(commonWords()["logins"], option) {
			continue
		}
		v := a.with(strings.TrimPrefix(text, "@"))
		full := s.absolute(v.text)
		_, ok := s.files[full]
		_, isAlias := s.links[full]
		_, isEnd := s.descriptor(v.text)
		if ok || isAlias || isEnd || len(readPlaces(full)) > 0 && looksLikePath(v.text) {
			out.labels |= s.read(v).labels
		} else if holdsSecretFolder(full) || holdsSecrets(full) && strings.Contains(strings.Trim(full, "~/"), "/") &&
			looksLikePath(v.text) {
			out.labels |= s.content(v).labels
		}
	}
	if out.labels&secret != 0 && (namesHost(c) || uploads(c)) {
		s.send(value{labels: (s.labelsOf(c) | s.stdin.labels) & secret})
	}
	return out
}

// namesHost reports whether an address of another machine is among the arguments.
func namesHost(c *call) bool {
	return slices.ContainsFunc(c.args, func(a value) bool {
		host, port, ok := strings.Cut(a.text, ":")
		return strings.Contains(a.text, "://") && !onThisMachine(a.text) ||
			ok && strings.Contains(host, ".") && port != "" && strings.Trim(port, "0123456789") == "" &&
				!onThisMachine(a.text)
	})
}

// uploads reports whether the name of an operation suggests that it sends files to another machine.
func uploads(c *call) bool {
	words := c.words("")
	return slices.ContainsFunc(words[:min(4, len(words))], func(word value) bool {
		return isOneOf(word.text, "upload", "publish", "send", "share", "attach", "push")
	})
}

// packageManagers and supervisors are programs by their name.
var (
	packageManagers = sync.OnceValue(func() map[string][]string { return programsWith("packages") })
	supervisors     = sync.OnceValue(func() map[string][]string { return programsWith("supervises") })
)

// noteDestroyingWords records an unknown program with an operation named like a deletion: APP RESOURCE delete.
func (s *state) noteDestroyingWords(c *call) {
	row, _ := s.programs.of(c.name)
	if _, ok := packageManagers()[c.name]; ok || row.Name != "" || c.isDryRun() {
		return
	}
	words := c.words("")
	for at, word := range words[:min(3, len(words))] {
		if isOneOf(word.text, "destroy", "purge", "terminate", "nuke", "wipe") || at > 0 && word.text == "delete" ||
			strings.HasPrefix(word.text, "delete-") && at < 2 {
			add(&s.effects.Remote, c.name+" "+word.text)
		}
	}
}

func looksLikePath(text string) bool {
	return !strings.ContainsAny(text, " \n()'\"<>|;{}") && !strings.Contains(text, "://")
}

// makeProgram handles make, whose makefile may come from the network or be written by the command.
func makeProgram(s *state, c *call) value {
	if folder, ok := c.option("-C", "--directory"); ok {
		s = s.child()
		s.depth--
		s.cwd = s.absolute(folder.text)
	}
	file, ok := c.option("-f", "--file", "--makefile")
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
		if _, written := s.files[s.absolute(name)]; written && !ok {
			file, ok = known(name), true
		}
	}
	if ok {
		code := s.scriptContent(file)
		if file.text == "-" {
			code = s.stdin
		}
		s.noteCode(value{labels: code.labels})
		s.runRecipes(code.text)
	}
	return unknown(s.stdin.labels)
}

// runRecipes runs the commands of a makefile: lines that start with a tab, text after the semicolon of a rule, and
// $(shell ...).
func (s *state) runRecipes(text string) {
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(line, "\t")
		if found := makeRulePattern.FindStringSubmatch(line); found != nil {
			command, ok = found[1], true
		}
		if ok {
			s.runText(known(strings.TrimLeft(command, "@-+ ")), nil)
		}
	}
	for _, found := range makeShellPattern.FindAllStringSubmatch(text, 5) {
		s.runText(known(found[1]), nil)
	}
}

// makeRulePattern matches a rule with its first command on the same line.
var makeRulePattern = pattern.New(`^[^\s#:=;][^#:=;]*::?[^;=]*;(.*)`)

// fdFind handles fd, which can run a command for each file that it finds.
func fdFind(s *state, c *call) value {
	for i, a := range c.args {
		if a.text != "-x" && a.text != "-X" && a.text != "--exec" && a.text != "--exec-batch" || i+1 == len(c.args) {
			continue
		}
		before := &call{args: c.args[:i]}
		words := before.words("edEtSocj")
		for _, folder := range words[min(1, len(words)):] {
			folder.labels |= tree
			s.child().run(append(append([]value{}, c.args[i+1:]...), folder))
		}
		return unknown(0)
	}
	return unknown(0)
}

// pidOf begins a text that stands for the process of a program.
const pidOf = "$(pid of) "

func kill(s *state, c *call) value {
	if n := len(c.args); n > 1 && c.args[n-1].text == "-1" { // all processes
		add(&s.effects.Protections, "all processes")
	}
	if c.contains("-HUP", "-1", "-USR1", "-USR2", "-0", "-WINCH") {
		return unknown(0)
	}
	all := joinArgs(c.args).text
	for name := range supervisors() {
		if at := strings.Index(all, strings.TrimSpace(pidOf)); at >= 0 && strings.Contains(all[at:], name) {
			add(&s.effects.Protections, "the process of "+name)
		}
	}
	return unknown(0)
}

func su(s *state, c *call) value {
	s.effects.Privileged = true
	if code, ok := c.option("-c", "--command"); ok {
		return s.runText(code, nil)
	}
	if command := c.after("--"); c.name == "runuser" && command.text != "" {
		for i, a := range c.args {
			if a.text == "--" {
				return s.run(c.args[i+1:])
			}
		}
	}
	if words := c.words("ugG", "--user", "--group"); c.name == "runuser" && c.has("-u", "--user") && len(words) > 0 {
		return s.run(words)
	}
	if s.hasStdin {
		return s.runText(s.stdin, nil)
	}
	return unknown(0)
}

// multiplexer handles tmux and screen, which run a command line in a window.
func multiplexer(s *state, c *call) value {
	for _, a := range c.words("tncxyFSLfspeE") {
		if strings.Contains(strings.TrimSpace(a.text), " ") {
			s.runText(a, nil)
		}
	}
	options := wrapper{valued: "cehpsStTQ"}
	if c.name == "tmux" {
		options = wrapper{valued: "tncxyFSLfspeE", skip: 1} // new-window
	}
	command, _ := options.wrapped(c.args)
	for i, a := range command {
		if handlerOf(a.text) != nil && i+1 < len(command) && s.step() {
			s.child().run(command[i:])
			break
		}
	}
	return unknown(0)
}

// bundle handles bundle exec, which runs a program from a gem.
func bundle(s *state, c *call) value {
	for i, a := range c.args {
		if a.text == "exec" && i+1 < len(c.args) {
			return s.run(c.args[i+1:])
		}
	}
	return unknown(0)
}

// framework handles programs of web frameworks that run code inside an application: rails runner, manage.py shell.
func framework(s *state, c *call) value {
	ruby, run := strings.HasSuffix(c.name, "rails"), unknownProgram
	if ruby {
		run = frameworkTask
	}
	out := run(s, c)
	words := c.words("e")
	switch {
	case len(words) == 0:
	case ruby && (words[0].text == "runner" || words[0].text == "r") && len(words) > 1:
		out.labels |= s.scanCode("ruby", words[1])
	case !ruby && strings.HasPrefix(words[0].text, "shell"):
		if code, ok := c.option("-c", "--command"); ok {
			out.labels |= s.scanCode("python3", code)
		}
	}
	return out
}

func crontab(s *state, c *call) value {
	if c.has("-r") {
		add(&s.effects.DeletesOf, System)
		add(&s.effects.Deletes, "/var/spool/cron")
	}
	if len(c.words("u")) > 0 || s.hasStdin {
		add(&s.effects.WritesOf, HookFiles)
		add(&s.effects.WritesOf, Startup)
		s.noteCode(value{labels: s.stdin.labels})
		for _, file := range c.words("u") {
			s.noteCode(value{labels: s.scriptContent(file).labels})
		}
		for _, line := range strings.Split(s.stdin.text, "\n") {
			s.runText(known(cronCommand(line, 5)), nil)
		}
	}
	return unknown(0)
}

// cronCommand returns the command in a line of a crontab, after the given number of words.
func cronCommand(line string, before int) string {
	fields := strings.Fields(line)
	if len(fields) > 1 && strings.HasPrefix(fields[0], "@") {
		before -= 4
	}
	if len(fields) <= before || strings.HasPrefix(line, "#") {
		return ""
	}
	return strings.Join(fields[before:], " ")
}

// ansible and salt run commands on other machines.
func ansible(s *state, c *call) value {
	code := value{}
	if c.name == "ansible" {
		module, ok := c.option("-m", "--module-name")
		arguments, _ := c.option("-a", "--args")
		if fields := strings.Fields(arguments.text); sendsFile(c, module.text, fields) {
			for i, word := range fields {
				if file, ok := strings.CutPrefix(word, "src="); ok ||
					i == 0 && strings.HasSuffix(module.text, "script") {
					s.send(value{labels: s.labelsOfFile(known(strings.Trim(file, `"'`))) & secret})
				}
			}
		}
		switch {
		case !ok || module.text == "shell" || module.text == "command" || module.text == "raw" ||
			strings.HasSuffix(module.text, ".shell") || strings.HasSuffix(module.text, ".command"):
			code = arguments
		case strings.Contains(arguments.text, "state=absent"):
			add(&s.effects.Remote, "ansible state=absent")
		}
	} else {
		code = c.after("cmd.run", "cmd.shell", "cmd.run_all")
	}
	if sub := s.child(); code.text != "" && sub.step() {
		sub.host, sub.cwd = c.name, ""
		sub.runHere(code)
	}
	return unknown(0)
}

// sendsFile reports whether a module of ansible sends a file of this machine to others.
func sendsFile(c *call, module string, arguments []string) bool {
	if !isOneOf(module[strings.LastIndexByte(module, '.')+1:], "copy", "template", "synchronize", "unarchive",
		"script") {
		return false
	}
	for _, word := range arguments {
		name, given, _ := strings.Cut(strings.ToLower(word), "=")
		if name == "remote_src" && (given == "yes" || given == "true") || name == "mode" && given == "pull" {
			return false
		}
	}
	connection, _ := c.option("-c", "--connection")
	return connection.text != "local" && !c.contains("localhost", "127.0.0.1")
}
