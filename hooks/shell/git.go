package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"nomograph/internal/loopback"
	"nomograph/internal/pattern"
)

// secretSettings are parts of the names of git settings with a secret.
var secretSettings = []string{"extraheader", "password", "passwd", "smtppass", "token", "tokens", "secret", "oauthtoken", "accesstoken", "authtoken", "privatetoken", "apitoken"}

// printsSecretSetting reports whether a call of git config reads a setting that holds a secret.
func printsSecretSetting(c *call) bool {
	words := c.words("ft", "--file", "--type", "--blob", "--default")
	reading := len(words) == 1
	for _, a := range c.args {
		switch {
		case strings.HasPrefix(a.text, "--get"):
			reading = true
		case strings.HasPrefix(a.text, "--unset"), a.text == "--name-only", a.text == "--remove-section":
			return false
		}
	}
	if len(words) > 1 && words[0].text == "get" {
		reading, words = true, words[1:]
	}
	return reading && len(words) > 0 && slices.ContainsFunc(strings.FieldsFunc(words[0].text, func(r rune) bool { return !unicode.IsLetter(r) }),
		func(part string) bool { return slices.Contains(secretSettings, strings.ToLower(part)) })
}

// gitProgram notes the git operation with options that rules read: "push --force", "reset --hard".
func gitProgram(s *state, c *call) value {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		option := args[0].text
		args = args[1:]
		if option == "-c" || option == "-C" || option == "--git-dir" || option == "--work-tree" || option == "--namespace" || option == "--config-env" || option == "--attr-source" || option == "--super-prefix" {
			if len(args) == 0 {
				return unknown(0)
			}
			if key, command, ok := strings.Cut(args[0].text, "="); option == "-c" && ok {
				if name, ok := strings.CutPrefix(strings.ToLower(key), "alias."); ok && !strings.HasPrefix(command, "!") {
					for i, a := range args[1:] {
						if a.text == name {
							return s.runText(joinArgs(append([]value{known("git " + command)}, args[i+2:]...)), nil)
						}
					}
				}
				s.gitOption(args[0])
			}
			args = args[1:]
		}
	}
	if len(args) == 0 || slices.ContainsFunc(args[:1], func(a value) bool { return a.text == "help" }) {
		return unknown(0)
	}
	if command, ok := s.gitAliases[args[0].text]; ok && s.step() {
		return s.runText(joinArgs(append([]value{known("git " + command)}, args[1:]...)), nil)
	}
	operation := args[0].text
	for _, a := range args[1:] {
		if strings.Contains(a.text, "://") {
			s.send(value{labels: a.labels & secret})
		}
	}
	rest := &call{name: "git", args: args[1:]}
	if slices.Contains([]string{"checkout", "restore", "rm", "mv"}, operation) && !rest.has("--cached") && !(operation == "restore" && rest.has("--staged", "-S") && !rest.has("--worktree", "-W")) {
		for _, a := range rest.words("bBs") {
			if isAgentSetting(s.absolute(a.text)) {
				add(&s.effects.WritesOf, AgentFiles)
			}
		}
	}
	name := operation
	switch operation {
	case "push":
		if command, ok := rest.option("--receive-pack", "--exec"); ok {
			s.runText(command, nil)
		}
		if s.stagedSecret {
			s.noteFlow("secret to network")
		}
		if s.pushesToOtherServer(rest) {
			add(&s.effects.Git, "push to another server")
		}
		force := rest.has("--mirror") || slices.ContainsFunc(rest.args, func(a value) bool { return len(a.text) > 4 && strings.HasPrefix("--force", a.text) })
		for i, a := range rest.args {
			force = force || a.text == "--force" || strings.HasPrefix(a.text, "--force=") || a.text == "-f" || strings.HasPrefix(a.text, "+") || len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.Contains(a.text, "f") && !strings.HasPrefix(a.text, "-o")
			if (a.text == "--delete" || a.text == "-d") && i+1 < len(rest.args) || strings.HasPrefix(a.text, ":") && len(a.text) > 1 {
				add(&s.effects.Git, "push --delete")
			}
			if isForceWithLease(a.text) || a.text == "--force-if-includes" {
				add(&s.effects.Git, "push --force-with-lease")
			}
			if a.text == "--no-verify" {
				add(&s.effects.Git, "push --no-verify")
			}
			if strings.Contains(a.text, "://") {
				s.noteHost(a.text)
			}
		}
		if s.forcesPushes || rest.has("--prune") {
			force = true
		}
		if force && !isPushDryRun(rest) {
			name = "push --force"
		}
		if lease := slices.IndexFunc(rest.args, func(a value) bool { return isForceWithLease(a.text) }); !force && lease >= 0 && s.pushesSharedBranch(rest, rest.args[lease].text) {
			add(&s.effects.Git, "push --force-with-lease to a shared branch")
		}
	case "reset":
		if slices.ContainsFunc(rest.args, func(a value) bool { return len(a.text) > 2 && strings.HasPrefix("--hard", a.text) }) {
			name = "reset --hard"
		}
	case "clean":
		if (rest.has("-f", "--force") || s.cleansUnasked) && (!rest.has("-n", "--dry-run") || rest.has("--no-dry-run")) {
			name = "clean --force"
		}
	case "read-tree", "checkout-index":
		if rest.has("--reset") && rest.has("-u") || rest.has("-a", "--all") && rest.has("-f", "--force") {
			name = "checkout --discard all"
		}
	case "switch":
		s.noteBranch(rest, "-c", "-C", "--create", "--force-create", "--orphan")
		if rest.has("-f", "--force", "--discard-changes") {
			name = "checkout --discard all"
		}
	case "checkout", "restore":
		if operation == "checkout" {
			s.noteBranch(rest, "-b", "-B", "--orphan")
		}
		paths := slices.ContainsFunc(rest.args, func(a value) bool { return a.text == "." || a.text == "--" })
		if rest.has("-f", "--force") || paths && operation == "checkout" || operation == "restore" && (!rest.has("--staged", "-S") || rest.has("--worktree", "-W")) {
			name = operation + " --discard"
		}
		if slices.ContainsFunc(rest.args, func(a value) bool { return a.text == "." || a.text == ":/" || a.text == "-f" || a.text == "--force" }) && (!rest.has("--staged", "-S") || rest.has("--worktree", "-W")) {
			name = operation + " --discard all"
		}
	case "branch", "tag":
		s.stagedSecret = s.stagedSecret || s.labelsOf(rest)&secret != 0
		if rest.has("-D", "-d", "--delete") {
			name = operation + " --delete"
		}
	case "stash":
		if len(rest.args) > 0 && (rest.args[0].text == "drop" || rest.args[0].text == "clear") {
			name = "stash " + rest.args[0].text
		}
		if len(rest.args) > 0 && rest.args[0].text == "show" && rest.has("-p", "--patch", "-u", "--include-untracked") {
			add(&s.effects.Git, name)
			return unknown(repository)
		}
	case "format-patch":
		if rest.has("--stdout") && !isShortLog(rest) {
			add(&s.effects.Git, name)
			return unknown(repository)
		}
	case "fast-export":
		add(&s.effects.Git, name)
		return unknown(repository)
	case "send-email":
		for _, a := range rest.words("") {
			s.send(value{labels: s.labelsOfFile(a)})
		}
	case "hash-object":
		if rest.has("-w") {
			for _, a := range rest.words("t") {
				s.stagedSecret = s.stagedSecret || s.read(a).labels&secret != 0
			}
		}
	case "notes":
		s.stagedSecret = s.stagedSecret || s.labelsOf(rest)&secret != 0
	case "commit":
		for name, skips := range map[string]string{"HUSKY": "0", "HUSKY_SKIP_HOOKS": "1", "SKIP": "", "LEFTHOOK": "0", "PRE_COMMIT_ALLOW_NO_CONFIG": "1"} {
			if values := s.vars[name]; len(values) > 0 && (skips == "" && values[0].text != "" || values[0].text == skips && skips != "") {
				add(&s.effects.Git, "commit --no-verify")
			}
		}
		s.stagedSecret = s.stagedSecret || s.labelsOf(rest)&secret != 0 // the message contains a secret
		for _, a := range rest.args {
			if a.text == "--amend" {
				add(&s.effects.Git, "commit --amend")
			}
			if a.text == "--no-verify" || a.text == "-n" {
				add(&s.effects.Git, "commit --no-verify")
			}
		}
	case "config":
		if printsSecretSetting(rest) {
			add(&s.effects.Git, name)
			add(&s.effects.ReadsOf, Credentials)
			return unknown(secret)
		}
		words := rest.words("f", "--file", "--type", "--comment", "--value")
		if len(words) > 2 && words[0].text == "set" {
			words = words[1:]
		}
		if len(words) > 1 {
			s.gitSetting(words[0].text, words[1])
		}
		if len(words) > 1 && isCommandSetting(words[0].text) {
			name = "config command"
			if !strings.HasPrefix(strings.ToLower(words[0].text), "alias.") {
				s.runText(words[1], nil)
			}
			if alias, ok := strings.CutPrefix(strings.ToLower(words[0].text), "alias."); ok && !strings.HasPrefix(words[1].text, "!") {
				s.gitAliases[alias] = words[1].text
			}
			if command, ok := strings.CutPrefix(words[1].text, "!"); ok {
				s.runText(value{text: command, incomplete: words[1].incomplete}, nil)
			}
		}
	case "rev-parse":
		add(&s.effects.Git, name)
		switch {
		case rest.has("--git-dir", "--absolute-git-dir", "--git-common-dir"):
			return known(".git\n")
		case rest.after("--git-path").text != "":
			return known(".git/" + rest.after("--git-path").text + "\n")
		case rest.has("--show-toplevel"):
			return known(cmp.Or(s.cwd, ".") + "\n")
		}
		return unknown(0)
	case "filter-branch":
		name = "filter-branch --delete"
		for _, option := range []string{"--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter"} {
			if command, ok := rest.option(option); ok {
				s.runText(command, nil)
			}
		}
	case "log":
		add(&s.effects.Git, name)
		out := unknown(0)
		if printsPatches(rest) {
			if !isShortLog(rest) {
				out.labels |= repository
			}
			for _, a := range rest.words("nSGL") {
				if out.labels |= s.content(a).labels; isEnvironment(s.absolute(a.text)) || isKeyFile(s.absolute(a.text)) {
					s.noteRead(a.text)
				}
			}
		}
		return out
	case "rm":
		if rest.has("-r") && rest.has("-f", "--force") && slices.ContainsFunc(rest.args, func(a value) bool { return a.text == "." || a.text == "*" || a.text == ":/" }) {
			name = "rm --force"
		}
	case "worktree":
		if rest.has("-f", "--force") && len(rest.args) > 0 && rest.args[0].text == "remove" {
			name = "worktree remove --force"
		}
	case "add":
		for _, a := range rest.words("") {
			if full := s.absolute(a.text); isEnvironment(full) || isCredentials(full) || holdsSecretFolder(full) && rest.has("-f", "--force") {
				s.stagedSecret = true
			}
		}
	case "archive", "bundle":
		out := unknown(repository)
		for _, a := range rest.args {
			out.labels |= s.content(a).labels
		}
		if file, ok := rest.option("-o", "--output"); ok {
			s.write(file, out)
		}
		if command, ok := rest.option("--exec"); ok {
			s.runText(command, nil)
		}
		if words := rest.words(""); operation == "bundle" && len(words) > 1 {
			s.write(words[1], out)
		}
		add(&s.effects.Git, name)
		return out
	case "send-pack":
		if rest.has("--force") {
			name = "push --force"
		}
	case "difftool", "mergetool", "grep":
		if command, ok := rest.option("-x", "--extcmd", "-O", "--open-files-in-pager"); ok {
			s.runText(command, nil)
		}
	case "remote":
		if words := rest.words("tm"); len(words) > 2 && (words[0].text == "add" || words[0].text == "set-url") {
			s.gitRemotes[words[1].text] = words[2].text
		} else if len(words) > 2 && words[0].text == "rename" {
			if address, ok := s.gitRemotes[words[1].text]; ok {
				s.gitRemotes[words[2].text] = address
			}
		}
		if rest.has("--mirror=push") || slices.ContainsFunc(rest.args, func(a value) bool { return a.text == "--mirror=push" || a.text == "--mirror" }) {
			s.forcesPushes = true
		}
		for _, a := range rest.args {
			if strings.Contains(a.text, "://") || strings.HasPrefix(a.text, "git@") {
				s.noteHost(strings.Replace(strings.TrimPrefix(a.text, "git@"), ":", "/", strings.Count(a.text, "git@")))
			}
		}
	case "clone", "fetch", "pull", "ls-remote", "submodule":
		options := []string{"--upload-pack", "--exec"}
		if operation == "clone" {
			options = append(options, "-u")
			for i, a := range rest.args {
				if key, given, with := strings.Cut(a.text, "="); with && key == "--config" {
					s.gitOption(value{text: given, incomplete: a.incomplete, labels: a.labels})
				} else if (a.text == "-c" || a.text == "--config") && i+1 < len(rest.args) {
					s.gitOption(rest.args[i+1])
				} else if given, glued := strings.CutPrefix(a.text, "-c"); glued {
					s.gitOption(value{text: given, incomplete: a.incomplete, labels: a.labels})
				}
			}
		}
		if command, ok := rest.option(options...); ok {
			s.runText(command, nil)
		}
		if operation == "submodule" && len(rest.args) > 1 && rest.args[0].text == "foreach" {
			s.runText(joinArgs(slices.DeleteFunc(slices.Clone(rest.args[1:]), func(a value) bool { return a.text == "--recursive" })), nil)
		}
		for _, a := range rest.args {
			if command, ok := strings.CutPrefix(a.text, "ext::"); ok {
				var words []value
				for _, word := range strings.Split(strings.ReplaceAll(command, "% ", "\x01"), " ") {
					words = append(words, known(strings.ReplaceAll(word, "\x01", " ")))
				}
				s.child().run(words)
				s.runText(known(strings.ReplaceAll(command, "% ", " ")), nil)
			}
		}
		for _, a := range rest.args {
			if strings.Contains(a.text, "://") || strings.HasPrefix(a.text, "git@") {
				host, _, _ := strings.Cut(strings.TrimPrefix(a.text, "git@"), ":")
				if strings.Contains(a.text, "://") {
					host = a.text
				}
				s.noteHost(host)
			}
		}
	case "gc", "prune":
		if s.prunesNow || slices.ContainsFunc(rest.args, func(a value) bool {
			key, given, _ := strings.Cut(a.text, "=")
			return (strings.HasPrefix(key, "--p") || strings.HasPrefix(key, "--e")) && slices.Contains([]string{"now", "all", "0"}, given)
		}) {
			name = "gc --prune"
		}
	case "update-ref", "reflog", "filter-repo":
		if rest.has("--analyze") {
			break
		}
		if rest.has("-d") || slices.ContainsFunc(rest.args, func(a value) bool { return a.text == "expire" || a.text == "delete" }) || strings.HasPrefix(operation, "filter") {
			name = operation + " --delete"
		}
	case "rebase", "bisect", "submodule-foreach":
		for i, a := range rest.args {
			if a.text == "run" && operation == "bisect" {
				s.child().run(rest.args[i+1:])
			} else if (a.text == "--exec" || a.text == "-x" || a.text == "run") && i+1 < len(rest.args) {
				s.runText(joinArgs(rest.args[i+1:]), nil)
			}
		}
	case "show", "diff", "cat-file", "blame":
		if rest.has("--no-index") {
			out := unknown(0)
			for _, a := range rest.words("US") {
				out.labels |= s.read(a).labels
			}
			return out
		}
		for _, a := range rest.args {
			_, file, ok := strings.Cut(a.text, ":")
			if ok && !excludesPath(a.text) && len(readPlaces(file)) > 0 {
				add(&s.effects.Reads, file)
				for _, of := range readPlaces(file) {
					add(&s.effects.ReadsOf, of)
				}
				return unknown(secret)
			}
		}
	}
	add(&s.effects.Git, name)
	if strings.HasPrefix(name, "push --") {
		add(&s.effects.Git, "push")
	}
	return unknown(0)
}

// pushValues are the long options of git push that take the next word as their value.
var pushValues = []string{"--push-option", "--repo", "--receive-pack", "--exec", "--recurse-submodules"}

// isPushDryRun reports whether a push has the option --dry-run, and not as the value of another option. Options may be
// abbreviated.
func isPushDryRun(c *call) (dryRun bool) {
	for i := 0; i < len(c.args); i++ {
		text := c.args[i].text
		switch {
		case text == "--":
			return dryRun
		case len(text) > 3 && strings.HasPrefix("--dry-run", text):
			dryRun = true
		case len(text) > 6 && strings.HasPrefix("--no-dry-run", text):
			dryRun = false
		case len(text) > 2 && slices.ContainsFunc(pushValues, func(option string) bool { return strings.HasPrefix(option, text) }):
			i++
		case len(text) > 1 && text[0] == '-' && text[1] != '-':
			flags, option, valued := strings.Cut(text[1:], "o")
			dryRun = dryRun || strings.Contains(flags, "n")
			if valued && option == "" {
				i++
			}
		}
	}
	return dryRun
}

// isForceWithLease reports whether an option, which may be abbreviated, is --force-with-lease.
func isForceWithLease(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	return len(name) > len("--force-") && strings.HasPrefix("--force-with-lease", name)
}

// pushesSharedBranch reports whether a push goes to a shared branch: named as a word or in the lease, or checked out before.
func (s *state) pushesSharedBranch(c *call, lease string) bool {
	_, of, _ := strings.Cut(lease, "=")
	of, _, _ = strings.Cut(of, ":")
	words := c.words("o")
	current := len(words) < 2 || slices.ContainsFunc(words[1:], func(a value) bool { return a.text == "HEAD" || a.text == "@" })
	return protectedBranch(of) || slices.ContainsFunc(c.args, func(a value) bool { return protectedBranch(a.text) }) || current && protectedBranch(s.branch)
}

// noteBranch notes the branch that a call checks out. creating are the options that name a new branch. A call with files
// checks out no branch.
func (s *state) noteBranch(c *call, creating ...string) {
	if branch, ok := c.option(creating...); ok {
		s.branch = branch.text
		return
	}
	words := c.words("")
	if at := slices.IndexFunc(c.args, func(a value) bool { return a.text == "--" }); at >= 0 && at < len(c.args)-1 || len(words) != 1 || c.has("-p", "--patch") {
		return
	}
	if ending := strings.TrimPrefix(path.Ext(words[0].text), "."); words[0].text == "." || ending != "" && !strings.ContainsAny(ending, "0123456789") { // a file
		return
	}
	s.branch = words[0].text
}

// protectedBranch reports whether a word of a push names a shared branch.
func protectedBranch(text string) bool {
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		text = text[at+1:]
	}
	text = strings.TrimPrefix(text, "refs/heads/")
	return slices.Contains([]string{"main", "master", "trunk", "develop", "production", "prod", "stable", "release"}, text) || strings.HasPrefix(text, "release/") || strings.HasPrefix(text, "release-")
}

// gitOption reads a git setting for one call, KEY=VALUE, and runs the command in it.
func (s *state) gitOption(given value) {
	key, text, ok := strings.Cut(given.text, "=")
	if !ok {
		return
	}
	s.gitSetting(key, value{text: text, incomplete: given.incomplete})
	if isCommandSetting(key) {
		s.runText(value{text: strings.TrimPrefix(text, "!"), incomplete: given.incomplete, labels: given.labels}, nil)
	}
}

// gitSetting notes a git setting that makes pushes replace history, or that defines an alias.
func (s *state) gitSetting(given string, v value) {
	key := strings.ToLower(given)
	if base, ok := strings.CutPrefix(key, "url."); ok && (strings.HasSuffix(base, ".insteadof") || strings.HasSuffix(base, ".pushinsteadof")) {
		if from, to := hostOfURL(v.text), hostOfURL(base[:strings.LastIndexByte(base, '.')]); from != to && from != "" && to != "" && !v.incomplete {
			add(&s.effects.Protections, "the servers of git")
		}
	}
	if key == "core.hookspath" && (v.text == "" || v.text == "/dev/null") {
		add(&s.effects.Git, "commit --no-verify")
	}
	if key == "core.hookspath" && (strings.HasPrefix(v.text, "/") || strings.HasPrefix(v.text, "~")) {
		add(&s.effects.Protections, "the hooks of the repository")
	}
	if program, _, _ := strings.Cut(strings.TrimPrefix(v.text, "!"), " "); isCommandSetting(key) && key != "core.hookspath" && !strings.HasPrefix(key, "alias.") && (inOpenFolder(program) || slices.Contains([]string{"sh", "bash", "zsh"}, programName(program))) || key == "init.templatedir" && inOpenFolder(v.text) {
		add(&s.effects.WritesOf, Startup)
	}
	s.cleansUnasked = s.cleansUnasked || key == "clean.requireforce" && (v.text == "no" || v.text == "false" || v.text == "0" || v.text == "off")
	s.prunesNow = s.prunesNow || key == "gc.pruneexpire" && (v.text == "now" || v.text == "all")
	if strings.HasPrefix(key, "remote.") && (strings.HasSuffix(key, ".push") && strings.HasPrefix(v.text, "+") || strings.HasSuffix(key, ".mirror") && v.text == "true") {
		s.forcesPushes = true
	}
	if strings.HasPrefix(key, "remote.") && (strings.HasSuffix(key, ".url") || strings.HasSuffix(key, ".pushurl")) {
		if first, last := strings.IndexByte(given, '.')+1, strings.LastIndexByte(given, '.'); first < last {
			s.gitRemotes[given[first:last]] = v.text // names are case-sensitive
		}
	}
	if name, ok := strings.CutPrefix(key, "alias."); ok && !strings.HasPrefix(v.text, "!") {
		s.gitAliases[name] = v.text
	}
}

// forges are suffixes of host names of well-known git servers.
var forges = []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com", "visualstudio.com", "sr.ht", "heroku.com", "source.developers.google.com", "huggingface.co", "hf.co", "gitee.com", "salsa.debian.org", ".local", ".internal", ".lan"}

// codeCommitPattern matches the git server of an AWS region. Other hosts under amazonaws.com belong to customers.
var codeCommitPattern = pattern.New(`^git-codecommit(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$`)

// pushesToOtherServer reports whether a push goes to an address in the command that is not one of forges.
func (s *state) pushesToOtherServer(c *call) bool {
	to := "origin"
	if named, ok := c.option("--repo"); ok {
		to = named.text
	} else if words := c.words("o", "--receive-pack", "--exec", "--push-option"); len(words) > 0 {
		to = words[0].text
	}
	return s.isOtherServer(to)
}

// isOtherServer reports whether a remote or an address belongs to a server that is not one of forges.
func (s *state) isOtherServer(to string) bool {
	if address, ok := s.gitRemotes[to]; ok {
		to = address
	}
	if !strings.Contains(to, ":") || strings.HasPrefix(to, "file:") || strings.HasPrefix(to, ".") || strings.HasPrefix(to, "/") {
		return false
	}
	host := hostOfURL(to)
	return host != "" && !loopback.Is(host) && !isForge(host)
}

// printsPatches reports whether a call of git log prints what the commits change.
func printsPatches(c *call) bool {
	return c.has("-p", "--patch") || slices.ContainsFunc(c.args, func(a value) bool { return a.text == "-u" || strings.HasPrefix(a.text, "--patch-with-") })
}

// isShortLog reports whether a call of git log prints fewer than 100 commits: -5, -n 5, -n5, --max-count=5.
func isShortLog(c *call) (short bool) {
	for i, a := range c.args {
		text := strings.TrimPrefix(strings.TrimPrefix(a.text, "-n"), "--max-count=")
		if text == a.text {
			text = strings.TrimPrefix(text, "-")
		}
		if (a.text == "-n" || a.text == "--max-count") && i+1 < len(c.args) {
			text = c.args[i+1].text
		}
		if text != a.text && strings.Trim(text, "0123456789") == "" && text != "" {
			short = len(text) < 3
		}
	}
	return short
}

// isForge reports whether a host is one of forges.
func isForge(host string) bool {
	return codeCommitPattern.MatchString(host) || slices.ContainsFunc(forges, func(forge string) bool {
		return host == forge || strings.HasSuffix(host, "."+strings.TrimPrefix(forge, "."))
	})
}

// hostOfURL returns the host of a URL, also of user@HOST:PATH; "" if unknown.
func hostOfURL(text string) string {
	_, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		rest = text
	}
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		rest = rest[:at]
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	inner, bracketed := strings.CutPrefix(rest, "[")
	if bracketed {
		rest, _, _ = strings.Cut(inner, "]")
	} else {
		rest, _, _ = strings.Cut(rest, ":")
	}
	rest = strings.ToLower(strings.TrimSuffix(rest, "."))
	if ip, ok := numericHost(rest); ok && (isURL || bracketed || strings.Contains(rest, ".")) {
		return ip.String()
	}
	if strings.ContainsAny(rest, "$ ") || !strings.Contains(rest, ".") {
		return ""
	}
	return rest
}

// isCommandSetting reports whether a setting of git holds a command.
func isCommandSetting(key string) bool {
	key = strings.ToLower(key)
	return strings.HasPrefix(key, "alias.") || slices.Contains([]string{"core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.hookspath", "core.askpass", "diff.external", "credential.helper", "sequence.editor", "gpg.program", "uploadpack.packobjectshook"}, key) || strings.HasPrefix(key, "filter.") || strings.HasPrefix(key, "pager.") || strings.HasPrefix(key, "remote.") && (strings.HasSuffix(key, ".uploadpack") || strings.HasSuffix(key, ".receivepack"))
}
