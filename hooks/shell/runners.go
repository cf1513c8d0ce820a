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

func filter(s *state, c *call) value {
	read := c
	if c.name == "jq" && !c.has("-f", "--from-file") { // its first word is code, such as .env
		if words := c.words(""); len(words) > 0 {
			read = &call{name: c.name, path: c.path,
				args: slices.DeleteFunc(slices.Clone(c.args), func(a value) bool { return a == words[0] })}
		}
	}
	if onlyNames(c) {
		return unknown(s.stdin.labels &^ secret)
	}
	out := unknownProgram(s, read)
	if s.hasStdin {
		out.text = s.stdin.text
	}
	for _, a := range c.args {
		if content, ok := s.files[s.absolute(a.text)]; ok && !strings.HasPrefix(a.text, "-") {
			out = concat(out, content)
		}
	}
	if words := read.words("fsw"); c.name == "uniq" && len(words) > 1 {
		s.write(words[1], unknown(out.labels))
	}
	if to, ok := c.option("-o", "--output"); ok && (c.name == "iconv" || c.name == "recode" || c.name == "jq") {
		s.write(to, unknown(out.labels))
	}
	if c.name == "od" || c.name == "hexdump" {
		out.labels |= decoded
	}
	if c.name == "jq" &&
		slices.ContainsFunc(c.args, func(a value) bool { return jqEnvironPattern.MatchString(a.text) }) {
		out.labels |= secret
	}
	if words := c.words("f", "--from-file"); c.name == "jq" && len(words) > 0 && namesPlainField(words[0].text) {
		out.labels &^= token
	}
	if c.name == "head" || c.name == "tail" {
		if size, ok := c.option("-c", "--bytes"); !ok || sizeOf(size.text) < minFilling {
			out.labels &^= endlessData
		}
	}
	out.incomplete = true
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
	words := c.words("pwc", "--package", "--prefix", "--workspace", "--filter", "--registry", "--call")
	before := c
	if len(words) > 0 {
		before = &call{name: c.name, args: c.args[:slices.Index(c.args, words[0])]}
	}
	if command, ok := before.option("-c", "--call"); ok && c.name != "pnpm" { // -c of pnpm takes no value
		return s.runText(command, nil)
	}
	words = c.words("pw", "--package", "--prefix", "--workspace", "--filter", "--registry")
	for len(words) > 1 && isOneOf(words[0].text, "exec", "dlx", "x") {
		words = words[1:]
	}
	if len(words) > 0 &&
		(c.name == "npx" || c.name == "bunx" ||
			len(words) < len(c.words("pw", "--package", "--prefix", "--workspace", "--filter", "--registry"))) {
		name, _, _ := strings.Cut(words[0].text, "@")
		if strings.Contains(strings.TrimSpace(words[0].text), " ") { // yarn exec takes a text for a shell
			return s.runText(joinArgs(words), nil)
		}
		if handlerOf(name) != nil && name != c.name {
			for i, a := range c.args {
				if a.text == words[0].text {
					return s.child().run(append([]value{known(name)}, c.args[i+1:]...))
				}
			}
		}
	}
	if given, ok := c.option("-p", "--package"); ok &&
		(strings.Contains(given.text, "://") || strings.HasPrefix(given.text, "github:")) {
		s.noteCode(value{labels: network})
	}
	if (c.name == "npm" || c.name == "pnpm") && len(words) > 0 &&
		(words[0].text == "pkg" || words[0].text == "set-script") {
		for i, a := range words {
			_, command, ok := strings.Cut(a.text, "=")
			if words[0].text == "set-script" && i == 2 {
				command, ok = a.text, true
			}
			if ok && (strings.HasPrefix(a.text, "scripts.") || i == 2) {
				s.runText(known(command), nil)
			}
		}
	}
	source := words
	if len(source) > 1 && source[0].text == "run" { // bun run FILE
		source = source[1:]
	}
	if len(source) > 0 && (c.name == "bun" || c.name == "npx" || c.name == "bunx") &&
		strings.Contains(source[0].text, "://") {
		s.noteCode(value{labels: network})
	}
	if code, ok := c.option("-e", "--eval", "-p"); ok && c.name == "bun" {
		return unknown(s.scanCode("node", code))
	}
	s.runPackageScripts(words)
	return remoteProgram(s, c)
}

// runPackageScripts runs the scripts of a package.json that the command has written.
func (s *state) runPackageScripts(words []value) {
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
