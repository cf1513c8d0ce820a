package shell

import (
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

var (
	emptyParameterPattern = pattern.New(`(\w)\$[@*](\w)`)
	indexCommandPattern   = pattern.New("\\[\\s*(?:\\$\\(([^()]*)\\)|`([^`]*)`)")
	// escapeLinePattern matches a line that makes a program run a command: !COMMAND, \! COMMAND, .shell COMMAND.
	escapeLinePattern = pattern.New(`(?m)^\s*(?:~?!|\\!|\.shell\s|\.system\s)\s*(.+)$`)
	macroPattern      = pattern.New("(?:esyscmd|syscmd)\\(\\s*`?([^')]*)'?\\s*\\)")
)

// escapers run commands in their input, and in arguments that are not files.
var escapers = []string{"dc", "ftp", "sftp", "lftp", "sqlite3", "sqlite", "mysql", "mariadb", "psql", "mail", "mailx", "telnet", "m4", "tftp"}

// startOptions are options whose value a program runs as a command.
var startOptions = sync.OnceValue(func() map[string][]string {
	return map[string][]string{"man": {"-P", "--pager", "-H", "--html"}, "split": {"--filter"}, "gsplit": {"--filter"}, "sort": {"--compress-program"}, "gsort": {"--compress-program"}, "start-stop-daemon": {"-x", "--exec", "-a", "--startas"},
		"jrunscript": {"-e"}, "complete": {"-C"}, "compgen": {"-C"}, "logrotate": {"-m", "--mail"}, "wget": {"--use-askpass"}, "zip": {"-TT", "--unzip-command"}, "pg_basebackup": {"--compress-program"}, "watchexec": {"--shell"}}
})

// runEscapes runs the commands that a program starts from its input or an option.
func (s *state) runEscapes(c *call) {
	if slices.Contains(escapers, c.name) {
		texts := []string{s.stdin.text}
		for _, a := range c.args {
			texts = append(texts, a.text)
		}
		for _, text := range texts {
			for _, p := range []*pattern.Pattern{escapeLinePattern, macroPattern} {
				for _, found := range p.FindAllStringSubmatch(text, 20) {
					s.runText(known(found[1]), nil)
				}
			}
		}
	}
	if code, ok := c.option("-e", "--execute"); ok && (c.name == "mysql" || c.name == "mariadb") {
		if command, ok := strings.CutPrefix(strings.TrimSpace(code.text), "system "); ok {
			s.runText(known(command), nil)
		}
	}
	program, ok := c.option(startOptions()[c.name]...)
	switch {
	case c.name == "jrunscript" && ok:
		s.scanCode("jrunscript", program)
	case c.name == "start-stop-daemon" && ok:
		command := []value{program}
		for i, a := range c.args {
			if a.text == "--" {
				command = append(command, c.args[i+1:]...)
				break
			}
		}
		s.child().run(command)
	case ok && strings.TrimSpace(program.text) != "":
		s.runText(program, nil)
	case c.name == "certutil" && len(c.args) > 1:
		if target := c.args[len(c.args)-1]; c.optionLike("-urlcache") || c.optionLike("/urlcache") {
			s.write(target, unknown(network))
		} else if c.optionLike("-decode") || c.optionLike("-decodehex") || c.optionLike("/decode") {
			s.write(target, unknown(decoded))
		}
	case c.name == "bitsadmin" && len(c.args) > 1:
		s.write(value{text: strings.ReplaceAll(c.args[len(c.args)-1].text, `\`, "/")}, unknown(network))
	case c.name == "bind" && c.has("-x"):
		for _, a := range c.words("") {
			_, command, _ := strings.Cut(a.text, ":")
			s.runText(known(strings.Trim(strings.TrimSpace(command), `"`)), nil)
		}
	case (c.name == "test" || c.name == "[" || c.name == "unset") && len(c.args) > 0:
		for _, a := range c.args {
			s.runIndexCommand(a.text)
		}
	}
}
