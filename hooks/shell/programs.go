package shell

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/pattern"
)

// call is a program with its arguments.
type call struct {
	name, path string
	args       []value
}

// has reports whether one of the options stands among the arguments, short ones also in clusters.
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

// after returns the word after one of the words.
func (c *call) after(names ...string) value {
	for i, a := range c.args {
		if slices.Contains(names, a.text) && i+1 < len(c.args) {
			return c.args[i+1]
		}
	}
	return value{}
}

// words are the arguments that are no options. valued are the short options that take the next word.
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

// handlerOf returns what reads the calls of a program, nil for a program that is not known. The list is made when it is first asked for.
func handlerOf(name string) handler {
	listOnce.Do(buildHandlers)
	return handlers[name]
}

func buildHandlers() {
	programs := map[string]handler{
		"echo": echo, "printf": printf, "cat": cat, "tac": cat, "zcat": unpack, "bzcat": unpack, "xzcat": unpack, "zstdcat": unpack, "unzip": unzip, "funzip": unpack, "lz4cat": unpack, "tee": tee, "sponge": tee, "mysqldump": databaseDump, "pg_dump": databaseDump, "pg_dumpall": databaseDump, "mongodump": databaseDump, "cd": changeDir, "pushd": changeDir,
		"eval": eval, "source": source, ".": source, "export": declareBuiltin, "declare": declareBuiltin, "typeset": declareBuiltin, "readonly": declareBuiltin, "local": declareBuiltin,
		"set": setArgs, "printenv": printsWithoutArguments(secret), "unset": unset, "read": readVar, "mapfile": readVar, "readarray": readVar,
		"rm": removeFiles, "rmdir": removeFiles, "unlink": removeFiles, "shred": removeFiles, "srm": removeFiles, "trash": removeTrees, "del": removeFiles, "wipe": removeFiles, "truncate": truncate,
		"mv": moveFiles, "cp": copyFiles, "install": copyFiles, "ditto": copyFiles, "ln": linkFiles, "mkfifo": noEffect, "touch": noEffect, "mkdir": noEffect,
		"chmod": changeMode, "chown": changeMode, "chgrp": changeMode, "chattr": changeMode, "setfacl": changeMode,
		"dd": dd, "rsync": rsync, "tar": tar, "bsdtar": tar, "zip": zip, "7z": zip, "7za": zip, "rar": zip, "gzip": compress, "bzip2": compress, "xz": compress, "zstd": compress,
		"base64": decode, "base32": decode, "basenc": decode, "uuencode": decode, "xxd": decode, "openssl": decode, "uudecode": decode, "rev": transform, "tr": transform, "gunzip": transform, "bunzip2": transform, "unxz": transform, "unlzma": transform, "unzstd": transform, "uncompress": transform, "lunzip": transform, "unlz4": transform, "split": splitFile, "csplit": splitFile, "cpio": cpio, "pax": cpio, "jar": zip, "ar": zip, "lz4": compress, "pigz": compress, "lzma": compress, "lzop": compress, "brotli": compress, "compress": compress, "pbzip2": compress, "pixz": compress,
		"find": findCommand, "gfind": findCommand, "fd": fdFind, "fdfind": fdFind, "ls": list, "xargs": xargs, "gxargs": xargs,
		"curl": curl, "wget": wget, "http": httpie, "https": httpie, "xh": httpie, "nc": netcat, "ncat": netcat, "netcat": netcat, "socat": socat, "telnet": netcat,
		"ssh": ssh, "scp": secureCopy, "sftp": secureCopy, "ftp": transferProgram, "tftp": transferProgram, "lftp": transferProgram, "smbclient": transferProgram, "ncftpput": transferProgram, "mail": transferProgram, "mailx": transferProgram, "sendmail": transferProgram, "mutt": transferProgram, "dig": transferProgram, "nslookup": transferProgram, "host": transferProgram, "ping": transferProgram, "rclone": transferProgram, "s3cmd": transferProgram, "pastebinit": transferProgram, "wgetpaste": transferProgram, "ix": transferProgram, "gist": transferProgram, "croc": transferProgram, "wormhole": transferProgram, "transfer": transferProgram, "kermit": transferProgram, "xmpp": transferProgram, "ntfy": transferProgram, "finger": transferProgram, "whois": transferProgram, "swaks": transferProgram, "msmtp": transferProgram, "sendemail": transferProgram, "mpack": transferProgram, "s-nail": transferProgram, "kcat": transferProgram, "ffsend": transferProgram, "cryptcat": netcat, "websocat": transferProgram, "wscat": transferProgram, "mosquitto_pub": transferProgram, "grpcurl": transferProgram, "curlie": curl, "logger": transferProgram, "aria2c": wget, "lynx": wget, "w3m": wget, "fetch": wget, "axel": wget,
		"git": gitProgram, "docker": containers, "podman": containers, "nerdctl": containers, "docker-compose": containers, "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "sort": sortFiles, "grep": grep, "egrep": grep, "fgrep": grep, "rg": grep, "ag": grep, "zgrep": grep,
		"su": su, "runuser": su, "tmux": multiplexer, "screen": multiplexer, "manage.py": framework, "django-admin": framework, "bundle": bundle, "ansible": ansible, "salt": ansible, "salt-call": ansible, "ztcp": ztcp, "telnetd": telnetd, "in.telnetd": telnetd, "nc.traditional": netcat, "nc.openbsd": netcat, "hub": gitProgram, "yes": endlessOutput, "getent": getent, "keyctl": secretPrinter, "bw": passwordManager, "lpass": passwordManager, "fetchmail": transferProgram, "seq": sequence, "trap": trap, "alias": alias, "abbr": abbr, "hash": hash, "enable": enable, "pwd": workingDir, "dirname": partOfPath, "basename": partOfPath, "shift": shift, "crontab": crontab, "security": security, "at": atJob, "batch": atJob,
		"vim": editor, "vi": editor, "nvim": editor, "ed": editor, "emacs": editor, "make": makeProgram, "script": script,
		"links": wget, "elinks": wget, "lwp-download": wget, "GET": wget, "lwp-request": wget, "which": programPath, "realpath": realPath, "readlink": realPath, "history": history, "rimraf": removeTrees, "del-cli": removeTrees, "trash-put": removeTrees, "gio": gio, "pgrep": processIDs, "pidof": processIDs, "kill": kill, "npx": scriptRunner, "bunx": scriptRunner, "npm": scriptRunner, "yarn": scriptRunner, "pnpm": scriptRunner, "bun": scriptRunner, "ex": editor, "gdb": debugger, "setcap": changeMode, "httpd": fileServer, "darkhttpd": fileServer, "http-server": fileServer, "serve": fileServer, "miniserve": fileServer, "caddy": fileServer, "twistd": fileServer, "thttpd": fileServer, "mini_httpd": fileServer, "webfsd": fileServer, "gpg": gpg, "gpg2": gpg, "pass": secretPrinter, "gnome-keyring": secretPrinter, "secret-tool": secretPrinter, "crictl": unknownProgram,
	}
	for name := range wrappers {
		programs[name] = wrap
	}
	programs["env"], programs["op"], programs["gdb"] = wrap, onePassword, debugger
	for _, name := range []string{"sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "ash", "fish", "rbash", "tcsh", "csh", "pwsh", "powershell", "yash", "posh"} {
		programs[name] = shellProgram
	}
	for name := range interpreters {
		programs[name] = interpreter
	}
	for _, name := range []string{"test", "[", "stat", "file", "exit", "return", "true", "false", ":", "whereis", "type", "pkill", "wait", "sleep", "date", "whoami", "id", "uname", "du", "df", "tree", "help", "man", "ps", "top", "jobs", "bg", "fg", "umask", "ulimit", "getopts", "let", "expr", "caller", "ssh-add", "ssh-keygen", "ssh-copy-id", "ssh-keyscan", "apropos", "groups", "useradd", "userdel", "exa", "eza", "lsattr", "mount", "umount", "lsof", "complete", "bind", "shopt", "md5sum", "sha256sum", "sha1sum", "wc", "locate", "lsblk"} {
		programs[name] = noEffect
	}
	for _, name := range []string{"mkfs", "mke2fs", "wipefs", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "pvremove", "vgremove", "lvremove", "pvcreate", "cryptsetup", "blkdiscard", "hdparm", "nvme", "zpool", "zfs", "mdadm", "diskutil", "mkswap", "badblocks", "partprobe", "format", "lvreduce", "vgreduce", "pvresize", "btrfs", "sg_format", "mkntfs", "mkdosfs", "newfs", "gpt", "dmsetup", "losetup", "debugfs", "tune2fs", "resize2fs", "flashcp", "flash_erase", "efibootmgr"} {
		programs[name] = diskProgram
	}
	for _, name := range compilers {
		programs[name] = compile
	}
	for _, name := range filters {
		programs[name] = filter
	}
	for _, name := range []string{"sshpass", "mosh", "rsh", "pssh", "parallel-ssh", "pdsh", "clush", "fab", "tsh", "winrs", "psexec"} {
		programs[name] = remoteShell
	}
	for _, name := range []string{"scrub", "nwipe", "dcfldd", "dc3dd", "ddrescue", "flashrom", "partclone.restore", "qemu-img", "grub-install", "extlinux"} {
		programs[name] = diskWriter
	}
	for _, name := range []string{"cmd", "Remove-Item", "Invoke-Command", "Get-Content", "Invoke-Expression"} {
		programs[name] = windows
	}
	for name := range remoteVerbs() {
		if programs[name] == nil {
			programs[name] = remoteProgram
		}
	}
	for _, name := range []string{"java", "rake", "artisan"} {
		programs[name] = remoteProgram
	}
	for _, name := range []string{"rails", "gitlab-rails", "bin/rails"} {
		programs[name] = framework
	}
	for _, name := range []string{"less", "more", "most"} {
		programs[name] = pager
	}
	for name := range reruns {
		programs[name] = rerun
	}
	handlers, operationsOf = programs, buildOperations()
}

// unknownProgram is a program that is not known: what goes in may come out, and files that hold secrets are taken for read.
func unknownProgram(s *state, c *call) value {
	if out, ok := s.commandInArguments(c); ok {
		return out
	}
	if strings.HasPrefix(c.name, "mkfs.") || strings.HasPrefix(c.name, "fsck.") || strings.HasPrefix(c.name, "newfs_") {
		return diskProgram(s, c)
	}
	out := unknown(s.stdin.labels)
	s.noteDestroyingWords(c)
	for i, a := range c.args {
		option, text, glued := strings.Cut(a.text, "=")
		if !glued {
			text = a.text
		}
		if i > 0 && !glued {
			option = c.args[i-1].text
		}
		out.labels |= a.labels
		if strings.HasPrefix(text, "-") || text == "" || slices.Contains(loginOptions, option) {
			continue
		}
		v := value{text: strings.TrimPrefix(text, "@"), incomplete: a.incomplete, labels: a.labels}
		full := s.absolute(v.text)
		_, ok := s.files[full]
		_, isAlias := s.links[full]
		_, isEnd := s.descriptor(v.text)
		if ok || isAlias || isEnd || len(readPlaces(full)) > 0 && looksLikePath(v.text) {
			out.labels |= s.read(v).labels
		} else if holdsSecretFolder(full) || holdsSecrets(full) && strings.Contains(strings.Trim(full, "~/"), "/") && looksLikePath(v.text) {
			out.labels |= s.content(v).labels
		}
	}
	if out.labels&secret != 0 && namesHost(c) {
		s.send(value{labels: (s.labelsOf(c) | s.stdin.labels) & secret})
	}
	return out
}

// loginOptions name a key with which a program logs in. It is not printed.
var loginOptions = []string{"--private-key", "--identity-file", "--ssh-key", "--ssh-private-key", "--key-file", "--kubeconfig", "--client-key", "--client-certificate", "--tls-key"}

// namesHost reports whether an address of another machine is among the arguments.
func namesHost(c *call) bool {
	return slices.ContainsFunc(c.args, func(a value) bool {
		host, port, ok := strings.Cut(a.text, ":")
		return strings.Contains(a.text, "://") && !onThisMachine(a.text) || ok && strings.Contains(host, ".") && port != "" && strings.Trim(port, "0123456789") == "" && !onThisMachine(a.text)
	})
}

var packageManagers = []string{"apt", "apt-get", "aptitude", "dpkg", "yum", "dnf", "brew", "npm", "yarn", "pnpm", "pip", "pip3", "conda", "snap", "flatpak", "pacman", "zypper", "apk", "cargo", "gem", "composer", "docker", "podman", "code", "asdf", "mise", "rustup", "nvm", "bd", "tmux", "screen", "make", "mvn", "gradle"}

// noteDestroyingWords records an unknown program with an operation named like a deletion: APP RESOURCE delete.
func (s *state) noteDestroyingWords(c *call) {
	if slices.Contains(packageManagers, c.name) || c.isDryRun() {
		return
	}
	for at, word := range c.words("") {
		if at > 2 {
			return
		}
		if slices.Contains([]string{"destroy", "purge", "terminate", "nuke", "wipe"}, word.text) || at > 0 && word.text == "delete" || strings.HasPrefix(word.text, "delete-") && at < 2 {
			add(&s.effects.Remote, c.name+" "+word.text)
		}
	}
}

func looksLikePath(text string) bool {
	return !strings.ContainsAny(text, " \n()'\"<>|;{}") && !strings.Contains(text, "://")
}

// sortFiles read all words that are no options.
func sortFiles(s *state, c *call) value {
	out := s.stdin
	if file, ok := c.option("--files0-from", "-f"); ok {
		out = concat(out, s.read(file))
	}
	for _, a := range c.words("kntTS") {
		out = concat(out, s.read(a))
	}
	if o, ok := c.option("-o", "--output"); ok {
		s.write(o, out)
	}
	return value{text: out.text, incomplete: true, labels: out.labels | s.labelsOf(c)}
}

// noEffect programs neither read the content of files nor print their arguments.
func noEffect(*state, *call) value { return unknown(0) }

// makeProgram is make, whose file may come from anywhere.
func makeProgram(s *state, c *call) value {
	if folder, ok := c.option("-C", "--directory"); ok {
		s = s.child()
		s.depth--
		s.cwd = s.absolute(folder.text)
	}
	if code, ok := c.option("--eval"); ok {
		s.runRecipes(code.text)
	}
	for _, a := range c.args {
		if command, ok := strings.CutPrefix(a.text, "SHELL="); ok {
			s.runText(known(command), nil)
		}
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

// runRecipes runs the commands of a makefile: lines that start with a tab, what follows the semicolon of a rule, and $(shell ...).
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

// makeRulePattern is a rule with its first command on the same line.
var makeRulePattern = pattern.New(`^[^\s#:=;][^#:=;]*::?[^;=]*;(.*)`)

// list prints the names that it is given, as far as they are patterns or are listed themselves.
func list(s *state, c *call) value {
	out := unknown(0)
	for _, word := range c.words("IwT") {
		if full := s.absolute(word.text); full == "/" && !c.has("-d", "--directory") {
			out = concat(out, known("etc\n"))
		} else if rest, ok := inHome(full); ok && rest == "" && !c.has("-d", "--directory") {
			out = concat(out, known("Documents\n"))
		}
		if strings.ContainsAny(word.text, "*?[") || c.has("-d", "--directory") {
			out = concat(out, value{text: word.text + "\n", incomplete: true, labels: word.labels})
		}
	}
	return out
}

// fdFind runs a command for the files that it finds.
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

func printsWithoutArguments(labels label) handler {
	return func(_ *state, c *call) value {
		if len(c.args) == 0 {
			return unknown(labels)
		}
		return unknown(0)
	}
}

// setArgs are the positional parameters that set gives, or all variables.
func setArgs(s *state, c *call) value {
	if len(c.args) == 0 {
		return unknown(secret)
	}
	for i, a := range c.args {
		if a.text == "+o" && i+1 < len(c.args) && c.args[i+1].text == "history" {
			add(&s.effects.Protections, "the history of the shell")
			return value{}
		}
		if a.text == "--" || !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "+") && (i == 0 || c.args[i-1].text != "-o") {
			if a.text == "--" {
				i++
			}
			s.args = c.args[i:]
			break
		}
	}
	return value{}
}

func echo(_ *state, c *call) value {
	args, escaped := c.args, false
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && strings.Trim(args[0].text[1:], "neE") == "" {
		escaped = escaped || strings.Contains(args[0].text, "e")
		args = args[1:]
	}
	out := joinArgs(args)
	if escaped {
		out.text = escapes(out.text)
	}
	out.text += "\n"
	return out
}

func printf(s *state, c *call) value {
	args := c.args
	name := ""
	if len(args) > 1 && args[0].text == "-v" {
		name, args = args[1].text, args[2:]
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return value{}
	}
	format := escapes(args[0].text)
	out := value{incomplete: args[0].incomplete, labels: args[0].labels}
	var b strings.Builder
	rest := args[1:]
	for round := 0; round == 0 || len(rest) > 0 && round < maxBraces; round++ {
		before := len(rest)
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				b.WriteByte(format[i])
				continue
			}
			i++
			flags := i
			for i < len(format)-1 && strings.IndexByte("-+ #0123456789.", format[i]) >= 0 {
				i++
			}
			_, precision, _ := strings.Cut(format[flags:i], ".")
			if format[i] == '%' {
				b.WriteByte('%')
				continue
			}
			if len(rest) > 0 {
				text := rest[0].text
				switch format[i] {
				case 'b':
					text = escapes(text)
				case 'c':
					text = text[:min(1, len(text))]
				case 'x', 'X', 'o', 'd', 'i':
					n, err := strconv.ParseInt(text, 0, 64)
					if len(text) > 1 && (text[0] == '\'' || text[0] == '"') {
						n, err = int64(text[1]), nil
					}
					if err != nil {
						out.incomplete = true
						break
					}
					out.labels |= rewritten
					text = strconv.FormatInt(n, map[byte]int{'x': 16, 'X': 16, 'o': 8, 'd': 10, 'i': 10}[format[i]])
				}
				if n, err := strconv.Atoi(precision); err == nil && n < len(text) && n >= 0 {
					text = text[:n]
				}
				b.WriteString(text)
				out.incomplete, out.labels, rest = out.incomplete || rest[0].incomplete, out.labels|rest[0].labels, rest[1:]
			}
		}
		if len(rest) == before || b.Len() > maxText {
			break
		}
	}
	out.text = b.String()
	if name != "" {
		s.assign(name, []value{out})
		if strings.HasPrefix(name, "$") {
			s.doubtVariables()
		}
		return value{}
	}
	return out
}

// unpack prints what compressed files hold.
func unpack(s *state, c *call) value {
	out := cat(s, c)
	return value{incomplete: true, labels: out.labels | unpacked}
}

// unzip prints what it unpacks, or the names of it, or writes it.
func unzip(s *state, c *call) value {
	out := unknownProgram(s, c)
	if c.has("-p", "-c") && !c.has("-l", "-Z", "-t") {
		out = value{incomplete: true, labels: out.labels | unpacked}
	}
	return out
}

func cat(s *state, c *call) value {
	files := c.words("")
	for _, file := range files {
		if file.text == "/dev/zero" || file.text == "/dev/urandom" || file.text == "/dev/random" {
			return unknown(endlessData)
		}
	}
	if len(files) == 0 {
		return s.stdin
	}
	out := value{}
	for _, file := range files {
		out = concat(out, s.read(file))
	}
	return out
}

// databaseDump prints a whole database, or writes it to a file.
func databaseDump(s *state, c *call) value {
	if file, ok := c.option("-f", "--file", "-r", "--result-file", "-o", "--out"); ok {
		s.write(file, unknown(secret))
	}
	return unknown(secret)
}

func tee(s *state, c *call) value {
	appends := c.has("-a", "--append")
	for _, file := range c.words("") {
		s.writeOrAppend(file, s.stdin, appends || s.conditional > 0)
	}
	return s.stdin
}

func changeDir(s *state, c *call) value {
	words := c.words("")
	if s.cwd != "" {
		s.vars["OLDPWD"] = []value{known(s.cwd)}
	}
	if len(words) == 0 {
		s.cwd = "~"
		return value{}
	}
	if words[0].incomplete && strings.HasPrefix(words[0].text, "$") || words[0].text == "-" {
		s.cwd = ""
		return value{}
	}
	s.cwd = s.absolute(words[0].text)
	s.vars["PWD"] = []value{known(s.cwd)}
	return value{}
}

func workingDir(s *state, _ *call) value {
	if s.cwd == "" {
		return unknown(0)
	}
	return known(s.cwd + "\n")
}

// partOfPath are dirname and basename.
func partOfPath(_ *state, c *call) value {
	words := c.words("sa", "--suffix")
	if len(words) == 0 {
		return unknown(0)
	}
	v := words[0]
	if c.name == "dirname" {
		if v.text == "~" {
			v.text = "/home/~"
		}
		v.text = path.Dir(v.text)
	} else {
		v.text = path.Base(v.text)
		if len(words) > 1 {
			v.text = strings.TrimSuffix(v.text, words[1].text)
		}
	}
	v.text += "\n"
	return v
}

// shift drops the first of the positional parameters.
func shift(s *state, c *call) value {
	n := 1
	if len(c.args) > 0 {
		n, _ = strconv.Atoi(c.args[0].text)
	}
	s.args = s.args[min(max(n, 0), len(s.args)):]
	return value{}
}

func eval(s *state, c *call) value {
	code := joinArgs(c.args)
	s.noteCode(code)
	if len(code.text) > maxText || code.text == "" {
		return unknown(code.labels)
	}
	s.depth++
	defer func() { s.depth-- }()
	return s.runHere(code)
}

func source(s *state, c *call) value {
	if len(c.args) == 0 {
		return value{}
	}
	file := c.args[0]
	var content value
	if end, ok := s.descriptor(file.text); ok || file.text == "/dev/stdin" {
		content = s.read(file)
		if end.network {
			content = unknown(network)
		}
	} else {
		content = s.content(file)
		content.labels &^= secret
	}
	if content.labels&unread != 0 || len(content.text) > maxText {
		s.noteCode(value{labels: bounded(content).labels})
	}
	if content.text == "" {
		s.doubtVariables()
	}
	if content.incomplete && hiddenCodePattern.MatchString(strings.TrimSpace(content.text)) {
		s.noteCode(content)
	}
	if content.text != "" && len(content.text) <= maxText && (!content.incomplete || content.labels != 0) {
		s.depth++
		defer func() { s.depth-- }()
		return s.runHere(content)
	}
	return unknown(0)
}

func declareBuiltin(s *state, c *call) value {
	named := false
	for _, a := range c.args {
		if a.incomplete && assignmentAt(a.text) == 0 {
			s.doubtVariables()
		}
		if at := assignmentAt(a.text); at > 0 {
			s.assign(a.text[:at], []value{{text: a.text[at+1:], incomplete: a.incomplete, labels: a.labels}})
		}
		named = named || !strings.HasPrefix(a.text, "-")
	}
	if !named {
		return unknown(secret)
	}
	return value{}
}

func unset(s *state, c *call) value {
	for _, a := range c.args {
		delete(s.vars, a.text)
		if name, index, ok := strings.Cut(strings.TrimSuffix(a.text, "]"), "["); ok {
			delete(s.arrays[name], index)
		}
		s.noteVariable(a.text, "")
	}
	return value{}
}

func readVar(s *state, c *call) value {
	input := s.stdin
	for i, a := range c.args {
		if at := strings.IndexByte(a.text, 'u'); strings.HasPrefix(a.text, "-") && at > 0 {
			number := a.text[at+1:]
			if number == "" && i+1 < len(c.args) {
				number = c.args[i+1].text
			}
			if end, ok := s.fds[number]; ok {
				if input = end.content; end.network {
					input = unknown(network)
				} else if end.path != "" && input.text == "" {
					input = s.read(known(end.path))
				}
			}
		}
	}
	if c.name != "read" {
		if command, ok := c.option("-C"); ok {
			s.runText(command, nil)
		}
		if end, ok := c.option("-d"); ok && len(end.text) == 1 {
			input.text = strings.ReplaceAll(input.text, end.text, "\n")
		}
		if skipped, ok := c.option("-s"); ok {
			n, _ := strconv.Atoi(skipped.text)
			lines := strings.Split(input.text, "\n")
			input.text = strings.Join(lines[min(max(n, 0), len(lines)):], "\n")
		}
	}
	input.text = strings.TrimRight(input.text, "\n")
	if input.text == "" && input.incomplete {
		input.text = "$(input)"
	}
	if c.name == "read" {
		for _, option := range []string{"-n", "-N"} {
			if count, ok := c.option(option); ok {
				if n, err := strconv.Atoi(count.text); err == nil && n >= 0 && n < len(input.text) {
					input.text = input.text[:n]
				}
			}
		}
		if end, ok := c.option("-d"); ok && end.text != "" {
			input.text, _, _ = strings.Cut(input.text, end.text[:1])
		}
	}
	set := false
	valued := "udnptNi"
	if c.name != "read" {
		valued = "dnOsuCc"
	}
	names := c.words(valued)
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(s.fieldSeparators(), r) })
	}
	rest := words(input.text)
	for i, name := range names {
		one := input
		if c.name == "read" && len(names) > 1 && !input.incomplete {
			one.text = ""
			if i < len(rest) {
				if one.text = rest[i]; i == len(names)-1 {
					one.text = strings.Join(rest[i:], " ")
				}
			}
		}
		s.assign(name.text, []value{one})
		if name.incomplete {
			s.doubtVariables()
		}
		if c.name != "read" || c.has("-a") {
			s.arrays[name.text] = map[string]value{}
			for i, line := range strings.Split(input.text, "\n") {
				if c.name == "read" {
					for j, word := range words(line) {
						s.arrays[name.text][strconv.Itoa(j)] = value{text: word, incomplete: input.incomplete, labels: input.labels}
					}
					break
				}
				if i < 100 {
					s.arrays[name.text][strconv.Itoa(i)] = value{text: line, incomplete: input.incomplete, labels: input.labels}
				}
			}
		}
		set = true
	}
	if !set {
		s.assign("REPLY", []value{input})
		s.assign("MAPFILE", []value{input})
	}
	return value{}
}

func removeFiles(s *state, c *call) value {
	recursive := c.has("-r", "-R", "--recursive")
	for _, target := range c.words("nsi", "--iterations", "--size") {
		s.remove(target, recursive)
	}
	return value{}
}

// removeTrees are programs that delete folders without being told to.
func removeTrees(s *state, c *call) value {
	for _, target := range c.words("") {
		s.remove(target, true)
	}
	return value{}
}

// gio trash puts files away.
func gio(s *state, c *call) value {
	if words := c.words(""); len(words) > 1 && (words[0].text == "trash" || words[0].text == "remove") {
		for _, target := range words[1:] {
			s.remove(target, true)
		}
		return value{}
	}
	return unknownProgram(s, c)
}

// pidOf begins a text that stands for the process of a program.
const pidOf = "$(pid of) "

// processIDs prints the numbers of the processes of a program.
func processIDs(_ *state, c *call) value {
	words := c.words("uUgGPtsd")
	if len(words) == 0 {
		return unknown(0)
	}
	return value{text: pidOf + words[len(words)-1].text + "\n", incomplete: true}
}

// supervisors are parts of the names of programs that watch what others do.
var supervisors = []string{"nomograph", "auditd", "falco", "osquery", "supervis", "fail2ban", "sshd", "syslog", "watchdog", "crowdstrike", "clamd", "nginx", "haproxy", "dockerd", "containerd", "kubelet", "systemd", "launchd"}

func kill(s *state, c *call) value {
	if n := len(c.args); n > 1 && c.args[n-1].text == "-1" { // all processes
		add(&s.effects.Protections, "all processes")
	}
	if slices.ContainsFunc(c.args, func(a value) bool {
		return a.text == "-HUP" || a.text == "-1" || a.text == "-USR1" || a.text == "-USR2" || a.text == "-0" || a.text == "-WINCH"
	}) {
		return unknown(0)
	}
	all := joinArgs(c.args).text
	for _, name := range supervisors {
		if at := strings.Index(all, strings.TrimSpace(pidOf)); at >= 0 && strings.Contains(all[at:], name) {
			add(&s.effects.Protections, "the process of "+name)
		}
	}
	return unknown(0)
}

func truncate(s *state, c *call) value {
	for _, target := range c.words("sr", "--size", "--reference") {
		if target.labels&tree != 0 {
			s.remove(target, true)
		}
		s.write(target, value{})
	}
	return value{}
}

// targetFolder returns the folder into which cp, mv, ln and install put files: -t FOLDER, also at the end of a cluster.
func (c *call) targetFolder() (value, bool) {
	if folder, ok := c.option("-t", "--target-directory"); ok {
		return folder, true
	}
	name := clusterValue(c, 't')
	return known(name), name != ""
}

func moveFiles(s *state, c *call) value {
	targets := c.words("tS", "--target-directory", "--suffix")
	to, ok := c.targetFolder()
	if !ok {
		if len(targets) < 2 {
			return value{}
		}
		to, targets = targets[len(targets)-1], targets[:len(targets)-1]
	}
	for _, from := range targets {
		full := s.absolute(from.text)
		for _, of := range deletePlaces(full, true, s.ownFolder()) {
			add(&s.effects.DeletesOf, of)
		}
		add(&s.effects.Deletes, s.withHost(full))
		content := s.content(from)
		if isEnvironment(full) || isCredentials(full) {
			content.labels |= secret
		}
		s.links[full] = s.absolute(to.text)
		s.place(from, to, content)
	}
	return value{}
}

func copyFiles(s *state, c *call) value {
	sources := c.words("tSmog", "--target-directory", "--suffix", "--mode", "--owner", "--group")
	to, ok := c.targetFolder()
	if !ok {
		if len(sources) < 2 {
			return value{}
		}
		to, sources = sources[len(sources)-1], sources[:len(sources)-1]
	}
	if c.has("-d") && c.name == "install" {
		return value{}
	}
	for _, from := range sources {
		s.noteProgramCopy(from, to)
		content := s.read(from)
		if holdsSecretFolder(s.absolute(from.text)) && len(readPlaces(s.absolute(from.text)+"/key")) > 0 {
			add(&s.effects.ReadsOf, Credentials)
		}
		s.place(from, to, content)
	}
	return value{}
}

// place notes that a file with this content is copied or moved to a path.
func (s *state) place(from, to, content value) {
	s.copiedFrom = from.text
	s.write(to, content)
	s.noteInFolder(to, from)
	s.copiedFrom = ""
}

// noteInFolder notes the places of a file that is put into a folder.
func (s *state) noteInFolder(folder, file value) {
	if base := path.Base(file.text); base != "." && base != "/" && folder.text != "" {
		full := s.absolute(folder.text + "/" + base)
		for _, of := range writePlaces(full) {
			if of == Startup || of == AgentFiles || of == System {
				add(&s.effects.WritesOf, of)
			}
		}
		s.noteProgramFile(full, value{incomplete: true})
	}
}

func linkFiles(s *state, c *call) value {
	words := c.words("St", "--suffix", "--target-directory")
	if folder, ok := c.targetFolder(); ok {
		for _, from := range words {
			linkFiles(s, &call{name: c.name, args: []value{from, known(folder.text + "/" + path.Base(from.text))}})
		}
		return value{}
	}
	if len(words) < 2 {
		return value{}
	}
	to, from := s.absolute(words[len(words)-1].text), s.absolute(words[0].text)
	s.noteProgramCopy(words[0], words[len(words)-1])
	if to != from {
		s.links[to] = from
	}
	s.files[to] = s.content(words[0])
	add(&s.effects.Writes, s.withHost(to))
	s.copiedFrom = words[0].text
	s.noteProgramFile(to, value{incomplete: true})
	s.noteStartFile(to, s.files[to])
	s.copiedFrom = ""
	for _, of := range writePlaces(to) {
		add(&s.effects.WritesOf, of)
	}
	return value{}
}

// changeMode changes who may use files. On a whole system tree it is as bad as deleting it.
func changeMode(s *state, c *call) value {
	recursive := c.has("-R", "-r", "--recursive")
	words := c.words("mxM")
	if at := slices.IndexFunc(c.args, func(a value) bool {
		return len(a.text) > 1 && a.text[0] == '-' && strings.Trim(a.text[1:], "rwxXst") == ""
	}); c.name == "chmod" && at >= 0 {
		words = append([]value{c.args[at]}, (&call{args: slices.Delete(slices.Clone(c.args), at, at+1)}).words("")...)
	}
	mode := ""
	if _, reference := c.option("--reference"); !reference && len(words) > 0 && c.name != "setfacl" && (c.name != "chattr" || strings.ContainsAny(words[0].text[:min(1, len(words[0].text))], "+=")) {
		mode, words = words[0].text, words[1:]
	}
	setsUser := c.name == "chmod" && (strings.Contains(mode, "s") && strings.ContainsAny(mode, "+=") || len(mode) == 4 && strings.IndexByte("2467", mode[0]) >= 0 && strings.Trim(mode, "01234567") == "")
	if octal := strings.Trim(mode, "01234567") == "" && len(mode) == 4; s.host == "" && setsUser && (octal && (mode[0] == '4' || mode[0] == '6') || !octal && (strings.HasPrefix(mode, "u") || strings.HasPrefix(mode, "+") || strings.HasPrefix(mode, "a"))) {
		add(&s.effects.Protections, "a program that runs as its owner")
	}
	takes := c.name == "chmod" && (strings.Contains(mode, "-") || strings.Trim(mode, "0") == "" && mode != "")
	for _, target := range words {
		full := s.absolute(target.text)
		if takes && isAgentSetting(full) {
			add(&s.effects.WritesOf, AgentFiles)
		}
		if takes && slices.Contains(writePlaces(full), System) && !strings.HasPrefix(full, "/var/log/") && !strings.ContainsAny(mode, "gow") {
			add(&s.effects.WritesOf, System)
		}
		if setsUser && (slices.Contains(deletePlaces(full, false, s.ownFolder()), System) || s.copiedPrograms[full] != "") {
			add(&s.effects.WritesOf, System)
		}
		if isGitData(full) && recursive {
			add(&s.effects.WritesOf, GitData)
		}
		if recursive && s.host == "" {
			if slices.Contains(deletePlaces(full, true, s.ownFolder()), System) {
				add(&s.effects.WritesOf, System)
			}
		} else if slices.Contains(systemFiles, full) || full == "/" || full == "/etc" || full == "/usr" {
			add(&s.effects.WritesOf, System)
		} else if isCredentials(full) && c.name == "chmod" && othersMay(c) {
			add(&s.effects.WritesOf, Credentials)
		}
	}
	return value{}
}

// othersMay reports whether a mode lets other users read a file.
func othersMay(c *call) bool {
	words := c.words("")
	if len(words) == 0 {
		return false
	}
	mode := words[0].text
	if strings.Trim(mode, "01234567") == "" && mode != "" {
		return mode[len(mode)-1] >= '4'
	}
	who, what, ok := strings.Cut(mode, "+")
	return ok && strings.Contains(what, "r") && (who == "" || strings.ContainsAny(who, "ao"))
}

func dd(s *state, c *call) value {
	in, out := s.stdin, value{}
	written := false
	for _, a := range c.args {
		if text, ok := strings.CutPrefix(a.text, "if="); ok {
			in = s.read(value{text: text, incomplete: a.incomplete, labels: a.labels})
		}
		if text, ok := strings.CutPrefix(a.text, "of="); ok {
			out, written = value{text: text, incomplete: a.incomplete, labels: a.labels}, true
		}
	}
	if written {
		s.write(out, in)
		return value{}
	}
	return in
}

// diskProgram are programs that change disks. Arguments show whether they only read.
func diskProgram(s *state, c *call) value {
	looks := map[string][]string{"fdisk": {"-l", "--list"}, "sfdisk": {"-l", "-d", "--dump", "--list", "-J"}, "parted": {"-l", "--list", "print"}, "gdisk": {"-l"}, "sgdisk": {"-p", "-i"}, "wipefs": {"-n", "--no-act"}}
	if slices.ContainsFunc(looks[c.name], func(option string) bool {
		return slices.ContainsFunc(c.args, func(a value) bool { return a.text == option })
	}) {
		return unknown(0)
	}
	verbs := map[string][]string{"cryptsetup": {"luksFormat", "erase", "luksErase", "luksKillSlot", "reencrypt"}, "hdparm": {"--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"}, "nvme": {"format", "sanitize", "write-zeroes", "delete-ns"},
		"zpool": {"destroy", "labelclear", "remove"}, "zfs": {"destroy", "rollback"}, "mdadm": {"--zero-superblock", "--stop", "-S", "--remove"}, "diskutil": {"eraseDisk", "eraseVolume", "zeroDisk", "partitionDisk", "secureErase", "reformat", "apfs"},
		"btrfs": {"delete", "remove"}, "dmsetup": {"remove", "wipe_table", "remove_all"}, "losetup": {"never"}, "debugfs": {"-w"}, "tune2fs": {"never"}, "resize2fs": {"-M"}, "partprobe": {"never"}, "efibootmgr": {"-B"}, "badblocks": {"-w", "-n"}, "gpt": {"destroy", "remove"}, "format": {"c:", "C:", "d:", "D:"}}
	if wanted, ok := verbs[c.name]; ok {
		if !slices.ContainsFunc(c.args, func(a value) bool { return slices.Contains(wanted, a.text) }) && !(c.name == "badblocks" && c.has("-w", "-n")) {
			return unknown(0)
		}
		add(&s.effects.WritesOf, Device)
	}
	if strings.HasPrefix(c.name, "lv") || strings.HasPrefix(c.name, "vg") || strings.HasPrefix(c.name, "pv") {
		add(&s.effects.WritesOf, Device)
	}
	for _, a := range c.words("LtNbmiE") {
		if full := s.absolute(a.text); isDevice(full) || strings.HasPrefix(full, "/dev/") {
			add(&s.effects.Writes, s.withHost(full))
			add(&s.effects.WritesOf, Device)
		}
	}
	return unknown(0)
}

func rsync(s *state, c *call) value {
	words := c.words("efTB", "--exclude", "--include", "--rsh", "--files-from", "--exclude-from", "--include-from", "--filter", "--temp-dir", "--backup-dir", "--max-size", "--min-size", "--bwlimit", "--port", "--timeout", "--chmod", "--chown", "--log-file", "--suffix", "--partial-dir", "--password-file")
	if shellText, ok := c.option("-e", "--rsh"); ok && !strings.HasPrefix(shellText.text, "ssh") {
		s.runText(shellText, nil)
	}
	if len(words) < 2 {
		return unknown(0)
	}
	to, from := words[len(words)-1], words[:len(words)-1]
	all := value{}
	if list, ok := c.option("--files-from"); ok {
		for _, name := range strings.Fields(s.read(list).text) {
			all.labels |= s.labelsOfFile(known(name))
		}
	}
	for _, source := range from {
		if host, ok := remotePath(source.text); ok {
			s.noteHost(host)
			all = concat(all, unknown(network))
		} else {
			all = concat(all, s.read(source))
			if c.has("--remove-source-files") {
				s.remove(source, true)
			}
		}
	}
	if host, ok := remotePath(to.text); ok {
		s.noteHost(host)
		s.send(all)
		_, file, _ := strings.Cut(strings.TrimPrefix(to.text, host), ":")
		s.noteRemoteWrite(file)
		if slices.ContainsFunc(c.args, func(a value) bool { return strings.HasPrefix(a.text, "--del") }) && (slices.Contains(systemFolders, path.Clean(file)) || slices.Contains(wholeFolders, path.Clean(file))) {
			add(&s.effects.DeletesOf, RemoteHost)
		}
		return unknown(0)
	}
	if slices.ContainsFunc(c.args, func(a value) bool { return strings.HasPrefix(a.text, "--del") }) && !isDeployment(s.absolute(to.text)) {
		s.remove(to, true)
	}
	s.write(to, all)
	return unknown(0)
}

// isDeployment reports whether a path is that of one site or application, which a deployment replaces.
func isDeployment(full string) bool {
	for _, folder := range []string{"/var/www/", "/srv/", "/opt/", "/usr/share/nginx/html/"} {
		if rest, ok := strings.CutPrefix(full+"/", folder); ok && len(rest) > 1 && !strings.ContainsAny(rest, "*?$") {
			return true
		}
	}
	return false
}

// remotePath reports whether a path of scp or rsync is on another machine.
func remotePath(text string) (host string, ok bool) {
	if strings.Contains(text, "://") {
		return text, true
	}
	colon, slash := strings.IndexByte(text, ':'), strings.IndexByte(text, '/')
	if colon <= 0 || slash >= 0 && slash < colon || colon == 1 {
		return "", false
	}
	return text[:colon], true
}

// tar reads folders into an archive, which may go anywhere.
func tar(s *state, c *call) value {
	args := append([]value{}, c.args...)
	dashed := len(args) > 0 && strings.HasPrefix(args[0].text, "-")
	if len(args) > 0 && !dashed { // tar czf
		args[0].text = "-" + args[0].text
	}
	var out, dir, program value
	toFile, extracts, removes, prints := false, false, false, false
	var members []value
	for i := 0; i < len(args); i++ {
		text := args[i].text
		next := func() value {
			if i+1 < len(args) {
				i++
				return args[i]
			}
			return value{}
		}
		long, given, ok := strings.Cut(text, "=")
		switch {
		case strings.HasPrefix(text, "--"):
			arg := func() value {
				if ok {
					return value{text: given, incomplete: args[i].incomplete, labels: args[i].labels}
				}
				return next()
			}
			switch long {
			case "--file":
				out, toFile = arg(), true
			case "--use-compress-program", "--to-command", "--rsh-command", "--info-script", "--new-volume-script", "--checkpoint-action", "--rmt-command":
				program = arg()
				s.runText(value{text: strings.TrimPrefix(program.text, "exec="), incomplete: program.incomplete, labels: program.labels}, nil)
			case "--extract", "--get":
				extracts = true
			case "--to-stdout":
				prints = true
			case "--remove-files":
				removes = true
			case "--directory":
				dir = arg()
			case "--exclude", "--transform", "--exclude-from", "--owner", "--group", "--mode", "--checkpoint":
				arg()
			case "--files-from":
				members = append(members, s.read(arg()))
			}
		case strings.HasPrefix(text, "-") && len(text) > 1:
			for j := 1; j < len(text); j++ {
				operand := func() value {
					if rest := text[j+1:]; rest != "" && (i != 0 || dashed) {
						j = len(text)
						return value{text: rest, incomplete: args[i].incomplete}
					}
					return next()
				}
				switch text[j] {
				case 'f':
					out, toFile = operand(), true
				case 'I', 'F':
					s.runText(operand(), nil)
				case 'C':
					dir = operand()
				case 'T', 'X':
					members = append(members, s.read(operand()))
				case 'O':
					prints = true
				case 'x':
					extracts = true
				case 'b', 'g', 'N', 'L':
					operand()
				}
			}
		default:
			members = append(members, args[i])
		}
	}
	if extracts {
		if prints {
			labels := s.content(out).labels | s.stdin.labels | unpacked
			for _, member := range members {
				if holdsSecrets(s.absolute(member.text)) {
					labels |= secret
				}
			}
			return value{incomplete: true, labels: labels}
		}
		if toFile {
			return s.content(out)
		}
		return unknown(s.stdin.labels)
	}
	archive := unknown(0)
	var named []value
	for _, member := range members {
		for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(member.text, "\x00", "\n")), "\n") {
			named = append(named, value{text: line, incomplete: member.incomplete, labels: member.labels})
		}
	}
	for _, member := range named {
		v := member
		if dir.text != "" && !strings.HasPrefix(v.text, "/") {
			v.text = strings.TrimSuffix(dir.text, "/") + "/" + v.text
		}
		if isEnvironment(s.absolute(v.text)) || isCredentials(s.absolute(v.text)) {
			archive.labels |= s.read(v).labels
		}
		archive.labels |= s.content(v).labels
		if removes {
			s.remove(v, true)
		}
	}
	if toFile && out.text != "-" && out.text != "" {
		if host, ok := remotePath(out.text); ok {
			s.noteHost(host)
			s.send(archive)
			return unknown(0)
		}
		s.write(out, archive)
		return unknown(0)
	}
	return archive
}

func zip(s *state, c *call) value {
	for i, a := range c.args {
		if a.text == "-TT" && i+1 < len(c.args) {
			s.runText(value{text: strings.TrimSuffix(c.args[i+1].text, "#"), incomplete: c.args[i+1].incomplete}, nil)
		}
	}
	if command, ok := c.option("--unzip-command"); ok {
		s.runText(command, nil)
	}
	words := c.words("xPnbto", "--password")
	if c.name != "zip" && len(words) > 1 {
		words = words[1:]
	}
	if c.has("-@") && len(words) == 1 {
		for _, name := range strings.Fields(s.stdin.text) {
			words = append(words, value{text: name, labels: s.stdin.labels})
		}
	}
	if len(words) < 2 {
		return unknown(s.stdin.labels)
	}
	archive := unknown(0)
	for _, member := range words[1:] {
		archive.labels |= s.labelsOfFile(member)
		if c.has("-m", "--move") && c.name == "zip" {
			s.remove(member, true)
		}
	}
	if words[0].text == "-" {
		return archive
	}
	s.write(words[0], archive)
	if name := words[0].text; !strings.Contains(path.Base(name), ".") {
		for _, ending := range []string{".zip", ".7z", ".rar"} {
			s.write(known(name+ending), archive)
		}
	}
	return unknown(0)
}

// labelsOfFile returns the labels of a file that goes into an archive. A file that holds secrets is read.
func (s *state) labelsOfFile(file value) label {
	if len(readPlaces(s.absolute(file.text))) > 0 {
		s.noteRead(file.text)
	}
	return s.content(file).labels
}

func compress(s *state, c *call) value {
	words := c.words("S", "--suffix")
	if len(words) == 0 {
		v := value{incomplete: true, labels: s.stdin.labels}
		if c.has("-d", "--decompress") {
			v.labels |= unpacked
		}
		return v
	}
	if to, ok := c.option("-o", "--output"); ok {
		labels := s.stdin.labels
		for _, file := range words {
			labels |= s.labelsOfFile(file)
		}
		s.write(to, unknown(labels))
	}
	ending := map[string]string{"pigz": ".gz", "lz4": ".lz4", "lzma": ".lzma", "lzop": ".lzo", "brotli": ".br", "compress": ".Z", "pbzip2": ".bz2", "pixz": ".pxz", "gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}[c.name]
	if given, ok := c.option("-S", "--suffix"); ok {
		ending = given.text
	}
	out := unknown(0)
	for _, file := range words {
		content := unknown(s.labelsOfFile(file))
		out.labels |= content.labels
		if c.has("-d", "--decompress") {
			out.labels |= unpacked
		}
		if !c.has("-c", "--stdout", "-d", "--decompress", "-t", "-l") {
			s.write(value{text: file.text + ending, incomplete: file.incomplete}, unknown(content.labels))
		}
	}
	return out
}

// decode are programs that make text readable. What they give is known where the input is.
func decode(s *state, c *call) value {
	in := s.stdin
	decodes := c.has("-d", "-D", "--decode")
	words := c.words("wi", "--wrap")
	switch c.name {
	case "xxd":
		words = c.words("cglso")
		decodes = c.has("-r")
	case "openssl":
		if len(c.args) > 0 && slices.Contains([]string{"x509", "verify", "crl", "req", "genrsa", "genpkey", "ecparam", "rand", "version", "ciphers", "dgst"}, c.args[0].text) {
			return unknown(in.labels)
		}
		decodes = c.has("-d")
		if file, ok := c.option("-in"); ok {
			in = s.read(file)
		}
		if file, ok := c.option("-out"); ok {
			s.write(file, unknown(in.labels))
		}
		if len(c.args) == 0 || c.args[0].text != "enc" && c.args[0].text != "base64" && c.args[0].text != "aes-256-cbc" {
			if to, ok := c.option("-connect"); ok {
				s.noteHost(to.text)
				s.send(s.stdin)
				return unknown(network)
			}
			return unknown(in.labels)
		}
		words = nil
	case "uudecode":
		decodes = true
	}
	for i, file := range words {
		if i == 1 && c.name == "xxd" {
			s.write(file, value{incomplete: true, labels: in.labels})
			break
		}
		in = s.read(file)
	}
	if file, ok := c.option("-i", "--input"); ok && c.name == "base64" && file.text != "" && !strings.HasPrefix(file.text, "-") && len(words) == 0 && c.has("-i") && !s.hasStdin {
		in = s.read(file)
	}
	if !decodes {
		return value{incomplete: true, labels: in.labels}
	}
	out := value{incomplete: true, labels: in.labels | decoded}
	text := strings.Join(strings.Fields(in.text), "")
	var plain []byte
	var err error
	switch {
	case in.incomplete || text == "":
		return out
	case c.name == "base64" || c.name == "openssl":
		if plain, err = base64.StdEncoding.DecodeString(text); err != nil {
			plain, err = base64.RawStdEncoding.DecodeString(text)
		}
	case c.name == "xxd":
		plain, err = hex.DecodeString(text)
	default:
		return out
	}
	if err == nil {
		out.text, out.incomplete = strings.ToValidUTF8(string(plain), "?"), false
	}
	return out
}

func transform(s *state, c *call) value {
	in := s.stdin
	if c.name != "tr" {
		for _, file := range c.words("") {
			in = s.read(file)
		}
	}
	out := value{incomplete: true, labels: in.labels | decoded}
	if c.name != "tr" && c.name != "rev" {
		out.labels = in.labels | unpacked
	}
	switch {
	case in.incomplete || in.text == "":
	case c.name == "rev":
		lines := strings.Split(in.text, "\n")
		for i, line := range lines {
			runes := []rune(line)
			slices.Reverse(runes)
			lines[i] = string(runes)
		}
		out.text, out.incomplete = strings.Join(lines, "\n"), false
	case c.name == "tr" && c.has("-d") && len(c.args) == 2:
		drop := escapes(c.args[1].text)
		out.text, out.incomplete = strings.Map(func(r rune) rune {
			if strings.ContainsRune(drop, r) {
				return -1
			}
			return r
		}, in.text), false
	case c.name == "tr" && len(c.args) == 2:
		from, to := ranges(escapes(c.args[0].text)), ranges(escapes(c.args[1].text))
		if len(to) == 0 {
			break
		}
		out.text, out.incomplete = strings.Map(func(r rune) rune {
			if i := slices.Index(from, r); i >= 0 {
				return to[min(i, len(to)-1)]
			}
			return r
		}, in.text), false
	}
	if c.name == "tr" {
		if out.labels = in.labels; in.hasText() {
			out.labels |= rewritten
		}
	}
	return out
}

func ranges(text string) (set []rune) {
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		if i+2 < len(runes) && runes[i+1] == '-' && runes[i] <= runes[i+2] && runes[i+2]-runes[i] < 256 {
			for r := runes[i]; r <= runes[i+2]; r++ {
				set = append(set, r)
			}
			i += 2
			continue
		}
		set = append(set, runes[i])
	}
	return set
}

func sed(s *state, c *call) (printed value) {
	words := c.words("efl", "--expression", "--file")
	var code value
	if given, ok := c.option("-e", "--expression"); ok {
		code = given
	} else if _, file := c.option("-f", "--file"); !file && len(words) > 0 {
		code, words = words[0], words[1:]
	}
	out := s.stdin
	if len(words) > 0 {
		out = value{}
	}
	defer func() {
		if orig, with, ok := substitution(code.text); ok && orig != "" {
			printed = replaceBounded(printed, orig, with, -1)
		} else if len(words) == 0 && s.stdin.hasText() {
			printed.labels |= rewritten
		}
	}()
	for _, file := range words {
		v := s.read(file)
		out = concat(out, v)
		if c.has("-i", "--in-place") {
			s.write(file, v)
		}
	}
	if body := strings.TrimSpace(code.text); strings.HasPrefix(body, "1e") || strings.HasPrefix(body, "e ") || strings.HasPrefix(body, "s") && strings.HasSuffix(body, "/e") {
		if _, command, ok := strings.Cut(body, "e "); ok {
			s.runText(known(command), nil)
		}
	}
	if replacement, runs := sedExecutes(code.text); runs {
		s.noteCode(value{labels: out.labels & unread}) // the line is a command afterwards
		s.runText(value{text: replacement, incomplete: code.incomplete}, nil)
	} else if inGroup := sedExecutePattern.FindStringSubmatch(code.text); inGroup != nil {
		s.noteCode(value{labels: out.labels & unread})
		s.runText(value{text: inGroup[1], incomplete: code.incomplete}, nil)
	}
	for _, line := range strings.FieldsFunc(code.text, func(r rune) bool { return r == ';' || r == '\n' }) { // w FILE, alone or behind a substitution
		line = strings.TrimSpace(line)
		if file, ok := strings.CutPrefix(line, "w/"); ok {
			s.write(known("/"+file), out)
		}
		if at := strings.LastIndex(line, "w "); at >= 0 && (at == 0 || at > 0 && strings.IndexByte("/|#,gpI0123456789", line[at-1]) >= 0) {
			s.write(known(strings.TrimSpace(line[at+2:])), out)
		}
	}
	return value{text: out.text, incomplete: true, labels: out.labels}
}

// sedExecutePattern is the command e of sed, alone, behind an address or in a group: 3e COMMAND, /x/{e COMMAND.
var sedExecutePattern = pattern.New(`(?:^|[;{\n]\s*|^[\d$,!]+\s*|^/[^/]*/\s*)e(?:\s+([^}\n]*)|\s*$)`)

// sedExecutes returns what a substitution with the flag e runs.
func sedExecutes(code string) (command string, runs bool) {
	code = strings.TrimSpace(code)
	if len(code) < 4 || code[0] != 's' {
		return "", false
	}
	var parts []string
	var part strings.Builder
	for i := 2; i < len(code) && len(parts) < 2; i++ {
		switch {
		case code[i] == '\\' && i+1 < len(code):
			if i++; code[i] != code[1] {
				part.WriteByte('\\')
			}
			part.WriteByte(code[i])
		case code[i] == code[1]:
			parts = append(parts, part.String())
			part.Reset()
			if len(parts) == 2 {
				flags, _, _ := strings.Cut(code[i+1:], ";")
				return parts[1], strings.Contains(strings.TrimSpace(flags), "e") && len(flags) < 6
			}
		default:
			part.WriteByte(code[i])
		}
	}
	return "", false
}

func awk(s *state, c *call) value {
	words := c.words("vFf", "--field-separator", "--assign", "--file")
	file, ok := c.option("-f", "--file")
	if ok {
		s.noteCode(value{labels: s.scriptContent(file).labels})
	}
	text, printed := "", ""
	if !ok && len(words) > 0 {
		code := words[0]
		for i, a := range c.args {
			if name, given, is := strings.Cut(a.text, "="); is && i > 0 && c.args[i-1].text == "-v" {
				code.text = substituteName(code.text, name, given)
			}
		}
		if awkStartPattern.MatchString(code.text) {
			for _, found := range awkConstantPattern.FindAllStringSubmatch(code.text, maxConstants) {
				code.text = substituteWord(code.text, found[1], found[2])
			}
		}
		for _, found := range awkGetlinePattern.FindAllStringSubmatch(code.text, 5) {
			if printed := s.spawn(found[1]); strings.Contains(code.text, "system("+found[2]) {
				printed.labels |= rewritten
				s.runText(printed, nil)
			}
		}
		if awkRunsLinePattern.MatchString(code.text) && s.stdin.hasText() {
			s.runText(s.stdin, nil)
		}
		s.scanCode("awk", code)
		printed = words[0].text
		text, words = printedBy(words[0].text), words[1:]
	}
	out := s.stdin
	for _, file := range words {
		out = concat(out, s.read(file))
	}
	for _, found := range awkWritePattern.FindAllStringSubmatch(printed, 5) {
		s.write(known(found[1]), unknown(out.labels))
	}
	if awkInputPattern.MatchString(printed) {
		s.noteCode(value{labels: out.labels & unread})
	}
	if awkCharPattern.MatchString(printed) {
		out.labels |= decoded
	}
	if awkEnvironPattern.MatchString(printed) {
		out.labels |= secret
	}
	if text == "" && (strings.Contains(printed, "BEGIN") || s.stdin.hasText()) {
		out.labels |= rewritten
	}
	return value{text: text, incomplete: true, labels: out.labels}
}

// substituteWord puts the text of a variable of awk in the place of its name, wherever it is not set.
func substituteWord(code, name, given string) string {
	if len(code)+len(given)*strings.Count(code, name) > maxText {
		return code
	}
	var b strings.Builder
	quoted := false
	for i := 0; i < len(code); i++ {
		end := i + len(name)
		switch {
		case code[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(code[i:], name) && (i == 0 || !isNameByte(code[i-1])) && (end == len(code) || !isNameByte(code[end])) && !strings.HasPrefix(strings.TrimLeft(code[end:], " "), "="):
			b.WriteString(`"` + given + `"`)
			i = end - 1
			continue
		}
		b.WriteByte(code[i])
	}
	return b.String()
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// substituteName puts the value of a variable into calls that use it alone: system(NAME).
func substituteName(code, name, given string) string {
	if name == "" || len(code)+len(given) > maxText/2 {
		return code
	}
	for _, around := range [][2]string{{"system(", ")"}, {"(", ")"}, {"", " |"}, {"", "|"}, {"print ", " |"}} {
		code = strings.ReplaceAll(code, around[0]+name+around[1], around[0]+`"`+strings.ReplaceAll(given, `"`, `\"`)+`"`+around[1])
	}
	return code
}

var (
	// awkInputPattern runs fields of the input, or prints to a shell.
	awkInputPattern    = pattern.New(`\bsystem\s*\([^")]*\$\d|\$\d\s*\|\s*getline|\|&?\s*"(?:/bin/)?(?:ba|z|da|k)?sh\b|^\s*\{\s*system\(\s*\$`)
	awkConstantPattern = pattern.New(`\b([A-Za-z_]\w*)\s*=\s*"([^"\\]*)"`)
	awkGetlinePattern  = pattern.New(`"([^"]+)"\s*\|\s*getline\s+(\w+)`)
	awkRunsLinePattern = pattern.New(`system\(\s*\$0\s*\)`)
	awkWritePattern    = pattern.New(`\bprint[^;{}]*>>?\s*"([^"]+)"`)
	awkCharPattern     = pattern.New(`printf\s*\(?\s*"[^"]*%c`)
	awkEnvironPattern  = pattern.New(`\bin\s+ENVIRON\b`)
)

func grep(s *state, c *call) value {
	words := c.words("efmABCgt", "--regexp", "--file", "--include", "--exclude", "--glob", "--type", "--context", "--exclude-dir")
	search, ok := c.option("-e", "--regexp")
	if !ok && len(words) > 0 {
		search, words = words[0], words[1:]
	}
	out := s.stdin
	for _, file := range words {
		out = concat(out, s.read(file))
	}
	if c.has("-o", "--only-matching") && !out.incomplete && len(out.text) < 2000 && len(search.text) < 200 {
		if expression, err := regexp.Compile(search.text); err == nil {
			out.text = strings.Join(expression.FindAllString(out.text, 20), "\n") + "\n"
		} else if out.text != "" {
			out.labels |= rewritten
		}
	}
	if c.has("-l", "-L", "--files-with-matches", "-c", "--count") {
		out.labels &^= fromFile
	}
	if c.has("-r", "-R", "--recursive") || c.name == "rg" || c.name == "ag" {
		if secretSearchPattern.MatchString(search.text) || slices.ContainsFunc(words, func(w value) bool { return holdsSecrets(s.absolute(w.text)) }) {
			out.labels |= secret
		}
	}
	return value{text: out.text, incomplete: true, labels: out.labels}
}

var secretSearchPattern = pattern.New(`(?i)secret|passw|api.?key|token|AKIA|BEGIN.*PRIVATE|credential`)

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

// multiplexer are tmux and screen: an argument that is a command line runs in a window.
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

// reruns are programs that run a command again and again, or beside others: whenever files change, to measure it, in a sandbox.
var reruns = map[string]struct {
	wrapper
	shell bool     // joins the words for a shell
	each  bool     // takes each word for a command line
	pairs []string // options that take two values
	texts []string // options whose value is a command line
}{
	"entr":         {texts: []string{"-s"}},
	"watchexec":    {wrapper: wrapper{valued: "wefisdEj", long: []string{"--watch", "--exts", "--filter", "--ignore", "--signal", "--debounce", "--delay-run", "--env", "--workdir", "--project-origin", "--stop-signal", "--stop-timeout", "--shell", "--on-busy-update", "--emit-events-to"}}, shell: true},
	"nodemon":      {wrapper: wrapper{valued: "weidCV", long: []string{"--watch", "--ext", "--ignore", "--delay"}}, texts: []string{"-x", "--exec"}},
	"hyperfine":    {wrapper: wrapper{valued: "wmMrPLDSunN", long: []string{"--warmup", "--runs", "--min-runs", "--max-runs", "--shell", "--export-json", "--export-csv", "--export-markdown", "--style", "--time-unit", "--command-name"}}, each: true, texts: []string{"-p", "--prepare", "-s", "--setup", "-c", "--cleanup", "-C", "--conclude"}},
	"concurrently": {wrapper: wrapper{valued: "ncpml", long: []string{"--names", "--prefix-colors", "--prefix", "--max-processes", "--restart-tries"}}, each: true},
	"bwrap": {wrapper: wrapper{long: []string{"--proc", "--dev", "--tmpfs", "--dir", "--mqueue", "--chdir", "--unsetenv", "--uid", "--gid", "--hostname", "--exec-label", "--file-label", "--lock-file", "--sync-fd", "--seccomp", "--cap-add", "--cap-drop", "--perms", "--size", "--remount-ro", "--info-fd", "--args", "--userns", "--pidns"}},
		pairs: []string{"--bind", "--bind-try", "--ro-bind", "--ro-bind-try", "--dev-bind", "--dev-bind-try", "--symlink", "--setenv", "--file", "--bind-data", "--ro-bind-data", "--overlay-src", "--chmod"}},
}

// rerun runs the commands in the arguments of a program of reruns.
func rerun(s *state, c *call) value {
	program := reruns[c.name]
	var command []value
	for i := 0; i < len(c.args); i++ {
		text := c.args[i].text
		key, given, with := strings.Cut(text, "=")
		switch {
		case text == "--":
			command = append(command, c.args[i+1:]...)
			i = len(c.args)
		case slices.Contains(program.pairs, text):
			i += 2
		case slices.Contains(program.texts, text):
			if i++; i < len(c.args) {
				s.runText(c.args[i], nil)
			}
		case with && slices.Contains(program.texts, key):
			s.runText(value{text: given, incomplete: c.args[i].incomplete, labels: c.args[i].labels}, nil)
		case strings.HasPrefix(text, "--"):
			if slices.Contains(program.long, text) {
				i++
			}
		case strings.HasPrefix(text, "-") && len(text) > 1:
			if strings.IndexByte(program.valued, text[len(text)-1]) >= 0 {
				i++
			}
		case program.each:
			s.runText(c.args[i], nil)
		default:
			command = c.args[i:]
			i = len(c.args)
		}
	}
	switch {
	case len(command) == 0:
	case program.each:
		for _, word := range command {
			s.runText(word, nil)
		}
	case program.shell:
		return s.runText(joinArgs(command), nil)
	case s.step():
		return s.child().run(command)
	}
	return unknown(0)
}

// bundle runs a program of a project's gems.
func bundle(s *state, c *call) value {
	for i, a := range c.args {
		if a.text == "exec" && i+1 < len(c.args) {
			return s.run(c.args[i+1:])
		}
	}
	return unknown(0)
}

// framework are programs of a web framework that run code in the environment of an application: rails runner, manage.py shell.
func framework(s *state, c *call) value {
	ruby, run := strings.HasSuffix(c.name, "rails"), unknownProgram
	if ruby {
		run = remoteProgram
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

// pager is a program that shows files and runs the commands that it is told to: +!COMMAND.
func pager(s *state, c *call) value {
	for _, a := range c.args {
		if command, ok := strings.CutPrefix(a.text, "+"); ok {
			if _, command, ok = strings.Cut(command, "!"); ok {
				s.runText(value{text: command, incomplete: a.incomplete, labels: a.labels}, nil)
			}
		}
	}
	return filter(s, c)
}

// ansible and salt run commands on other machines.
func ansible(s *state, c *call) value {
	code := value{}
	if c.name == "ansible" {
		module, ok := c.option("-m", "--module-name")
		arguments, _ := c.option("-a", "--args")
		switch {
		case !ok || module.text == "shell" || module.text == "command" || module.text == "raw" || strings.HasSuffix(module.text, ".shell") || strings.HasSuffix(module.text, ".command"):
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

// ztcp is zsh's connection to another machine, whose descriptor it leaves in REPLY.
func ztcp(s *state, c *call) value {
	if words := c.words("d"); len(words) > 0 {
		s.noteHost(words[0].text)
	}
	s.vars["REPLY"] = []value{known(s.newDescriptor(endpoint{network: true}))}
	return value{}
}

func telnetd(s *state, c *call) value {
	if program, ok := c.option("-l", "-E", "-L"); ok {
		s.serveProgram(program)
	}
	return unknown(0)
}

// endlessOutput prints without end.
func endlessOutput(_ *state, c *call) value {
	return value{text: joinArgs(c.args).text + "\n", incomplete: true, labels: endlessData}
}

func getent(s *state, c *call) value {
	if words := c.words("s"); len(words) > 0 && strings.HasSuffix(words[0].text, "shadow") {
		return secretPrinter(s, c)
	}
	if words := c.words("s"); len(words) > 1 && words[0].text == "passwd" { // its sixth field is a home
		return value{text: words[1].text + ":x:1000:1000::~:/bin/sh\n", incomplete: true}
	}
	return unknown(0)
}

// passwordManager are password managers, of which only some operations print secrets.
func passwordManager(s *state, c *call) value {
	if words := c.words(""); len(words) > 1 && (words[0].text == "get" || words[0].text == "show" || words[0].text == "export") {
		return secretPrinter(s, c)
	}
	return unknown(0)
}

func trap(s *state, c *call) value {
	if words := c.words("lp"); len(words) > 1 {
		sub := s.child()
		sub.conditional++
		eval(sub, &call{name: c.name, args: words[:1]})
		s.vars = sub.vars // it may run at any time
	}
	return value{}
}

// alias defines a command, which counts where its name is used: it is read as run.
func alias(s *state, c *call) value {
	for _, a := range c.args {
		name, text, ok := strings.Cut(a.text, "=")
		if body := aliasBody(text); ok && body != nil {
			s.noteReplacedCommand(name, body, true)
			s.functions[name], s.isAlias[name] = body, true
		}
	}
	return value{}
}

// abbr is abbr of fish: abbr -a NAME COMMAND.
func abbr(s *state, c *call) value {
	if words := c.words("pfc"); len(words) > 1 {
		s.noteReplacedCommand(words[0].text, aliasBody(joinArgs(words[1:]).text), true)
	}
	return value{}
}

// hash may give a name to another program.
func hash(s *state, c *call) value {
	if file, ok := c.option("-p"); ok {
		words := c.words("p")
		if stmts, parsed := parse(quote(file.text) + ` "$@"`); parsed && len(words) > 0 && len(stmts) == 1 {
			s.noteReplacedCommand(words[0].text, stmts[0], true)
			s.functions[words[0].text], s.isAlias[words[0].text] = stmts[0], true
		}
	}
	return value{}
}

// enable may load a builtin from a file.
func enable(s *state, c *call) value {
	if file, ok := c.option("-f"); ok {
		s.noteCode(value{labels: s.scriptContent(file).labels & unread})
	}
	return value{}
}

func quote(text string) string {
	quoted, err := syntax.Quote(text, syntax.LangBash)
	if err != nil {
		return "''"
	}
	return quoted
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

// cronCommand is the command in a line of a table for cron, in which so many words come before it.
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

func atJob(s *state, c *call) value {
	if s.hasStdin {
		return s.runText(s.stdin, nil)
	}
	return unknown(0)
}

// security is the keychain of macOS.
func security(s *state, c *call) value {
	if len(c.args) > 0 && (strings.HasPrefix(c.args[0].text, "dump-") || strings.HasPrefix(c.args[0].text, "find-") && c.has("-w", "-g") || strings.HasPrefix(c.args[0].text, "export")) {
		return secretPrinter(s, c)
	}
	return unknown(0)
}

// secretPrinter are programs that print secrets.
func secretPrinter(s *state, c *call) value {
	add(&s.effects.ReadsOf, Credentials)
	return unknown(secret)
}

func onePassword(s *state, c *call) value {
	if len(c.args) > 0 && (c.args[0].text == "read" || c.args[0].text == "item") {
		return secretPrinter(s, c)
	}
	return wrap(s, c)
}

// splitFile writes parts of a file under names that begin with a prefix.
func splitFile(s *state, c *call) value {
	words := c.words("bnlaCt", "--bytes", "--lines", "--number", "--suffix-length")
	content, prefix := s.stdin, "x"
	if len(words) > 0 && words[0].text != "-" {
		content = unknown(s.labelsOfFile(words[0]))
	}
	if len(words) > 1 && c.name == "split" {
		prefix = words[1].text
	}
	if c.name == "csplit" {
		prefix = "xx"
		if given, ok := c.option("-f", "--prefix"); ok {
			prefix = given.text
		}
	}
	for _, ending := range []string{"aa", "ab", "00", "*"} {
		s.write(known(prefix+ending), content)
	}
	return unknown(0)
}

// cpio and pax read the files whose names they are given.
func cpio(s *state, c *call) value {
	out := unknown(s.stdin.labels &^ tree)
	if c.has("-i", "--extract") || c.name == "pax" && c.has("-r") && !c.has("-w") {
		return unknown(0)
	}
	for _, name := range append(c.words("HFOsx"), known(s.stdin.text)) {
		for _, line := range strings.Fields(name.text) {
			out.labels |= s.content(known(line)).labels
		}
	}
	if file, ok := c.option("-F", "-O", "--file", "-f"); ok {
		s.write(file, out)
	} else if name := cmp.Or(clusterValue(c, 'F'), clusterValue(c, 'O')); name != "" {
		s.write(known(name), out)
	}
	if words := c.words("HFOsx"); c.has("-p", "--pass-through") && len(words) > 0 {
		s.write(words[len(words)-1], out)
	}
	return out
}

func gpg(s *state, c *call) value {
	if slices.ContainsFunc(c.args, func(a value) bool { return strings.HasPrefix(a.text, "--export-secret") }) {
		return secretPrinter(s, c)
	}
	if c.has("-d", "--decrypt") {
		return unknown(secret | decoded | s.stdin.labels)
	}
	for _, file := range c.words("ro", "--recipient", "--output") {
		if content := s.content(file); c.has("-c", "-e", "--symmetric", "--encrypt") {
			if to, ok := c.option("-o", "--output"); ok {
				s.write(to, unknown(content.labels))
			} else {
				s.write(known(file.text+".gpg"), unknown(content.labels))
				s.write(known(file.text+".asc"), unknown(content.labels))
			}
		}
	}
	return unknownProgram(s, c)
}

// editorPrefixPattern are words before a command of vim that change how it runs: silent !COMMAND.
var editorPrefixPattern = pattern.New(`^(?:(?:sil(?:ent)?!?|bufdo|argdo|windo|tabdo|noautocmd|exe(?:cute)?|keepalt|vert(?:ical)?|bel(?:owright)?|r(?:ead)?|ter(?:minal)?)[\s"']*)+`)

func editor(s *state, c *call) value {
	for i, a := range c.args {
		var code string
		if rest, ok := strings.CutPrefix(a.text, "+!"); ok {
			code = rest
		} else if (a.text == "-c" || a.text == "--cmd" || a.text == "-S" || a.text == "-sc" || a.text == "-es") && i+1 < len(c.args) || strings.HasPrefix(a.text, "+") && len(a.text) > 1 {
			if rest, plus := strings.CutPrefix(a.text, "+"); plus {
				code = rest
			} else {
				code = c.args[i+1].text
			}
			code = editorPrefixPattern.ReplaceAllString(strings.TrimLeft(code, ":%"), "")
			if address, ok := strings.CutPrefix(code, "source "); ok && strings.Contains(address, "://") {
				s.noteCode(value{labels: network})
			}
			if !strings.HasPrefix(code, "!") {
				if strings.Contains(code, "system") || strings.Contains(code, "execute") || strings.HasPrefix(code, "py") || strings.HasPrefix(code, "lua") || strings.HasPrefix(code, "perl") || strings.HasPrefix(code, "ruby") {
					s.scanCode("vim", value{text: code, incomplete: c.args[min(i+1, len(c.args)-1)].incomplete})
				}
				if _, command, ok := strings.Cut(code, "w !"); ok {
					sub := s.child()
					for _, file := range c.words("cSs") {
						sub.stdin.labels |= s.content(file).labels
					}
					sub.hasStdin = true
					sub.runText(known(command), nil)
				}
				continue
			}
			code = code[1:]
		} else if (a.text == "--eval" || a.text == "-eval") && i+1 < len(c.args) {
			s.scanCode("emacs", c.args[i+1])
			continue
		} else if c.name == "nvim" && a.text == "-l" && i+1 < len(c.args) {
			s.scanCode("lua", s.scriptContent(c.args[i+1]))
			continue
		} else if c.name == "emacs" && (a.text == "-l" || a.text == "--load" || a.text == "--script") && i+1 < len(c.args) {
			s.noteCode(value{labels: s.scriptContent(c.args[i+1]).labels & unread})
			continue
		} else {
			continue
		}
		s.runText(known(code), nil)
	}
	if c.name == "ed" || c.name == "ex" {
		for line := range strings.Lines(s.stdin.text) {
			if command, ok := strings.CutPrefix(line, "!"); ok {
				s.runText(known(command), nil)
			}
			if saves := strings.TrimSpace(line); saves == "w" || saves == "wq" || saves == "x" || saves == "wq!" {
				for _, file := range c.words("pc") {
					s.write(file, value{incomplete: true})
				}
			}
		}
	}
	return unknownProgram(s, c)
}

func script(s *state, c *call) value {
	if code := clusterValue(c, 'c'); code != "" {
		return s.runText(known(code), nil)
	}
	if code, ok := c.option("-c", "--command"); ok {
		return s.runText(code, nil)
	}
	return unknown(0)
}
