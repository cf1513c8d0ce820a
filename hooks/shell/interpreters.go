package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
)

// interpreters are programs that run code, with the options that take it from the next word.
var interpreters = sync.OnceValue(func() map[string][]string { return programsWith("interprets") })

// isPowerShell reports whether a shell is PowerShell.
func isPowerShell(name string) bool { return name == "pwsh" || name == "powershell" }

// shellProgram handles shells: code in an argument, in a file or on standard input.
func shellProgram(s *state, c *call) value {
	if isPowerShell(c.name) {
		return s.powerShell(c)
	}
	var args []value
	for i := 0; i < len(c.args); i++ {
		switch text := c.args[i].text; {
		case text == "-O", text == "+O", text == "-o", text == "+o":
			i++
		case text == "--rcfile", text == "--init-file":
			i++
			source(s.child(), &call{name: "source", args: c.args[min(i, len(c.args)):min(i+1, len(c.args))]})
		case isCluster(text) && strings.Contains(text, "c"):
			return s.runArgument(c.args[i+1:])
		case isCluster(text) && strings.HasSuffix(text, "o"): // -euo pipefail
			i++
		case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "+"):
		default:
			args = c.args[i:]
			i = len(c.args)
		}
	}
	if len(args) > 0 && !c.has("-s") {
		content := s.scriptContent(args[0])
		if content.labels&unread != 0 || content.text != "" && !content.incomplete {
			return s.runText(content, args[1:])
		}
		return unknown(s.stdin.labels)
	}
	if len(args) == 0 && (s.fds["0"].network || s.fds["1"].network) {
		s.noteFlow(networkToShell)
	}
	if !s.hasStdin {
		return unknown(0)
	}
	if s.stdin.labels&endlessData != 0 && strings.Contains(s.stdin.text, "&") {
		add(&s.effects.Resources, "fork bomb")
	}
	return s.runText(s.stdin, args)
}

// isCluster reports whether an argument is short options, such as -xe.
func isCluster(text string) bool { return len(text) > 1 && text[0] == '-' && text[1] != '-' }

// runArgument runs the code after sh -c, with $0 and the parameters after it.
func (s *state) runArgument(args []value) value {
	if len(args) > 1 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return unknown(0)
	}
	s = s.child()
	s.depth--
	if len(args) == 1 {
		return s.runText(args[0], []value{})
	}
	s.vars["0"] = args[1:2]
	return s.runText(args[0], args[2:])
}

// powerShell handles pwsh and powershell. Their parameters ignore case and may be cut.
func (s *state) powerShell(c *call) value {
	valued := []string{"-ep", "-version", "-v", "-inputformat", "-outputformat", "-configurationname"}
	for i := 0; i < len(c.args); i++ {
		text := strings.ToLower(c.args[i].text)
		rest := c.args[i+1:]
		switch {
		case len(text) > 2 && strings.HasPrefix("-executionpolicy", text),
			len(text) > 1 && strings.HasPrefix("-windowstyle", text), slices.Contains(valued, text):
			i++
		case len(text) > 1 && strings.HasPrefix("-encodedcommand", text), text == "-ec":
			s.noteCode(value{labels: decoded})
			if code, ok := encodedCommand(joinArgs(rest).text); ok {
				return s.runDialect(known(code), PowerShell)
			}
			return unknown(0)
		case len(text) > 1 && strings.HasPrefix("-command", text), text == "/c":
			return s.runDialect(joinArgs(rest), PowerShell)
		case strings.HasPrefix(text, "-"):
		default:
			return s.runDialect(joinArgs(c.args[i:]), PowerShell)
		}
	}
	if s.hasStdin {
		return s.runDialect(s.stdin, PowerShell)
	}
	return unknown(0)
}

// scriptContent returns the known content of a file that is run. Running a file does not count as reading secrets from
// it.
func (s *state) scriptContent(file value) value {
	if end, ok := s.descriptor(file.text); ok {
		if end.network {
			return unknown(network)
		}
		if end.path != "" && end.content.text == "" && !end.content.incomplete {
			return s.scriptContent(known(end.path))
		}
		return end.content
	}
	if file.text == "/dev/stdin" {
		return s.stdin
	}
	content := s.content(file)
	content.labels &^= secret
	if strings.Contains(file.text, "://") {
		content.labels |= network
	}
	return content
}

// projectRunner handles uv run, poetry run and pipx run, which run a program of a project.
func projectRunner(s *state, c *call) value {
	words := c.words("pc")
	if len(words) < 2 || words[0].text != "run" {
		return unknownProgram(s, c)
	}
	return s.run(c.args[slices.Index(c.args, words[0])+1:])
}

// interpreter handles programs that run code of other languages: in an argument, in a file or on standard input.
func interpreter(s *state, c *call) value {
	out, given := unknown(s.stdin.labels), false
	for i := 0; i < len(c.args); i++ {
		text := c.args[i].text
		code, next, ok := codeIn(c, i)
		switch {
		case ok:
			if next {
				i++
			}
			given = true
			out.labels |= s.scanCode(c.name, code)
			if prints := strings.HasPrefix(text, "-p") ||
				text == "--print"; prints && javaScript[c.name] && printsEnviron("console.log("+code.text+")") {
				out.labels |= secret
			}
		case text == "-m" && strings.HasPrefix(c.name, "py"):
			return s.pythonModule(c, c.args[i+1:], out)
		case text == "-S" && c.name == "php" && i+1 < len(c.args):
			if !onThisMachine(c.args[i+1].text) {
				s.serveFolder(c, "-t", "--docroot")
			}
			return out
		case text == "-" && !given: // the code is on standard input
			i = len(c.args)
		case strings.HasPrefix(text, "-"), text == "run" && (c.name == "deno" || c.name == "bun"):
		case !given:
			return s.interpretFile(c, c.args[i:], out)
		default:
			out.labels |= s.useFile(c, c.args[i])
		}
	}
	if given {
		if s.hasStdin && c.has("-p", "-n") {
			out = concat(out, unknown(0))
			out.text = s.stdin.text
		}
		return out
	}
	if s.hasStdin {
		if s.stdin.labels&unread != 0 || s.fds["0"].network {
			s.noteCode(value{labels: s.stdin.labels})
		}
		out.labels |= s.scanCode(c.name, s.stdin)
	}
	return out
}

// codeIn returns the code in an argument that is an option: -cCODE, --eval=CODE, -c CODE, -ne CODE. next is true if the
// code is the next argument.
func codeIn(c *call, i int) (code value, next, ok bool) {
	a := c.args[i]
	for _, option := range interpreters()[c.name] {
		short := len(option) == 2
		rest, glued := strings.CutPrefix(a.text, option+"=")
		if !glued && short && strings.ContainsAny(a.text, " (;") {
			rest, glued = strings.CutPrefix(a.text, option)
		}
		if glued {
			return a.with(rest), false, true
		}
		cluster := short && isCluster(a.text) && len(a.text) < 8 && a.text[len(a.text)-1] == option[1]
		if (a.text == option || cluster) && i+1 < len(c.args) {
			return c.args[i+1], true, true
		}
	}
	return value{}, false, false
}

// pythonModule handles python -m MODULE.
func (s *state) pythonModule(c *call, args []value, out value) value {
	rest := &call{name: c.name, args: args[min(1, len(args)):]}
	if len(args) > 0 && (args[0].text == "http.server" || args[0].text == "SimpleHTTPServer") {
		add(&s.effects.Programs, "http.server")
		s.serveFolder(rest, "-d", "--directory")
	}
	out.labels |= unknownProgram(s, rest).labels
	return out
}

// serveFolder notes that the files of a folder, by default the current one, can be read from other machines.
func (s *state) serveFolder(c *call, options ...string) {
	folder, ok := c.option(options...)
	if !ok {
		folder = known(cmp.Or(s.cwd, "."))
	}
	s.send(value{labels: s.content(folder).labels & secret})
}

// interpretFile runs a file of code with arguments.
func (s *state) interpretFile(c *call, args []value, out value) value {
	content, rest := s.scriptContent(args[0]), &call{name: c.name, args: args[1:]}
	if content.labels&unread != 0 {
		s.noteCode(value{labels: content.labels})
	} else if content.text != "" && !content.incomplete {
		s.scanCode(c.name, content)
	}
	name := path.Base(args[0].text)
	if name == "manage.py" {
		out.labels |= framework(s, &call{name: name, args: rest.args}).labels
	}
	s.noteOperations(&call{name: name, args: rest.args})
	out.labels |= unknownProgram(s, rest).labels
	return out
}

// useFile notes a file that code in an argument reads or, with -i, changes. It returns the labels of the file.
func (s *state) useFile(c *call, file value) label {
	full := s.absolute(file.text)
	if c.has("-i") && len(writePlaces(full)) > 0 {
		s.write(file, unknown(0))
	}
	switch {
	case len(readPlaces(full)) > 0, s.files[full].labels != 0:
		return s.read(file).labels
	case holdsSecrets(full):
		return secret
	}
	return 0
}
