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
				return value{text: text, open: a.open, labels: a.labels}, true
			case !long && len(name) == 2 && strings.HasPrefix(a.text, name) && len(a.text) > 2:
				return value{text: a.text[2:], open: a.open, labels: a.labels}, true
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
	listOnce.Do(listPrograms)
	return handlers[name]
}

func listPrograms() {
	programs := map[string]handler{
		"echo": echo, "printf": printf, "cat": cat, "tac": cat, "zcat": unpack, "bzcat": unpack, "xzcat": unpack, "zstdcat": unpack, "unzip": unzip, "funzip": unpack, "lz4cat": unpack, "tee": tee, "sponge": tee, "mysqldump": dump, "pg_dump": dump, "pg_dumpall": dump, "mongodump": dump, "cd": changeDir, "pushd": changeDir,
		"eval": eval, "source": source, ".": source, "export": declares, "declare": declares, "typeset": declares, "readonly": declares, "local": declares,
		"set": setArgs, "printenv": prints(secret), "unset": unset, "read": readVar, "mapfile": readVar, "readarray": readVar,
		"rm": remove, "rmdir": remove, "unlink": remove, "shred": remove, "srm": remove, "trash": removeAll, "del": remove, "wipe": remove, "truncate": truncate,
		"mv": move, "cp": copyFiles, "install": copyFiles, "ditto": copyFiles, "ln": link, "mkfifo": quiet, "touch": quiet, "mkdir": quiet,
		"chmod": permit, "chown": permit, "chgrp": permit, "chattr": permit, "setfacl": permit,
		"dd": dd, "rsync": rsync, "tar": tar, "bsdtar": tar, "zip": zip, "7z": zip, "7za": zip, "rar": zip, "gzip": compress, "bzip2": compress, "xz": compress, "zstd": compress,
		"base64": decode, "base32": decode, "basenc": decode, "uuencode": decode, "xxd": decode, "openssl": decode, "uudecode": decode, "rev": transform, "tr": transform, "gunzip": transform, "bunzip2": transform, "unxz": transform, "unlzma": transform, "unzstd": transform, "uncompress": transform, "lunzip": transform, "unlz4": transform, "split": splitFile, "csplit": splitFile, "cpio": cpio, "pax": cpio, "jar": zip, "ar": zip, "lz4": compress, "pigz": compress, "lzma": compress, "lzop": compress, "brotli": compress, "compress": compress, "pbzip2": compress, "pixz": compress,
		"find": findCommand, "gfind": findCommand, "fd": fdFind, "fdfind": fdFind, "ls": list, "xargs": xargs, "gxargs": xargs,
		"curl": curl, "wget": wget, "http": httpie, "https": httpie, "xh": httpie, "nc": netcat, "ncat": netcat, "netcat": netcat, "socat": socat, "telnet": netcat,
		"ssh": ssh, "scp": secureCopy, "sftp": secureCopy, "ftp": transfer, "tftp": transfer, "lftp": transfer, "smbclient": transfer, "ncftpput": transfer, "mail": transfer, "mailx": transfer, "sendmail": transfer, "mutt": transfer, "dig": transfer, "nslookup": transfer, "host": transfer, "ping": transfer, "rclone": transfer, "s3cmd": transfer, "pastebinit": transfer, "wgetpaste": transfer, "ix": transfer, "gist": transfer, "croc": transfer, "wormhole": transfer, "transfer": transfer, "kermit": transfer, "xmpp": transfer, "ntfy": transfer, "finger": transfer, "whois": transfer, "swaks": transfer, "msmtp": transfer, "sendemail": transfer, "mpack": transfer, "s-nail": transfer, "kcat": transfer, "ffsend": transfer, "cryptcat": netcat, "websocat": transfer, "wscat": transfer, "mosquitto_pub": transfer, "grpcurl": transfer, "curlie": curl, "logger": transfer, "aria2c": wget, "lynx": wget, "w3m": wget, "fetch": wget, "axel": wget,
		"git": git, "docker": containers, "podman": containers, "nerdctl": containers, "docker-compose": containers, "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "sort": readers, "grep": grep, "egrep": grep, "fgrep": grep, "rg": grep, "ag": grep, "zgrep": grep,
		"su": su, "runuser": su, "tmux": multiplexer, "screen": multiplexer, "manage.py": framework, "django-admin": framework, "bundle": bundle, "ansible": ansible, "salt": ansible, "salt-call": ansible, "ztcp": ztcp, "telnetd": telnetd, "in.telnetd": telnetd, "nc.traditional": netcat, "nc.openbsd": netcat, "hub": git, "yes": endlessOutput, "getent": getent, "keyctl": secrets, "bw": vaults, "lpass": vaults, "fetchmail": transfer, "seq": sequence, "trap": trap, "alias": alias, "abbr": abbreviate, "hash": hash, "enable": enable, "pwd": workingDir, "dirname": partOfPath, "basename": partOfPath, "shift": shift, "crontab": crontab, "security": security, "at": at, "batch": at,
		"vim": editor, "vi": editor, "nvim": editor, "ed": editor, "emacs": editor, "make": quietReader, "script": script,
		"links": wget, "elinks": wget, "lwp-download": wget, "GET": wget, "lwp-request": wget, "which": locate, "realpath": canonical, "readlink": canonical, "history": histories, "rimraf": removeAll, "del-cli": removeAll, "trash-put": removeAll, "gio": gio, "pgrep": pids, "pidof": pids, "kill": kill, "npx": runner, "bunx": runner, "npm": runner, "yarn": runner, "pnpm": runner, "bun": runner, "ex": editor, "gdb": debugger, "setcap": permit, "httpd": serves, "darkhttpd": serves, "http-server": serves, "serve": serves, "miniserve": serves, "caddy": serves, "twistd": serves, "thttpd": serves, "mini_httpd": serves, "webfsd": serves, "gpg": gpg, "gpg2": gpg, "pass": secrets, "gnome-keyring": secrets, "secret-tool": secrets, "crictl": other,
	}
	for name := range wrappers {
		programs[name] = wrap
	}
	programs["env"], programs["op"], programs["gdb"] = wrap, opSecrets, debugger
	for _, name := range []string{"sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "ash", "fish", "rbash", "tcsh", "csh", "pwsh", "powershell", "yash", "posh"} {
		programs[name] = shellProgram
	}
	for name := range interpreters {
		programs[name] = interpreter
	}
	for _, name := range []string{"test", "[", "stat", "file", "exit", "return", "true", "false", ":", "whereis", "type", "pkill", "wait", "sleep", "date", "whoami", "id", "uname", "du", "df", "tree", "help", "man", "ps", "top", "jobs", "bg", "fg", "umask", "ulimit", "getopts", "let", "expr", "caller", "ssh-add", "ssh-keygen", "ssh-copy-id", "ssh-keyscan", "apropos", "groups", "useradd", "userdel", "exa", "eza", "lsattr", "mount", "umount", "lsof", "complete", "bind", "shopt", "md5sum", "sha256sum", "sha1sum", "wc", "locate", "lsblk"} {
		programs[name] = quiet
	}
	for _, name := range []string{"mkfs", "mke2fs", "wipefs", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "pvremove", "vgremove", "lvremove", "pvcreate", "cryptsetup", "blkdiscard", "hdparm", "nvme", "zpool", "zfs", "mdadm", "diskutil", "mkswap", "badblocks", "partprobe", "format", "lvreduce", "vgreduce", "pvresize", "btrfs", "sg_format", "mkntfs", "mkdosfs", "newfs", "gpt", "dmsetup", "losetup", "debugfs", "tune2fs", "resize2fs", "flashcp", "flash_erase", "efibootmgr"} {
		programs[name] = disk
	}
	for _, name := range compilers {
		programs[name] = compile
	}
	for _, name := range filters {
		programs[name] = filter
	}
	for _, name := range []string{"sshpass", "mosh", "rsh", "pssh", "parallel-ssh", "pdsh", "clush", "fab", "tsh", "winrs", "psexec"} {
		programs[name] = elsewhere
	}
	for _, name := range []string{"scrub", "nwipe", "dcfldd", "dc3dd", "ddrescue", "flashrom", "partclone.restore", "qemu-img", "grub-install", "extlinux"} {
		programs[name] = overwriter
	}
	for _, name := range []string{"cmd", "Remove-Item", "Invoke-Command", "Get-Content", "Invoke-Expression"} {
		programs[name] = windows
	}
	for name := range remoteVerbs() {
		if programs[name] == nil {
			programs[name] = remote
		}
	}
	for _, name := range []string{"java", "rake", "artisan"} {
		programs[name] = remote
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
	handlers, operationsOf = programs, listOperations()
}

// other is a program that is not known: what goes in may come out, and files that hold secrets are taken for read.
func other(s *state, c *call) value {
	if out, ok := s.startsProgram(c); ok {
		return out
	}
	if strings.HasPrefix(c.name, "mkfs.") || strings.HasPrefix(c.name, "fsck.") || strings.HasPrefix(c.name, "newfs_") {
		return disk(s, c)
	}
	out := unknown(s.stdin.labels)
	s.destroys(c)
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
		v := value{text: strings.TrimPrefix(text, "@"), open: a.open, labels: a.labels}
		full := s.absolute(v.text)
		_, ok := s.files[full]
		_, isAlias := s.aliases[full]
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

// destroys records an unknown program with an operation named like a deletion: APP RESOURCE delete.
func (s *state) destroys(c *call) {
	if slices.Contains(packageManagers, c.name) || c.tries() {
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

// readers read all words that are no options.
func readers(s *state, c *call) value {
	out := s.stdin
	if file, ok := c.option("--files0-from", "-f"); ok {
		out = joined(out, s.read(file))
	}
	for _, a := range c.words("kntTS") {
		out = joined(out, s.read(a))
	}
	if o, ok := c.option("-o", "--output"); ok {
		s.write(o, out)
	}
	return value{text: out.text, open: true, labels: out.labels | s.labelsOf(c)}
}

// quiet programs neither read the content of files nor print their arguments.
func quiet(*state, *call) value { return unknown(0) }

// quietReader is make, whose file may come from anywhere.
func quietReader(s *state, c *call) value {
	if folder, ok := c.option("-C", "--directory"); ok {
		s = s.child()
		s.depth--
		s.cwd = s.absolute(folder.text)
	}
	if code, ok := c.option("--eval"); ok {
		s.recipes(code.text)
	}
	for _, a := range c.args {
		if command, ok := strings.CutPrefix(a.text, "SHELL="); ok {
			s.execute(known(command), nil)
		}
	}
	file, ok := c.option("-f", "--file", "--makefile")
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
		if _, written := s.files[s.absolute(name)]; written && !ok {
			file, ok = known(name), true
		}
	}
	if ok {
		code := s.codeOf(file)
		if file.text == "-" {
			code = s.stdin
		}
		s.executed(value{labels: code.labels})
		s.recipes(code.text)
	}
	return unknown(s.stdin.labels)
}

// recipes runs the commands of a makefile: lines that start with a tab, what follows the semicolon of a rule, and $(shell ...).
func (s *state) recipes(text string) {
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(line, "\t")
		if found := makeRule.FindStringSubmatch(line); found != nil {
			command, ok = found[1], true
		}
		if ok {
			s.execute(known(strings.TrimLeft(command, "@-+ ")), nil)
		}
	}
	for _, found := range makeShell.FindAllStringSubmatch(text, 5) {
		s.execute(known(found[1]), nil)
	}
}

// makeRule is a rule with its first command on the same line.
var makeRule = pattern.New(`^[^\s#:=;][^#:=;]*::?[^;=]*;(.*)`)

// list prints the names that it is given, as far as they are patterns or are listed themselves.
func list(s *state, c *call) value {
	out := unknown(0)
	for _, word := range c.words("IwT") {
		if full := s.absolute(word.text); full == "/" && !c.has("-d", "--directory") {
			out = joined(out, known("etc\n"))
		} else if rest, ok := inHome(full); ok && rest == "" && !c.has("-d", "--directory") {
			out = joined(out, known("Documents\n"))
		}
		if strings.ContainsAny(word.text, "*?[") || c.has("-d", "--directory") {
			out = joined(out, value{text: word.text + "\n", open: true, labels: word.labels})
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

func prints(labels label) handler {
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
	out := joinedArgs(args)
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
	out := value{open: args[0].open, labels: args[0].labels}
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
						out.open = true
						break
					}
					out.labels |= rewritten
					text = strconv.FormatInt(n, map[byte]int{'x': 16, 'X': 16, 'o': 8, 'd': 10, 'i': 10}[format[i]])
				}
				if n, err := strconv.Atoi(precision); err == nil && n < len(text) && n >= 0 {
					text = text[:n]
				}
				b.WriteString(text)
				out.open, out.labels, rest = out.open || rest[0].open, out.labels|rest[0].labels, rest[1:]
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
			s.doubt()
		}
		return value{}
	}
	return out
}

// unpack prints what compressed files hold.
func unpack(s *state, c *call) value {
	out := cat(s, c)
	return value{open: true, labels: out.labels | unpacked}
}

// unzip prints what it unpacks, or the names of it, or writes it.
func unzip(s *state, c *call) value {
	out := other(s, c)
	if c.has("-p", "-c") && !c.has("-l", "-Z", "-t") {
		out = value{open: true, labels: out.labels | unpacked}
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
		out = joined(out, s.read(file))
	}
	return out
}

// dump prints a whole database, or writes it to a file.
func dump(s *state, c *call) value {
	if file, ok := c.option("-f", "--file", "-r", "--result-file", "-o", "--out"); ok {
		s.write(file, unknown(secret))
	}
	return unknown(secret)
}

func tee(s *state, c *call) value {
	appends := c.has("-a", "--append")
	for _, file := range c.words("") {
		s.writes(file, s.stdin, appends || s.maybe > 0)
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
	if words[0].open && strings.HasPrefix(words[0].text, "$") || words[0].text == "-" {
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
	code := joinedArgs(c.args)
	s.executed(code)
	if len(code.text) > maxText || code.text == "" {
		return unknown(code.labels)
	}
	s.depth++
	defer func() { s.depth-- }()
	return s.source(code)
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
		s.executed(value{labels: bounded(content).labels})
	}
	if content.text == "" {
		s.doubt()
	}
	if content.open && hiddenCode.MatchString(strings.TrimSpace(content.text)) {
		s.executed(content)
	}
	if content.text != "" && len(content.text) <= maxText && (!content.open || content.labels != 0) {
		s.depth++
		defer func() { s.depth-- }()
		return s.source(content)
	}
	return unknown(0)
}

func declares(s *state, c *call) value {
	named := false
	for _, a := range c.args {
		if a.open && assignmentAt(a.text) == 0 {
			s.doubt()
		}
		if at := assignmentAt(a.text); at > 0 {
			s.assign(a.text[:at], []value{{text: a.text[at+1:], open: a.open, labels: a.labels}})
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
			delete(s.elements[name], index)
		}
		s.loosens(a.text, "")
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
			s.execute(command, nil)
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
	if input.text == "" && input.open {
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
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(s.breaks(), r) })
	}
	rest := words(input.text)
	for i, name := range names {
		one := input
		if c.name == "read" && len(names) > 1 && !input.open {
			one.text = ""
			if i < len(rest) {
				if one.text = rest[i]; i == len(names)-1 {
					one.text = strings.Join(rest[i:], " ")
				}
			}
		}
		s.assign(name.text, []value{one})
		if name.open {
			s.doubt()
		}
		if c.name != "read" || c.has("-a") {
			s.elements[name.text] = map[string]value{}
			for i, line := range strings.Split(input.text, "\n") {
				if c.name == "read" {
					for j, word := range words(line) {
						s.elements[name.text][strconv.Itoa(j)] = value{text: word, open: input.open, labels: input.labels}
					}
					break
				}
				if i < 100 {
					s.elements[name.text][strconv.Itoa(i)] = value{text: line, open: input.open, labels: input.labels}
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

func remove(s *state, c *call) value {
	recursive := c.has("-r", "-R", "--recursive")
	for _, target := range c.words("nsi", "--iterations", "--size") {
		s.remove(target, recursive)
	}
	return value{}
}

// removeAll are programs that delete folders without being told to.
func removeAll(s *state, c *call) value {
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
	return other(s, c)
}

// pidOf begins a text that stands for the process of a program.
const pidOf = "$(pid of) "

// pids prints the numbers of the processes of a program.
func pids(_ *state, c *call) value {
	words := c.words("uUgGPtsd")
	if len(words) == 0 {
		return unknown(0)
	}
	return value{text: pidOf + words[len(words)-1].text + "\n", open: true}
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
	all := joinedArgs(c.args).text
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
	name := clustered(c, 't')
	return known(name), name != ""
}

func move(s *state, c *call) value {
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
		for _, of := range deletePlaces(full, true, s.own()) {
			add(&s.effects.DeletesOf, of)
		}
		add(&s.effects.Deletes, s.at(full))
		content := s.content(from)
		if isEnvironment(full) || isCredentials(full) {
			content.labels |= secret
		}
		s.aliases[full] = s.absolute(to.text)
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
		s.copied(from, to)
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
	s.placed = from.text
	s.write(to, content)
	s.into(to, from)
	s.placed = ""
}

// into notes the places of a file that is put into a folder.
func (s *state) into(folder, file value) {
	if base := path.Base(file.text); base != "." && base != "/" && folder.text != "" {
		full := s.absolute(folder.text + "/" + base)
		for _, of := range writePlaces(full) {
			if of == Startup || of == AgentFiles || of == System {
				add(&s.effects.WritesOf, of)
			}
		}
		s.placesProgram(full, value{open: true})
	}
}

func link(s *state, c *call) value {
	words := c.words("St", "--suffix", "--target-directory")
	if folder, ok := c.targetFolder(); ok {
		for _, from := range words {
			link(s, &call{name: c.name, args: []value{from, known(folder.text + "/" + path.Base(from.text))}})
		}
		return value{}
	}
	if len(words) < 2 {
		return value{}
	}
	to, from := s.absolute(words[len(words)-1].text), s.absolute(words[0].text)
	s.copied(words[0], words[len(words)-1])
	if to != from {
		s.aliases[to] = from
	}
	s.files[to] = s.content(words[0])
	add(&s.effects.Writes, s.at(to))
	s.placed = words[0].text
	s.placesProgram(to, value{open: true})
	s.startsUnread(to, s.files[to])
	s.placed = ""
	for _, of := range writePlaces(to) {
		add(&s.effects.WritesOf, of)
	}
	return value{}
}

// permit changes who may use files. On a whole system tree it is as bad as deleting it.
func permit(s *state, c *call) value {
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
		if takes && startsAgent(full) {
			add(&s.effects.WritesOf, AgentFiles)
		}
		if takes && slices.Contains(writePlaces(full), System) && !strings.HasPrefix(full, "/var/log/") && !strings.ContainsAny(mode, "gow") {
			add(&s.effects.WritesOf, System)
		}
		if setsUser && (slices.Contains(deletePlaces(full, false, s.own()), System) || s.copies[full] != "") {
			add(&s.effects.WritesOf, System)
		}
		if gitData(full) && recursive {
			add(&s.effects.WritesOf, GitData)
		}
		if recursive && s.host == "" {
			if slices.Contains(deletePlaces(full, true, s.own()), System) {
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
			in = s.read(value{text: text, open: a.open, labels: a.labels})
		}
		if text, ok := strings.CutPrefix(a.text, "of="); ok {
			out, written = value{text: text, open: a.open, labels: a.labels}, true
		}
	}
	if written {
		s.write(out, in)
		return value{}
	}
	return in
}

// disk are programs that change disks. Arguments show whether they only read.
func disk(s *state, c *call) value {
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
			add(&s.effects.Writes, s.at(full))
			add(&s.effects.WritesOf, Device)
		}
	}
	return unknown(0)
}

func rsync(s *state, c *call) value {
	words := c.words("efTB", "--exclude", "--include", "--rsh", "--files-from", "--exclude-from", "--include-from", "--filter", "--temp-dir", "--backup-dir", "--max-size", "--min-size", "--bwlimit", "--port", "--timeout", "--chmod", "--chown", "--log-file", "--suffix", "--partial-dir", "--password-file")
	if shellText, ok := c.option("-e", "--rsh"); ok && !strings.HasPrefix(shellText.text, "ssh") {
		s.execute(shellText, nil)
	}
	if len(words) < 2 {
		return unknown(0)
	}
	to, from := words[len(words)-1], words[:len(words)-1]
	all := value{}
	if list, ok := c.option("--files-from"); ok {
		for _, name := range strings.Fields(s.read(list).text) {
			all.labels |= s.packed(known(name))
		}
	}
	for _, source := range from {
		if host, ok := remotePath(source.text); ok {
			s.contact(host)
			all = joined(all, unknown(network))
		} else {
			all = joined(all, s.read(source))
			if c.has("--remove-source-files") {
				s.remove(source, true)
			}
		}
	}
	if host, ok := remotePath(to.text); ok {
		s.contact(host)
		s.send(all)
		_, file, _ := strings.Cut(strings.TrimPrefix(to.text, host), ":")
		s.overwritten(file)
		if slices.ContainsFunc(c.args, func(a value) bool { return strings.HasPrefix(a.text, "--del") }) && (slices.Contains(systemFolders, path.Clean(file)) || slices.Contains(roots, path.Clean(file))) {
			add(&s.effects.DeletesOf, RemoteHost)
		}
		return unknown(0)
	}
	if slices.ContainsFunc(c.args, func(a value) bool { return strings.HasPrefix(a.text, "--del") }) && !deployed(s.absolute(to.text)) {
		s.remove(to, true)
	}
	s.write(to, all)
	return unknown(0)
}

// deployed reports whether a path is that of one site or application, which a deployment replaces.
func deployed(full string) bool {
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
					return value{text: given, open: args[i].open, labels: args[i].labels}
				}
				return next()
			}
			switch long {
			case "--file":
				out, toFile = arg(), true
			case "--use-compress-program", "--to-command", "--rsh-command", "--info-script", "--new-volume-script", "--checkpoint-action", "--rmt-command":
				program = arg()
				s.execute(value{text: strings.TrimPrefix(program.text, "exec="), open: program.open, labels: program.labels}, nil)
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
						return value{text: rest, open: args[i].open}
					}
					return next()
				}
				switch text[j] {
				case 'f':
					out, toFile = operand(), true
				case 'I', 'F':
					s.execute(operand(), nil)
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
			return value{open: true, labels: labels}
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
			named = append(named, value{text: line, open: member.open, labels: member.labels})
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
			s.contact(host)
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
			s.execute(value{text: strings.TrimSuffix(c.args[i+1].text, "#"), open: c.args[i+1].open}, nil)
		}
	}
	if command, ok := c.option("--unzip-command"); ok {
		s.execute(command, nil)
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
		archive.labels |= s.packed(member)
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

// packed returns the labels of a file that goes into an archive. A file that holds secrets is read.
func (s *state) packed(file value) label {
	if len(readPlaces(s.absolute(file.text))) > 0 {
		s.noteRead(file.text)
	}
	return s.content(file).labels
}

func compress(s *state, c *call) value {
	words := c.words("S", "--suffix")
	if len(words) == 0 {
		v := value{open: true, labels: s.stdin.labels}
		if c.has("-d", "--decompress") {
			v.labels |= unpacked
		}
		return v
	}
	if to, ok := c.option("-o", "--output"); ok {
		labels := s.stdin.labels
		for _, file := range words {
			labels |= s.packed(file)
		}
		s.write(to, unknown(labels))
	}
	ending := map[string]string{"pigz": ".gz", "lz4": ".lz4", "lzma": ".lzma", "lzop": ".lzo", "brotli": ".br", "compress": ".Z", "pbzip2": ".bz2", "pixz": ".pxz", "gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}[c.name]
	if given, ok := c.option("-S", "--suffix"); ok {
		ending = given.text
	}
	out := unknown(0)
	for _, file := range words {
		content := unknown(s.packed(file))
		out.labels |= content.labels
		if c.has("-d", "--decompress") {
			out.labels |= unpacked
		}
		if !c.has("-c", "--stdout", "-d", "--decompress", "-t", "-l") {
			s.write(value{text: file.text + ending, open: file.open}, unknown(content.labels))
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
				s.contact(to.text)
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
			s.write(file, value{open: true, labels: in.labels})
			break
		}
		in = s.read(file)
	}
	if file, ok := c.option("-i", "--input"); ok && c.name == "base64" && file.text != "" && !strings.HasPrefix(file.text, "-") && len(words) == 0 && c.has("-i") && !s.hasStdin {
		in = s.read(file)
	}
	if !decodes {
		return value{open: true, labels: in.labels}
	}
	out := value{open: true, labels: in.labels | decoded}
	text := strings.Join(strings.Fields(in.text), "")
	var plain []byte
	var err error
	switch {
	case in.open || text == "":
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
		out.text, out.open = strings.ToValidUTF8(string(plain), "?"), false
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
	out := value{open: true, labels: in.labels | decoded}
	if c.name != "tr" && c.name != "rev" {
		out.labels = in.labels | unpacked
	}
	switch {
	case in.open || in.text == "":
	case c.name == "rev":
		lines := strings.Split(in.text, "\n")
		for i, line := range lines {
			runes := []rune(line)
			slices.Reverse(runes)
			lines[i] = string(runes)
		}
		out.text, out.open = strings.Join(lines, "\n"), false
	case c.name == "tr" && c.has("-d") && len(c.args) == 2:
		drop := escapes(c.args[1].text)
		out.text, out.open = strings.Map(func(r rune) rune {
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
		out.text, out.open = strings.Map(func(r rune) rune {
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
			printed = exchanged(printed, orig, with, -1)
		} else if len(words) == 0 && s.stdin.hasText() {
			printed.labels |= rewritten
		}
	}()
	for _, file := range words {
		v := s.read(file)
		out = joined(out, v)
		if c.has("-i", "--in-place") {
			s.write(file, v)
		}
	}
	if body := strings.TrimSpace(code.text); strings.HasPrefix(body, "1e") || strings.HasPrefix(body, "e ") || strings.HasPrefix(body, "s") && strings.HasSuffix(body, "/e") {
		if _, command, ok := strings.Cut(body, "e "); ok {
			s.execute(known(command), nil)
		}
	}
	if replacement, runs := sedRuns(code.text); runs {
		s.executed(value{labels: out.labels & unread}) // the line is a command afterwards
		s.execute(value{text: replacement, open: code.open}, nil)
	} else if inGroup := sedStarts.FindStringSubmatch(code.text); inGroup != nil {
		s.executed(value{labels: out.labels & unread})
		s.execute(value{text: inGroup[1], open: code.open}, nil)
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
	return value{text: out.text, open: true, labels: out.labels}
}

// sedStarts is the command e of sed, alone, behind an address or in a group: 3e COMMAND, /x/{e COMMAND.
var sedStarts = pattern.New(`(?:^|[;{\n]\s*|^[\d$,!]+\s*|^/[^/]*/\s*)e(?:\s+([^}\n]*)|\s*$)`)

// sedRuns returns what a substitution with the flag e runs.
func sedRuns(code string) (command string, runs bool) {
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
		s.executed(value{labels: s.codeOf(file).labels})
	}
	text, printed := "", ""
	if !ok && len(words) > 0 {
		code := words[0]
		for i, a := range c.args {
			if name, given, is := strings.Cut(a.text, "="); is && i > 0 && c.args[i-1].text == "-v" {
				code.text = substituteName(code.text, name, given)
			}
		}
		if inAwk.MatchString(code.text) {
			for _, found := range awkConstant.FindAllStringSubmatch(code.text, mostConstants) {
				code.text = substituteWord(code.text, found[1], found[2])
			}
		}
		for _, found := range awkGetline.FindAllStringSubmatch(code.text, 5) {
			if printed := s.spawn(found[1]); strings.Contains(code.text, "system("+found[2]) {
				printed.labels |= rewritten
				s.execute(printed, nil)
			}
		}
		if awkRunsLine.MatchString(code.text) && s.stdin.hasText() {
			s.execute(s.stdin, nil)
		}
		s.scan("awk", code)
		printed = words[0].text
		text, words = printedBy(words[0].text), words[1:]
	}
	out := s.stdin
	for _, file := range words {
		out = joined(out, s.read(file))
	}
	for _, found := range awkWrites.FindAllStringSubmatch(printed, 5) {
		s.write(known(found[1]), unknown(out.labels))
	}
	if awkRunsInput.MatchString(printed) {
		s.executed(value{labels: out.labels & unread})
	}
	if awkAssembles.MatchString(printed) {
		out.labels |= decoded
	}
	if awkEnviron.MatchString(printed) {
		out.labels |= secret
	}
	if text == "" && (strings.Contains(printed, "BEGIN") || s.stdin.hasText()) {
		out.labels |= rewritten
	}
	return value{text: text, open: true, labels: out.labels}
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
	// awkRunsInput runs fields of the input, or prints to a shell.
	awkRunsInput = pattern.New(`\bsystem\s*\([^")]*\$\d|\$\d\s*\|\s*getline|\|&?\s*"(?:/bin/)?(?:ba|z|da|k)?sh\b|^\s*\{\s*system\(\s*\$`)
	awkConstant  = pattern.New(`\b([A-Za-z_]\w*)\s*=\s*"([^"\\]*)"`)
	awkGetline   = pattern.New(`"([^"]+)"\s*\|\s*getline\s+(\w+)`)
	awkRunsLine  = pattern.New(`system\(\s*\$0\s*\)`)
	awkWrites    = pattern.New(`\bprint[^;{}]*>>?\s*"([^"]+)"`)
	awkAssembles = pattern.New(`printf\s*\(?\s*"[^"]*%c`)
	awkEnviron   = pattern.New(`\bin\s+ENVIRON\b`)
)

func grep(s *state, c *call) value {
	words := c.words("efmABCgt", "--regexp", "--file", "--include", "--exclude", "--glob", "--type", "--context", "--exclude-dir")
	search, ok := c.option("-e", "--regexp")
	if !ok && len(words) > 0 {
		search, words = words[0], words[1:]
	}
	out := s.stdin
	for _, file := range words {
		out = joined(out, s.read(file))
	}
	if c.has("-o", "--only-matching") && !out.open && len(out.text) < 2000 && len(search.text) < 200 {
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
		if secretPattern.MatchString(search.text) || slices.ContainsFunc(words, func(w value) bool { return holdsSecrets(s.absolute(w.text)) }) {
			out.labels |= secret
		}
	}
	return value{text: out.text, open: true, labels: out.labels}
}

var secretPattern = pattern.New(`(?i)secret|passw|api.?key|token|AKIA|BEGIN.*PRIVATE|credential`)

func su(s *state, c *call) value {
	s.effects.Privileged = true
	if code, ok := c.option("-c", "--command"); ok {
		return s.execute(code, nil)
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
		return s.execute(s.stdin, nil)
	}
	return unknown(0)
}

// multiplexer are tmux and screen: an argument that is a command line runs in a window.
func multiplexer(s *state, c *call) value {
	for _, a := range c.words("tncxyFSLfspeE") {
		if strings.Contains(strings.TrimSpace(a.text), " ") {
			s.execute(a, nil)
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
				s.execute(c.args[i], nil)
			}
		case with && slices.Contains(program.texts, key):
			s.execute(value{text: given, open: c.args[i].open, labels: c.args[i].labels}, nil)
		case strings.HasPrefix(text, "--"):
			if slices.Contains(program.long, text) {
				i++
			}
		case strings.HasPrefix(text, "-") && len(text) > 1:
			if strings.IndexByte(program.valued, text[len(text)-1]) >= 0 {
				i++
			}
		case program.each:
			s.execute(c.args[i], nil)
		default:
			command = c.args[i:]
			i = len(c.args)
		}
	}
	switch {
	case len(command) == 0:
	case program.each:
		for _, word := range command {
			s.execute(word, nil)
		}
	case program.shell:
		return s.execute(joinedArgs(command), nil)
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
	ruby, run := strings.HasSuffix(c.name, "rails"), other
	if ruby {
		run = remote
	}
	out := run(s, c)
	words := c.words("e")
	switch {
	case len(words) == 0:
	case ruby && (words[0].text == "runner" || words[0].text == "r") && len(words) > 1:
		out.labels |= s.scan("ruby", words[1])
	case !ruby && strings.HasPrefix(words[0].text, "shell"):
		if code, ok := c.option("-c", "--command"); ok {
			out.labels |= s.scan("python3", code)
		}
	}
	return out
}

// pager is a program that shows files and runs the commands that it is told to: +!COMMAND.
func pager(s *state, c *call) value {
	for _, a := range c.args {
		if command, ok := strings.CutPrefix(a.text, "+"); ok {
			if _, command, ok = strings.Cut(command, "!"); ok {
				s.execute(value{text: command, open: a.open, labels: a.labels}, nil)
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
		sub.source(code)
	}
	return unknown(0)
}

// ztcp is zsh's connection to another machine, whose descriptor it leaves in REPLY.
func ztcp(s *state, c *call) value {
	if words := c.words("d"); len(words) > 0 {
		s.contact(words[0].text)
	}
	s.vars["REPLY"] = []value{known(s.open(endpoint{network: true}))}
	return value{}
}

func telnetd(s *state, c *call) value {
	if program, ok := c.option("-l", "-E", "-L"); ok {
		s.served(program)
	}
	return unknown(0)
}

// endlessOutput prints without end.
func endlessOutput(_ *state, c *call) value {
	return value{text: joinedArgs(c.args).text + "\n", open: true, labels: endlessData}
}

func getent(s *state, c *call) value {
	if words := c.words("s"); len(words) > 0 && strings.HasSuffix(words[0].text, "shadow") {
		return secrets(s, c)
	}
	if words := c.words("s"); len(words) > 1 && words[0].text == "passwd" { // its sixth field is a home
		return value{text: words[1].text + ":x:1000:1000::~:/bin/sh\n", open: true}
	}
	return unknown(0)
}

// vaults are password managers, of which only some operations print secrets.
func vaults(s *state, c *call) value {
	if words := c.words(""); len(words) > 1 && (words[0].text == "get" || words[0].text == "show" || words[0].text == "export") {
		return secrets(s, c)
	}
	return unknown(0)
}

func trap(s *state, c *call) value {
	if words := c.words("lp"); len(words) > 1 {
		sub := s.child()
		sub.maybe++
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
			s.replaces(name, body, true)
			s.functions[name], s.named[name] = body, true
		}
	}
	return value{}
}

// abbreviate is abbr of fish: abbr -a NAME COMMAND.
func abbreviate(s *state, c *call) value {
	if words := c.words("pfc"); len(words) > 1 {
		s.replaces(words[0].text, aliasBody(joinedArgs(words[1:]).text), true)
	}
	return value{}
}

// hash may give a name to another program.
func hash(s *state, c *call) value {
	if file, ok := c.option("-p"); ok {
		words := c.words("p")
		if stmts, parsed := parse(quote(file.text) + ` "$@"`); parsed && len(words) > 0 && len(stmts) == 1 {
			s.replaces(words[0].text, stmts[0], true)
			s.functions[words[0].text], s.named[words[0].text] = stmts[0], true
		}
	}
	return value{}
}

// enable may load a builtin from a file.
func enable(s *state, c *call) value {
	if file, ok := c.option("-f"); ok {
		s.executed(value{labels: s.codeOf(file).labels & unread})
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
		s.executed(value{labels: s.stdin.labels})
		for _, file := range c.words("u") {
			s.executed(value{labels: s.codeOf(file).labels})
		}
		for _, line := range strings.Split(s.stdin.text, "\n") {
			s.execute(known(scheduled(line, 5)), nil)
		}
	}
	return unknown(0)
}

// scheduled is the command in a line of a table for cron, in which so many words come before it.
func scheduled(line string, before int) string {
	fields := strings.Fields(line)
	if len(fields) > 1 && strings.HasPrefix(fields[0], "@") {
		before -= 4
	}
	if len(fields) <= before || strings.HasPrefix(line, "#") {
		return ""
	}
	return strings.Join(fields[before:], " ")
}

func at(s *state, c *call) value {
	if s.hasStdin {
		return s.execute(s.stdin, nil)
	}
	return unknown(0)
}

// security is the keychain of macOS.
func security(s *state, c *call) value {
	if len(c.args) > 0 && (strings.HasPrefix(c.args[0].text, "dump-") || strings.HasPrefix(c.args[0].text, "find-") && c.has("-w", "-g") || strings.HasPrefix(c.args[0].text, "export")) {
		return secrets(s, c)
	}
	return unknown(0)
}

// secrets are programs that print secrets.
func secrets(s *state, c *call) value {
	add(&s.effects.ReadsOf, Credentials)
	return unknown(secret)
}

func opSecrets(s *state, c *call) value {
	if len(c.args) > 0 && (c.args[0].text == "read" || c.args[0].text == "item") {
		return secrets(s, c)
	}
	return wrap(s, c)
}

// splitFile writes parts of a file under names that begin with a prefix.
func splitFile(s *state, c *call) value {
	words := c.words("bnlaCt", "--bytes", "--lines", "--number", "--suffix-length")
	content, prefix := s.stdin, "x"
	if len(words) > 0 && words[0].text != "-" {
		content = unknown(s.packed(words[0]))
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
	} else if name := cmp.Or(clustered(c, 'F'), clustered(c, 'O')); name != "" {
		s.write(known(name), out)
	}
	if words := c.words("HFOsx"); c.has("-p", "--pass-through") && len(words) > 0 {
		s.write(words[len(words)-1], out)
	}
	return out
}

func gpg(s *state, c *call) value {
	if slices.ContainsFunc(c.args, func(a value) bool { return strings.HasPrefix(a.text, "--export-secret") }) {
		return secrets(s, c)
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
	return other(s, c)
}

// editorPrefix are words before a command of vim that change how it runs: silent !COMMAND.
var editorPrefix = pattern.New(`^(?:(?:sil(?:ent)?!?|bufdo|argdo|windo|tabdo|noautocmd|exe(?:cute)?|keepalt|vert(?:ical)?|bel(?:owright)?|r(?:ead)?|ter(?:minal)?)[\s"']*)+`)

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
			code = editorPrefix.ReplaceAllString(strings.TrimLeft(code, ":%"), "")
			if address, ok := strings.CutPrefix(code, "source "); ok && strings.Contains(address, "://") {
				s.executed(value{labels: network})
			}
			if !strings.HasPrefix(code, "!") {
				if strings.Contains(code, "system") || strings.Contains(code, "execute") || strings.HasPrefix(code, "py") || strings.HasPrefix(code, "lua") || strings.HasPrefix(code, "perl") || strings.HasPrefix(code, "ruby") {
					s.scan("vim", value{text: code, open: c.args[min(i+1, len(c.args)-1)].open})
				}
				if _, command, ok := strings.Cut(code, "w !"); ok {
					sub := s.child()
					for _, file := range c.words("cSs") {
						sub.stdin.labels |= s.content(file).labels
					}
					sub.hasStdin = true
					sub.execute(known(command), nil)
				}
				continue
			}
			code = code[1:]
		} else if (a.text == "--eval" || a.text == "-eval") && i+1 < len(c.args) {
			s.scan("emacs", c.args[i+1])
			continue
		} else if c.name == "nvim" && a.text == "-l" && i+1 < len(c.args) {
			s.scan("lua", s.codeOf(c.args[i+1]))
			continue
		} else if c.name == "emacs" && (a.text == "-l" || a.text == "--load" || a.text == "--script") && i+1 < len(c.args) {
			s.executed(value{labels: s.codeOf(c.args[i+1]).labels & unread})
			continue
		} else {
			continue
		}
		s.execute(known(code), nil)
	}
	if c.name == "ed" || c.name == "ex" {
		for line := range strings.Lines(s.stdin.text) {
			if command, ok := strings.CutPrefix(line, "!"); ok {
				s.execute(known(command), nil)
			}
			if saves := strings.TrimSpace(line); saves == "w" || saves == "wq" || saves == "x" || saves == "wq!" {
				for _, file := range c.words("pc") {
					s.write(file, value{open: true})
				}
			}
		}
	}
	return other(s, c)
}

func script(s *state, c *call) value {
	if code := clustered(c, 'c'); code != "" {
		return s.execute(known(code), nil)
	}
	if code, ok := c.option("-c", "--command"); ok {
		return s.execute(code, nil)
	}
	return unknown(0)
}
