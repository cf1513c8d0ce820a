package shell

import (
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/pattern"
)

// commonCommands are commands that people type without checking for an alias.
var commonCommands = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(`ls cd cat echo pwd cp mv rm mkdir rmdir touch ln chmod chown find grep sed awk head tail less more sort diff tar zip unzip gzip
		ps top kill pkill killall sudo su ssh scp rsync curl wget ping git vi vim nano man make df du mount umount whoami id date clear exit history which type source export
		passwd shutdown reboot systemctl service apt apt-get yum dnf brew pip pip3 npm yarn python python3 node docker kubectl terraform aws gpg openssl
		dir del copy move md rd cls sh bash perl ruby php java gcc g++ cc wc uniq cut tr tee xargs stat file dd hostname uname uptime free who last printf sleep time crontab nohup lsof ss netstat ifconfig
		ip traceroute nslookup dig ftp sftp telnet nc iptables useradd usermod groupadd adduser chgrp locate basename dirname realpath md5sum sha256sum screen tmux emacs vimdiff lsblk fdisk mkfs su logout printenv`) {
		names[name] = true
	}
	return names
})

// replacements maps an everyday command to programs with the same purpose, which are harmless aliases of it.
var replacements = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"ls": {"exa", "eza", "lsd", "gls", "colorls", "dir", "tree"}, "dir": {"ls", "gls", "eza"}, "cat": {"bat", "batcat", "gcat", "less", "pygmentize"}, "cd": {"z", "zoxide", "pushd", "__zoxide_z", "cd_func"}, "echo": {"printf", "gecho"},
		"rm": {"trash", "trash-put", "trash-rm", "gio", "rip", "del", "safe-rm", "grm", "gtrash"}, "del": {"rm", "trash"}, "cp": {"rsync", "xcp", "gcp"}, "copy": {"cp"}, "mv": {"gmv"}, "move": {"mv"}, "md": {"mkdir"}, "rd": {"rmdir"}, "cls": {"clear"},
		"find": {"fd", "fdfind", "gfind", "bfs"}, "grep": {"rg", "ggrep", "egrep", "ag", "ugrep", "ack", "zgrep"}, "sed": {"gsed", "sd"}, "awk": {"gawk", "mawk"}, "head": {"ghead"}, "tail": {"gtail"}, "less": {"bat", "moar", "most", "more"}, "more": {"less", "bat"}, "sort": {"gsort"}, "diff": {"colordiff", "delta", "difft", "icdiff", "gdiff", "git"},
		"tar": {"gtar", "bsdtar"}, "gzip": {"pigz"}, "zip": {"7z"}, "unzip": {"7z", "unar"}, "ps": {"procs", "gps"}, "top": {"htop", "btop", "btm", "glances", "gtop", "bashtop"}, "df": {"duf", "dfc", "gdf"}, "du": {"dust", "ncdu", "gdu", "dua"}, "ping": {"gping", "prettyping"},
		"sudo": {"doas"}, "ssh": {"kitty", "mosh", "autossh", "kitten", "TERM"}, "scp": {"rsync"}, "curl": {"curlie", "xh", "curl-impersonate"}, "wget": {"wget2", "aria2c"}, "git": {"hub", "g", "sl", "jj"}, "vi": {"vim", "nvim"}, "vim": {"nvim", "vi", "mvim", "hx"}, "nano": {"micro", "vim", "nvim"}, "nc": {"ncat", "netcat", "nc.openbsd"}, "cc": {"clang", "gcc"}, "gcc": {"clang"}, "g++": {"clang++", "g++"}, "netstat": {"ss"}, "ifconfig": {"ip"}, "emacs": {"emacsclient"}, "telnet": {"nc"}, "traceroute": {"mtr"}, "dig": {"dog", "doggo", "drill"}, "bash": {"zsh", "fish"}, "sh": {"bash", "dash"}, "sha256sum": {"shasum"}, "md5sum": {"md5"}, "free": {"vm_stat"}, "screen": {"tmux"}, "locate": {"mdfind", "plocate"}, "man": {"tldr", "batman"}, "make": {"gmake", "remake", "ninja", "just"},
		"which": {"type", "command", "whence"}, "history": {"fc", "omz_history", "atuin"}, "date": {"gdate"}, "apt": {"apt-get", "nala", "aptitude"}, "apt-get": {"apt", "nala"}, "yum": {"dnf"}, "dnf": {"yum", "dnf5"}, "pip": {"pip3", "python", "python3", "uv"}, "pip3": {"pip", "python3", "python", "uv"}, "npm": {"pnpm", "yarn", "bun"}, "yarn": {"pnpm", "npm", "corepack"},
		"python": {"python3", "ipython", "uv", "pypy", "pypy3"}, "python3": {"python", "ipython", "uv", "pypy3"}, "node": {"nodejs", "bun"}, "docker": {"podman", "nerdctl", "lima", "finch"}, "kubectl": {"kubecolor", "k3s", "microk8s", "minikube", "oc", "k"}, "terraform": {"tofu", "terragrunt"}, "aws": {"awslocal", "aws-vault"}, "openssl": {"libressl"}, "gpg": {"gpg2"}, "mkdir": {"gmkdir"}, "su": {"sudo"},
	}
})

// harmlessBuiltins have no effect on files, machines or networks. A function made of them only disables the command.
var harmlessBuiltins = []string{"echo", "printf", "true", "false", ":", "return", "test", "[", "local", "declare", "command", "builtin", "exit", "shift", "cat", "unalias", "set", "eval", "exec", "type", "which", "clear"}

// noteReplacedCommand notes an everyday command whose name now means another program: alias ls='rm -rf', sudo() { ... | nc HOST; }. A person who
// types it later runs that program. byAlias is false for functions, which scripts and tests also use to disable commands.
func (s *state) noteReplacedCommand(name string, body *syntax.Stmt, byAlias bool) {
	if body == nil || !commonCommands()[name] {
		if byAlias && body != nil {
			s.noteDisguise(name, body)
		}
		return
	}
	same, others := false, []string{}
	syntax.Walk(body, func(n syntax.Node) bool {
		s.steps++
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return s.steps <= maxSteps
		}
		var words []value
		first := call.Args[0].Lit()
		prints := first == "echo" || first == "printf" || s.functions[first] != nil
		for i, word := range call.Args {
			words = append(words, known(word.Lit()))
			same = same || programName(word.Lit()) == name && (i == 0 || !prints) // uv run python, ssh HOST kubectl
		}
		for range 4 { // sudo, env and others run what follows
			w, ok := wrappers[programName(words[0].text)]
			rest, _ := w.wrapped(words[1:])
			if !ok || len(rest) == 0 || words[0].text == name {
				break
			}
			words = rest
		}
		program := programName(words[0].text)
		if words[0].text == "" && slices.Contains([]string{"sudo", "doas", "env", "command", "builtin"}, name) { // "$@"
			program = ""
		}
		same = same || versionOf(name, program) || slices.Contains(replacements()[name], program) || slices.Contains([]string{"sudo", "doas", "env", "command", "builtin"}, name) && program == ""
		if program != name && program != "" {
			others = append(others, program)
		}
		return true
	})
	harms := slices.ContainsFunc(others, func(program string) bool { return !slices.Contains(harmlessBuiltins, program) })
	switch {
	case byAlias && !same && len(others) > 0, !byAlias && !same && harms:
		add(&s.effects.Protections, "the command "+name)
	case same && hidesLines(name, body) && slices.Contains(strings.Fields("ps ls cat netstat ss lsof who last find history crontab top"), name):
		add(&s.effects.Protections, "the command "+name)
	case startsOpenFile(body):
		add(&s.effects.Protections, "the command "+name)
	case !byAlias && !same:
		s.noteStub(name, body)
	case harms || same:
		s.noteHiddenHarm(name, body, byAlias)
	}
}

// versionOf reports whether a program is a version of another, such as gcc-13 and php8.2.
func versionOf(name, program string) bool {
	rest, ok := strings.CutPrefix(program, name)
	return ok && (rest == "" || strings.Trim(rest, "-.0123456789") == "")
}

// noteHiddenHarm notes a replaced command that does its usual work and something harmful.
func (s *state) noteHiddenHarm(name string, body *syntax.Stmt, byAlias bool) {
	trial := newState(s.cwd)
	trial.depth, trial.steps = s.depth+1, s.steps
	trial.args = []value{known("$1")}
	if !trial.step() {
		return
	}
	trial.program([]*syntax.Stmt{body})
	s.steps = trial.steps
	e := trial.effects
	contacts := slices.ContainsFunc(e.Hosts, func(host string) bool { return !strings.Contains(host, "$") }) && name != "curl" && name != "wget"
	removes := len(e.Deletes) > 0 && !slices.Contains([]string{"rm", "rmdir", "mv", "del", "rd"}, name) || slices.Contains(e.DeletesOf, System) || (name == "rm" || name == "del") && byAlias && forcesRemoval(body)
	listens := len(e.Writes) > 0 && slices.Contains([]string{"sudo", "su", "ssh", "passwd", "gpg"}, name) // may record the password that a person types
	copies := slices.Contains(strings.Fields("cat less more head tail vi vim nano ls"), name) && slices.ContainsFunc(e.Writes, inOpenFolder)
	if contacts || removes || listens || copies || len(e.Flows)+len(e.Remote)+len(e.Protections) > 0 || slices.ContainsFunc(e.Git, func(o string) bool { return strings.HasPrefix(o, "push --") }) {
		add(&s.effects.Protections, "the command "+name)
	}
}

// tellingName matches names that let a reader expect a deletion or a shutdown: rmf, cleanup, off.
var tellingName = pattern.New(`(?i)rm|del|trash|remov|unlink|eras|wip|clean|purg|nuk|shred|destroy|kill|stop|off|shut|halt|boot|down|mod|perm|own|burn|flash|format|mk`)

// noteDisguise notes an alias with a harmless name that deletes what the user types after it, or does harm itself: alias ll='rm -rf'.
func (s *state) noteDisguise(name string, body *syntax.Stmt) {
	trial := newState(s.cwd)
	trial.depth, trial.steps = s.depth+1, s.steps
	trial.args = []value{known("$1")}
	if tellingName.MatchString(name) || !trial.step() {
		return
	}
	trial.program([]*syntax.Stmt{body})
	s.steps = trial.steps
	e := trial.effects
	harms := len(e.Flows)+len(e.Remote)+len(e.Protections)+len(e.Resources) > 0 || slices.Contains(e.WritesOf, Device) || slices.Contains(e.DeletesOf, System) || slices.Contains(e.DeletesOf, Home)
	if harms || slices.Contains(e.Deletes, "$1") {
		add(&s.effects.Protections, "the command "+name)
	}
}

// forcesRemoval reports whether rm has options that suppress its questions.
func forcesRemoval(body *syntax.Stmt) (found bool) {
	syntax.Walk(body, func(n syntax.Node) bool {
		if word, ok := n.(*syntax.Word); ok {
			text := word.Lit()
			found = found || strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "r") && strings.Contains(text, "f") || text == "--no-preserve-root"
		}
		return !found
	})
	return found
}

// aliasBody returns the statement of an alias, nil if it cannot be parsed. The shell appends the arguments.
func aliasBody(text string) *syntax.Stmt {
	if stmts, ok := parse(text + ` "$@"`); ok && len(stmts) > 0 {
		if len(stmts) == 1 {
			return stmts[0]
		}
		return &syntax.Stmt{Cmd: &syntax.Block{Stmts: stmts}}
	}
	return nil
}

// programFolders are folders that a shell searches for programs in addition to those of the system.
var programFolders = []string{"/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin", "/opt/bin", "~/bin", "~/.local/bin", "/home/linuxbrew/.linuxbrew/bin"}

// noteProgramFile notes a file with the name of an everyday command in a folder that is searched for programs.
func (s *state) noteProgramFile(full string, data value) {
	name := path.Base(full)
	if !commonCommands()[name] || s.host != "" || !strings.Contains(full, "bin/") && len(s.pathFolders) == 0 {
		return
	}
	if stmts, ok := parse(data.text); ok && !data.incomplete && len(stmts) > 0 {
		if !slices.Contains(programFolders, path.Dir(full)) && !slices.ContainsFunc(s.pathFolders, func(folder string) bool { return s.absolute(folder) == path.Dir(full) }) {
			return
		}
		s.noteReplacedCommand(name, &syntax.Stmt{Cmd: &syntax.Block{Stmts: stmts}}, slices.Contains(programFolders, path.Dir(full)))
		return
	}
	folder := path.Dir(full)
	for _, part := range s.pathFolders {
		if s.absolute(part) == folder {
			add(&s.effects.Protections, "the command "+name)
			return
		}
	}
	if rest, ok := inHome(folder); ok && (rest == "bin" || rest == ".local/bin") || slices.Contains(programFolders, folder) {
		if base := path.Base(s.copiedFrom); s.copiedFrom != "" && !strings.Contains(base, name) && !strings.Contains(name, base) && !slices.Contains(replacements()[name], base) && !strings.Contains(s.copiedFrom, "$(") || !slices.Contains([]string{"docker", "kubectl", "terraform", "aws", "node", "npm", "yarn", "python", "python3", "pip", "pip3", "git", "make", "curl", "wget", "vim", "vi", "openssl", "gpg", "brew"}, name) { // these programs are often installed there
			add(&s.effects.Protections, "the command "+name)
		}
	}
}

// replaceProgram handles update-alternatives, which sets the program that a name starts, and dpkg-divert, which moves a file.
func replaceProgram(s *state, c *call) value {
	words := c.words("")
	if c.name == "dpkg-divert" {
		if c.has("--rename") && !c.has("--remove", "--list", "--listpackage", "--truename") {
			to, _ := c.option("--divert")
			for _, word := range words {
				if word.text != to.text {
					s.remove(word, false)
				}
			}
		}
		return unknown(0)
	}
	var name, file value
	switch {
	case c.has("--install") && len(words) > 2: // LINK NAME PATH PRIORITY
		name, file = known(path.Base(words[0].text)), words[2]
	case c.has("--set") && len(words) > 1:
		name, file = words[0], words[1]
	default:
		return unknown(0)
	}
	full, base := s.absolute(file.text), path.Base(file.text)
	related := strings.Contains(base, name.text) || strings.Contains(name.text, base) || slices.Contains(replacements()[name.text], base)
	installed := slices.ContainsFunc([]string{"/usr/", "/opt/", "/bin/", "/sbin/", "/snap/", "/nix/", "/etc/alternatives/", "/home/linuxbrew/"}, func(folder string) bool { return strings.HasPrefix(full, folder) })
	if inOpenFolder(full) || !related && (!installed || commonCommands()[name.text]) {
		add(&s.effects.Protections, "the command "+name.text)
	}
	return unknown(0)
}

// notePath notes the folders that a new PATH searches first.
func (s *state) notePath(text string) {
	for _, part := range strings.Split(text, ":") {
		if strings.HasPrefix(part, "$PATH") || strings.HasPrefix(part, "/usr/") || strings.HasPrefix(part, "/bin") || part == "" {
			break
		}
		if len(s.pathFolders) < 8 {
			s.pathFolders = append(s.pathFolders, part)
		}
	}
	for file, data := range s.files {
		s.noteProgramFile(file, data)
	}
}
