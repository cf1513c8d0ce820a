package shell

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

var makeShellPattern = pattern.New(`\$\(shell ([^)]*)\)`)

// filter handles programs that print what they read.
func filter(s *state, c *call) value {
	if onlyNames(c) {
		return unknown(s.stdin.labels &^ secret)
	}
	out := unknownProgram(s, c)
	if s.hasStdin {
		out.text = s.stdin.text
	}
	for _, a := range c.args {
		if content, ok := s.files[s.absolute(a.text)]; ok && !strings.HasPrefix(a.text, "-") {
			out = concat(out, content)
		}
	}
	switch c.name {
	case "uniq":
		if words := c.words("fsw"); len(words) > 1 {
			s.write(words[1], unknown(out.labels))
		}
	case "iconv", "recode", "jq":
		if to, ok := c.option("-o", "--output"); ok {
			s.write(to, unknown(out.labels))
		}
	case "od", "hexdump":
		out.labels |= decoded
	case "head", "tail":
		if size, ok := c.option("-c", "--bytes"); !ok || sizeOf(size.text) < minFilling {
			out.labels &^= endlessData
		}
	}
	out.incomplete = true
	return out
}

// jq handles jq, whose first word is code, such as .env.
func jq(s *state, c *call) value {
	words := c.words("f", "--from-file")
	if len(words) == 0 {
		return filter(s, c)
	}
	read := c
	if !c.has("-f", "--from-file") {
		read = &call{name: c.name, path: c.path,
			args: slices.DeleteFunc(slices.Clone(c.args), func(a value) bool { return a == words[0] })}
	}
	out := filter(s, read)
	if jqEnvironPattern.MatchString(words[0].text) {
		out.labels |= secret
	}
	if namesPlainField(words[0].text) {
		out.labels &^= token
	}
	return out
}

// jqEnvironPattern matches code of jq that prints all variables of the environment.
var jqEnvironPattern = pattern.New(`^\s*(?:env|\$ENV)\s*(?:\||$)`)

// programPath handles programs that print where others are, such as which and type -p.
func programPath(_ *state, c *call) value {
	out := value{}
	for _, word := range c.words("") {
		at := locationOf(word.text)
		out = concat(out, value{text: at + "\n", incomplete: at == word.text || word.incomplete || c.name == "whereis"})
	}
	if out.text == "" {
		return unknown(0)
	}
	return out
}

// systemPrograms are programs that the operating system installs itself. Others may be below the home, so their names
// stay.
const systemPrograms = `bash sh dash ls cat cp mv rm mkdir rmdir touch ln chmod chown chgrp find grep egrep sed awk head tail less more sort
		diff tar gzip ps top kill pkill killall sudo su doas ssh sshd scp df du mount umount whoami id date clear which passwd login shutdown reboot
		poweroff halt init systemctl service apt apt-get dpkg yum dnf rpm apk wc uniq cut tr tee xargs stat file dd hostname uname uptime free who
		last sleep crontab nohup lsof ss netstat ifconfig ip iptables useradd usermod userdel groupadd adduser basename dirname realpath md5sum
		sha256sum lsblk fdisk mkfs fsck modprobe printenv env echo printf test true false`

// locationOf returns the path of a system program, and the name of any other program.
func locationOf(name string) string {
	if slices.Contains(strings.Fields(systemPrograms), name) {
		return "/usr/bin/" + name
	}
	return name
}

// realPath handles realpath and readlink, which resolve symbolic links.
func realPath(s *state, c *call) value {
	out := value{}
	for _, word := range c.words("", "--relative-to", "--relative-base") {
		if word.text == "" || word.incomplete && strings.ContainsAny(word.text, "$`*?") {
			return unknown(word.labels)
		}
		out = concat(out, word.with(s.absolute(word.text)+"\n"))
	}
	return out
}

func history(*state, *call) value { return unknown(secret) }

// harmful maps programs that probably run if an argument of an unknown program names them to where they are looked for.
var harmful = sync.OnceValue(func() map[string][]string { return programsWith("harms") })

// isDestroyer reports whether a word after run or exec is probably a command that does harm.
func isDestroyer(name string) bool { return slices.Contains(harmful()[programName(name)], "name") }

// commandInArguments finds the command in the arguments of an unknown program: PROGRAM run rm, PROGRAM exec -- rm,
// PROGRAM /bin/rm, PROGRAM -c 'rm x'.
func (s *state) commandInArguments(c *call) (value, bool) {
	for i, a := range c.args {
		text := a.text
		key, given, ok := strings.Cut(text, "=")
		switch key {
		case "-c", "--command", "--exec", "--run", "--cmd", "--execute", "--wrap":
			code := a.with(given)
			if !ok && i+1 < len(c.args) {
				code = c.args[i+1]
			}
			first, _, _ := strings.Cut(strings.TrimSpace(code.text), " ")
			if isDestroyer(first) && !ok && !strings.Contains(code.text, " ") {
				return s.child().run(c.args[i+1:]), true
			}
			if isDestroyer(first) {
				return s.runText(code, nil), true
			}
		}
		if i > 0 && isOneOf(c.args[i-1].text, "run", "exec", "--", "x", "dlx", "runas", "start") && isDestroyer(text) {
			return s.child().run(c.args[i:]), true
		}
	}
	if at := wrappedDestroyer(c); at >= 0 {
		return s.child().run(c.args[at:]), true
	}
	return value{}, false
}

// textShowers only show the text in their arguments.
var textShowers = sync.OnceValue(func() map[string][]string { return programsWith("shows") })

// wrappedDestroyer returns the index of the argument at which a command starts that an unknown program probably runs,
// as a wrapper does: a deletion with the root or a home as path, or a shell with code. It is -1 without such a command.
func wrappedDestroyer(c *call) int {
	if _, ok := textShowers()[c.name]; ok {
		return -1
	}
	for i, a := range c.args[:min(len(c.args), maxItems)] {
		rest := c.args[i+1:]
		switch name := programName(a.text); {
		case len(rest) == 0 || a.incomplete:
		case slices.Contains(harmful()[name], "path"):
			if slices.ContainsFunc(rest, func(v value) bool {
				return strings.HasPrefix(v.text, "/") || strings.HasPrefix(v.text, "~") ||
					strings.HasPrefix(v.text, "of=/dev/")
			}) {
				return i
			}
		case shellNames()[name]:
			if len(rest) > 1 && rest[0].text[:min(1, len(rest[0].text))] == "-" &&
				strings.HasSuffix(rest[0].text, "c") {
				return i
			}
		}
	}
	return -1
}

var shellNames = sync.OnceValue(func() map[string]bool {
	return map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true}
})

// scriptRunner handles npx, npm, yarn and others that run packages and scripts.
func scriptRunner(s *state, c *call) value {
	if command, ok := commandForPackages(c); ok {
		return s.runText(command, nil)
	}
	all := c.words("pw", packageOptions...)
	words := all
	for len(words) > 1 && isOneOf(words[0].text, "exec", "dlx", "x") {
		words = words[1:]
	}
	if runs := c.name == "npx" || c.name == "bunx" || len(words) < len(all); runs && len(words) > 0 {
		if out, ok := s.runPackage(c, words); ok {
			return out
		}
	}
	if given, ok := c.option("-p", "--package"); ok && isAddress(given.text) {
		s.noteCode(value{labels: network})
	}
	if c.name == "bun" {
		if code, ok := c.option("-e", "--eval", "-p"); ok {
			return unknown(s.scanCode("node", code))
		}
		if file := c.after("run").text; strings.Contains(file, "://") ||
			len(words) > 0 && strings.Contains(words[0].text, "://") {
			s.noteCode(value{labels: network})
		}
	}
	s.runPackageScripts(words)
	return remoteProgram(s, c)
}

// packageOptions are options of package managers for Node that take a value.
var packageOptions = []string{"--package", "--prefix", "--workspace", "--filter", "--registry"}

// commandForPackages returns the command line in npx -c LINE. -c of pnpm takes no value.
func commandForPackages(c *call) (line value, ok bool) {
	options := c.args
	if words := c.words("pwc", append([]string{"--call"}, packageOptions...)...); len(words) > 0 {
		options = c.args[:slices.Index(c.args, words[0])]
	}
	line, ok = (&call{args: options}).option("-c", "--call")
	return line, ok && c.name != "pnpm"
}

// isAddress reports whether a package is named by an address.
func isAddress(text string) bool {
	return strings.Contains(text, "://") || strings.HasPrefix(text, "github:")
}

// runPackage runs the program in the words of npx, npm exec and yarn exec, which may be a text for a shell.
func (s *state) runPackage(c *call, words []value) (out value, ok bool) {
	if strings.Contains(strings.TrimSpace(words[0].text), " ") {
		return s.runText(joinArgs(words), nil), true
	}
	name, _, _ := strings.Cut(words[0].text, "@")
	if handlerOf(name) == nil || name == c.name {
		return value{}, false
	}
	rest := c.args[slices.Index(c.args, words[0])+1:]
	return s.child().run(append([]value{known(name)}, rest...)), true
}

// runPackageScripts runs the scripts that the command has written to package.json, itself or with npm.
func (s *state) runPackageScripts(words []value) {
	if len(words) > 0 && (words[0].text == "pkg" || words[0].text == "set-script") { // npm pkg set scripts.NAME=COMMAND
		for i, a := range words {
			_, command, ok := strings.Cut(a.text, "=")
			if ok && strings.HasPrefix(a.text, "scripts.") {
				s.runText(known(command), nil)
			} else if words[0].text == "set-script" && i == 2 {
				s.runText(a, nil)
			}
		}
	}
	content, written := s.files[s.absolute("package.json")]
	if !written || len(words) == 0 ||
		!isOneOf(words[0].text, "run", "run-script", "test", "start", "install", "i", "ci") {
		return
	}
	s.noteCode(value{labels: content.labels})
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(content.text), &file) == nil {
		for _, command := range file.Scripts {
			s.runText(known(command), nil)
		}
	}
}

// fileServer handles programs that serve the files of a folder to other machines.
func fileServer(s *state, c *call) value {
	folders := append(c.words("p"), known(cmp.Or(s.cwd, ".")))
	for _, folder := range folders {
		s.send(value{labels: s.content(folder).labels & secret})
	}
	return unknown(0)
}

// remoteShell handles programs that run a command on other machines.
func remoteShell(s *state, c *call) value {
	for i, a := range c.args {
		name := programName(a.text)
		if name == "ssh" || name == "scp" || name == "sftp" || name == "rsync" {
			return s.child().run(append([]value{known(name)}, c.args[i+1:]...))
		}
		first, _, _ := strings.Cut(strings.TrimSpace(a.text), " ")
		if isDestroyer(first) || handlerOf(first) != nil && strings.Contains(a.text, " ") {
			s.runRemotely("remote", joinArgs(c.args[i:]))
			return unknown(network)
		}
	}
	return unknownProgram(s, c)
}

// diskWriter handles programs that write to the device in their arguments.
func diskWriter(s *state, c *call) value {
	for _, a := range c.args {
		text := a.text
		if at := strings.IndexByte(text, '='); at > 0 {
			if text[:at] == "if" {
				continue
			}
			text = text[at+1:]
		}
		if isDevice(s.absolute(text)) {
			add(&s.effects.WritesOf, Device)
		}
	}
	return unknownProgram(s, c)
}
