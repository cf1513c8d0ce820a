package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/pattern"
)

// noteStartFile notes unread text or commands that are written to a shell profile, a git hook or a settings file.
func (s *state) noteStartFile(full string, data value) {
	if s.host != "" || !isHookFile(full) || isStartupFile(full) || isAgentSetting(full) {
		return
	}
	if source := path.Base(s.copiedFrom); s.copiedFrom != "" && strings.TrimLeft(strings.TrimPrefix(source, "dot_"), "._") == strings.TrimLeft(path.Base(full), ".") {
		return // a copy with the same name, as in dotfiles repositories
	}
	switch text := strings.TrimSpace(data.text); {
	case text == "" || len(text) > maxText || hiddenCodePattern.MatchString(text) || strings.HasPrefix(text, "$("):
	case strings.Contains(full, "hooks/"): // git hooks may contain known commands
		return
	case isProfile(full):
		if stmts, ok := parse(text); ok && !slices.ContainsFunc(stmts, func(stmt *syntax.Stmt) bool { return !onlyConfigures(stmt) }) {
			return
		}
	case !settingCommandPattern.MatchString(text):
		return
	}
	add(&s.effects.WritesOf, Startup)
}

// isProfile reports whether a file is read by a shell when it starts.
func isProfile(full string) bool {
	base := path.Base(full)
	return strings.HasSuffix(base, "rc") && base != ".vimrc" && base != ".pythonrc" || strings.HasSuffix(base, ".fish") || strings.Contains(base, "profile") ||
		slices.Contains([]string{".bash_login", ".bash_logout", ".bash_aliases", ".zshenv", ".zlogin", ".zlogout", ".xsession"}, base)
}

// settingCommandPattern matches commands in the settings of other programs.
var settingCommandPattern = pattern.New(`(?i)command|system\(|execute|fsmonitor|hookspath|(?:pager|editor|helper|external|textconv|process|clean|smudge)\s*=|=\s*"?!|!\w|\binclude\b|\bos\.|subprocess|shell|insteadof|/tmp/`)

// setUpPrograms are commands that only change the shell that reads the profile.
var setUpPrograms = []string{"export", "alias", "source", ".", "eval", "[", "test", "set", "shopt", "setopt", "unsetopt", "bindkey", "autoload", "compinit", "bashcompinit", "zstyle", "complete", "compdef", "true", ":", "umask", "ulimit", "stty", "bind", "abbr", "fish_add_path", "zinit", "antigen", "plug", "unset", "unalias", "zmodload", "tput", "dircolors", "brew", "command", "type", "echo", "printf", "tty", "dirname", "basename", "uname", "hostname", "which", "java_home"}

// setUpWords are operations that print shell code for setting up a program.
var setUpWords = []string{"init", "hook", "activate", "env", "completion", "completions", "shellenv", "--alias", "virtualenv-init", "shell-init", "integration", "init-", "prefix", "--prefix", "-v", "-s"}

// onlyConfigures reports whether a statement of a profile only sets variables, names and completions.
func onlyConfigures(stmt *syntax.Stmt) bool {
	only := true
	syntax.Walk(stmt, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.WhileClause:
			only = false
		case *syntax.FuncDecl:
			only = only && n.Name != nil && !commonCommands()[n.Name.Value]
			return false
		case *syntax.Assign:
			only = only && (n.Name == nil || n.Value == nil || !changesPrograms(n.Name.Value, n.Value))
		case *syntax.CallExpr:
			only = only && (len(n.Args) == 0 || onlyConfiguresCall(n))
		case *syntax.Redirect:
			only = only && (n.Word == nil || n.Op != syntax.RdrOut && n.Op != syntax.AppOut || n.Word.Lit() == "/dev/null")
		}
		return only
	})
	return only
}

func onlyConfiguresCall(call *syntax.CallExpr) bool {
	name := programName(call.Args[0].Lit())
	if name == "source" || name == "." {
		if len(call.Args) < 2 {
			return false
		}
		text, _ := fixedText(call.Args[1])
		return !inOpenFolder(text) && !strings.Contains(text, "://")
	}
	return slices.Contains(setUpPrograms, name) || slices.ContainsFunc(call.Args[1:], func(word *syntax.Word) bool { return slices.Contains(setUpWords, word.Lit()) })
}

// changesPrograms reports whether a variable such as PATH names a folder that every user can write.
func changesPrograms(name string, value *syntax.Word) bool {
	text, _ := fixedText(value)
	if text == "" && len(value.Parts) > 0 {
		parts := value.Parts
		if quoted, ok := parts[0].(*syntax.DblQuoted); ok && len(quoted.Parts) > 0 {
			parts = quoted.Parts
		}
		if lit, ok := parts[0].(*syntax.Lit); ok {
			text = lit.Value
		}
	}
	switch {
	case name == "PROMPT_COMMAND", strings.HasPrefix(name, "LD_PRELOAD"), strings.HasPrefix(name, "DYLD_INSERT"), name == "BASH_ENV":
		return true
	case name == "PATH":
		return inOpenFolder(text)
	}
	return false
}

// inOpenFolder reports whether a path is in a folder that every user may write.
func inOpenFolder(text string) bool {
	return slices.ContainsFunc([]string{"/tmp/", "/var/tmp/", "/dev/shm/", "/dev/tcp/"}, func(folder string) bool { return strings.HasPrefix(text, folder) })
}
