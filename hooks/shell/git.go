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

// pushElsewhere in Git means that the repository is sent to a server that is neither known nor a forge.
const pushElsewhere = "push to another server"

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
	return reading && len(words) > 0 &&
		slices.ContainsFunc(strings.FieldsFunc(words[0].text, func(r rune) bool { return !unicode.IsLetter(r) }),
			func(part string) bool { return slices.Contains(commonWords()["settings"], strings.ToLower(part)) })
}

// gitProgram notes the git operation with options that rules read: "push --force", "reset --hard".
func gitProgram(s *state, c *call) value {
	args := s.readGitOptions(c.args)
	if len(args) == 0 || args[0].text == "help" {
		return unknown(0)
	}
	operation, rest := args[0].text, &call{name: "git", args: args[1:]}
	if command, ok := s.gitAliases[operation]; ok && s.step() {
		return s.runText(joinArgs(append([]value{known("git " + command)}, rest.args...)), nil)
	}
	for _, a := range rest.args {
		if strings.Contains(a.text, "://") {
			s.send(value{labels: a.labels & secret})
		}
	}
	name, out := s.gitOperation(operation, rest)
	add(&s.effects.Git, name)
	if strings.HasPrefix(name, "push --") {
		add(&s.effects.Git, "push")
	}
	return out
}

// readGitOptions reads the options before the operation, and returns the other arguments.
func (s *state) readGitOptions(args []value) []value {
	valued := []string{"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env"}
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		option := args[0].text
		args = args[1:]
		if !slices.Contains(valued, option) || len(args) == 0 {
			continue
		}
		if option == "-c" {
			s.gitOption(args[0])
		}
		args = args[1:]
	}
	return args
}

// gitOperation notes the effects of an operation. It returns its name with the options that rules read, and what it
// prints.
func (s *state) gitOperation(operation string, c *call) (name string, out value) {
	if s.discards(operation, c) {
		return discarding[operation], unknown(0)
	}
	name, out = operation, unknown(0)
	switch operation {
	case "push":
		name = s.gitPush(c)
	case "switch", "checkout", "restore":
		name = s.gitCheckout(operation, c)
	case "stash":
		name, out = gitStash(c)
	case "format-patch", "fast-export":
		if operation == "fast-export" || c.has("--stdout") && !isShortLog(c) {
			out = unknown(repository)
		}
	case "send-email":
		for _, a := range c.words("") {
			s.send(value{labels: s.labelsOfFile(a)})
		}
	case "commit":
		s.gitCommit(c)
	case "config":
		name, out = s.gitConfig(c)
	case "rev-parse":
		out = s.gitFolder(c)
	case "log":
		out = s.gitLog(c)
	case "rm", "mv":
		s.noteAgentSettings(c)
	case "add":
		s.gitAdd(c)
	case "archive", "bundle":
		out = s.gitArchive(operation, c)
	case "remote":
		s.gitRemote(c)
	case "clone", "fetch", "pull", "ls-remote", "submodule":
		s.gitTransfer(operation, c)
	case "rebase", "bisect":
		s.runForCommits(c)
	case "show", "diff", "cat-file", "blame":
		out = s.gitShow(c)
	}
	return name, out
}

// discarding maps operations to their name when they discard work.
var discarding = map[string]string{
	"reset": "reset --hard", "clean": "clean --force", "rm": "rm --force", "worktree": "worktree remove --force",
	"read-tree": "checkout --discard all", "checkout-index": "checkout --discard all",
	"branch": "branch --delete", "tag": "tag --delete", "gc": "gc --prune", "prune": "gc --prune",
	"update-ref": "update-ref --delete", "reflog": "reflog --delete", "filter-repo": "filter-repo --delete",
	"filter-branch": "filter-branch --delete",
}

// discards reports whether an operation discards work by its options.
func (s *state) discards(operation string, c *call) bool {
	forced := c.has("-f", "--force")
	switch operation {
	case "reset":
		return c.has("--hard")
	case "clean":
		return (forced || s.cleansUnasked) && (!c.has("-n", "--dry-run") || c.has("--no-dry-run"))
	case "read-tree", "checkout-index":
		return c.has("--reset") && c.has("-u") || c.has("-a", "--all") && forced
	case "branch", "tag":
		return c.has("-D", "-d", "--delete")
	case "rm":
		return c.has("-r") && forced && namesEverything(c)
	case "worktree":
		return forced && len(c.args) > 0 && c.args[0].text == "remove"
	case "gc", "prune":
		return s.prunesNow || slices.ContainsFunc(c.args, prunesNow)
	case "update-ref", "reflog":
		return c.has("-d") || c.contains("expire", "delete")
	case "filter-repo", "filter-branch":
		return !c.has("--analyze")
	}
	return false
}

// gitPush notes what a push does besides adding commits, and returns its name.
func (s *state) gitPush(c *call) (name string) {
	if s.stagedSecret {
		s.noteFlow(secretToNetwork)
	}
	if s.pushesToOtherServer(c) {
		add(&s.effects.Git, pushElsewhere)
	}
	force, lease := s.forcesPushes || c.has("-f", "--force", "--mirror", "--prune"), ""
	for i, a := range c.args {
		text := a.text
		switch option, _, _ := strings.Cut(text, "="); {
		case option == "--force", strings.HasPrefix(text, "+"):
			force = true
		case option == "--force-with-lease", option == "--force-if-includes":
			add(&s.effects.Git, "push --force-with-lease")
			lease = text
		case (text == "--delete" || text == "-d") && i+1 < len(c.args), strings.HasPrefix(text, ":") && len(text) > 1:
			add(&s.effects.Git, "push --delete")
		case text == "--no-verify":
			add(&s.effects.Git, "push --no-verify")
		case strings.Contains(text, "://"):
			s.noteHost(text)
		}
	}
	if force && !c.has("-n", "--dry-run") {
		return "push --force"
	}
	if !force && lease != "" && s.pushesSharedBranch(c, lease) {
		add(&s.effects.Git, "push --force-with-lease to a shared branch")
	}
	return "push"
}

// gitCheckout handles git switch, checkout and restore. It returns the name with "--discard" if changes of files are
// lost.
func (s *state) gitCheckout(operation string, c *call) (name string) {
	creating := map[string][]string{"switch": {"-c", "-C", "--create", "--force-create", "--orphan"},
		"checkout": {"-b", "-B", "--orphan"}}[operation]
	if creating != nil {
		s.noteBranch(c, creating...)
	}
	if operation == "switch" {
		if c.has("-f", "--force", "--discard-changes") {
			return "checkout --discard all"
		}
		return operation
	}
	inFolder := !c.has("--staged", "-S") || c.has("--worktree", "-W")
	if !inFolder {
		return operation
	}
	s.noteAgentSettings(c)
	switch {
	case namesEverything(c), c.has("-f", "--force"):
		return operation + " --discard all"
	case operation == "restore", c.contains("--"):
		return operation + " --discard"
	}
	return operation
}

// noteAgentSettings notes settings of agents that git replaces or removes.
func (s *state) noteAgentSettings(c *call) {
	if c.has("--cached") {
		return
	}
	for _, a := range c.words("bBs") {
		if isAgentSetting(s.absolute(a.text)) {
			add(&s.effects.WritesOf, AgentFiles)
		}
	}
}

// namesEverything reports whether the paths of a call are the whole repository.
func namesEverything(c *call) bool {
	return c.contains(".", "*", ":/")
}

func gitStash(c *call) (name string, out value) {
	if len(c.args) == 0 {
		return "stash", unknown(0)
	}
	switch operation := c.args[0].text; {
	case operation == "drop", operation == "clear":
		return "stash " + operation, unknown(0)
	case operation == "show" && c.has("-p", "--patch", "-u", "--include-untracked"):
		return "stash", unknown(repository)
	}
	return "stash", unknown(0)
}

// hookVariables are variables with which a commit skips hooks, and their values; "" stands for any.
var hookVariables = map[string]string{"HUSKY": "0", "HUSKY_SKIP_HOOKS": "1", "SKIP": "", "LEFTHOOK": "0",
	"PRE_COMMIT_ALLOW_NO_CONFIG": "1"}

func (s *state) gitCommit(c *call) {
	for name, skips := range hookVariables {
		if values := s.vars[name]; len(values) > 0 && values[0].text != "" && (skips == "" || values[0].text == skips) {
			add(&s.effects.Git, "commit --no-verify")
		}
	}
	s.stagedSecret = s.stagedSecret || s.labelsOf(c)&secret != 0 // the message contains a secret
	for _, a := range c.args {
		switch a.text {
		case "--amend":
			add(&s.effects.Git, "commit --amend")
		case "--no-verify", "-n":
			add(&s.effects.Git, "commit --no-verify")
		}
	}
}

// gitConfig reads or changes a setting.
func (s *state) gitConfig(c *call) (name string, out value) {
	if printsSecretSetting(c) {
		add(&s.effects.ReadsOf, Credentials)
		return "config", unknown(secret)
	}
	words := c.words("f", "--file", "--type", "--comment", "--value")
	if len(words) > 2 && words[0].text == "set" {
		words = words[1:]
	}
	if len(words) < 2 {
		return "config", unknown(0)
	}
	s.gitSetting(words[0].text, words[1])
	if !isCommandSetting(words[0].text) {
		return "config", unknown(0)
	}
	command, isShell := strings.CutPrefix(words[1].text, "!")
	if isAlias := strings.HasPrefix(strings.ToLower(words[0].text), "alias."); !isAlias || isShell {
		s.runText(words[1].with(command), nil)
	}
	return "config command", unknown(0)
}

// gitFolder returns the path that git rev-parse prints.
func (s *state) gitFolder(c *call) value {
	switch {
	case c.has("--git-dir", "--absolute-git-dir", "--git-common-dir"):
		return known(".git\n")
	case c.after("--git-path").text != "":
		return known(".git/" + c.after("--git-path").text + "\n")
	case c.has("--show-toplevel"):
		return known(cmp.Or(s.cwd, ".") + "\n")
	}
	return unknown(0)
}

func (s *state) gitLog(c *call) value {
	out := unknown(0)
	if !printsPatches(c) {
		return out
	}
	if !isShortLog(c) {
		out.labels |= repository
	}
	for _, a := range c.words("nSGL") {
		if out.labels |= s.content(a).labels; isEnvironment(s.absolute(a.text)) || isKeyFile(s.absolute(a.text)) {
			s.noteRead(a.text)
		}
	}
	return out
}

func (s *state) gitAdd(c *call) {
	for _, a := range c.words("") {
		full := s.absolute(a.text)
		if isEnvironment(full) || isCredentials(full) || holdsSecretFolder(full) && c.has("-f", "--force") {
			s.stagedSecret = true
		}
	}
}

// gitArchive handles git archive and git bundle, which write or print the repository.
func (s *state) gitArchive(operation string, c *call) value {
	out := unknown(repository)
	for _, a := range c.args {
		out.labels |= s.content(a).labels
	}
	if file, ok := c.option("-o", "--output"); ok {
		s.write(file, out)
	}
	if words := c.words(""); operation == "bundle" && len(words) > 1 {
		s.write(words[1], out)
	}
	return out
}

func (s *state) gitRemote(c *call) {
	if words := c.words("tm"); len(words) > 2 {
		switch words[0].text {
		case "add", "set-url":
			s.gitRemotes[words[1].text] = words[2].text
		case "rename":
			if address, ok := s.gitRemotes[words[1].text]; ok {
				s.gitRemotes[words[2].text] = address
			}
		}
	}
	if c.contains("--mirror", "--mirror=push") {
		s.forcesPushes = true
	}
	s.noteServers(c)
}

// gitTransfer handles operations that get commits from a server.
func (s *state) gitTransfer(operation string, c *call) {
	if operation == "submodule" && len(c.args) > 1 && c.args[0].text == "foreach" {
		s.runText(joinArgs(slices.DeleteFunc(slices.Clone(c.args[1:]),
			func(a value) bool { return a.text == "--recursive" })), nil)
	}
	s.noteServers(c)
}

// noteServers notes the hosts of addresses: SCHEME://HOST/PATH and git@HOST:PATH.
func (s *state) noteServers(c *call) {
	for _, a := range c.args {
		if strings.Contains(a.text, "://") {
			s.noteHost(a.text)
		} else if rest, ok := strings.CutPrefix(a.text, "git@"); ok {
			host, _, _ := strings.Cut(rest, ":")
			s.noteHost(host)
		}
	}
}

// prunesNow reports whether an option deletes objects that nothing refers to: --prune=now, --expire=all.
func prunesNow(a value) bool {
	key, given, _ := strings.Cut(a.text, "=")
	return (key == "--prune" || key == "--expire") && isOneOf(given, "now", "all", "0")
}

// runForCommits runs the command of git rebase --exec COMMAND and git bisect run COMMAND.
func (s *state) runForCommits(c *call) {
	for i, a := range c.args {
		switch {
		case i+1 == len(c.args):
		case a.text == "run":
			s.child().run(c.args[i+1:])
		case a.text == "--exec", a.text == "-x":
			s.runText(c.args[i+1], nil)
		}
	}
}

// gitShow handles operations that print files, such as show HEAD:.env and diff --no-index FILE FILE.
func (s *state) gitShow(c *call) value {
	out := unknown(0)
	if c.has("--no-index") {
		for _, a := range c.words("US") {
			out.labels |= s.read(a).labels
		}
		return out
	}
	for _, a := range c.args {
		_, file, ok := strings.Cut(a.text, ":")
		if places := readPlaces(file); ok && !excludesPath(a.text) && len(places) > 0 {
			add(&s.effects.Reads, file)
			add(&s.effects.ReadsOf, places...)
			out.labels |= secret
		}
	}
	return out
}

// pushesSharedBranch reports whether a push goes to a shared branch: named as a word or in the lease, or checked out
// before.
func (s *state) pushesSharedBranch(c *call, lease string) bool {
	_, of, _ := strings.Cut(lease, "=")
	of, _, _ = strings.Cut(of, ":")
	words := c.words("o")
	current := len(words) < 2 ||
		slices.ContainsFunc(words[1:], func(a value) bool { return a.text == "HEAD" || a.text == "@" })
	return protectedBranch(of) || slices.ContainsFunc(c.args, func(a value) bool { return protectedBranch(a.text) }) ||
		current && protectedBranch(s.branch)
}

// noteBranch notes the branch that a call checks out. creating are the options that name a new branch. A call with
// files checks out no branch.
func (s *state) noteBranch(c *call, creating ...string) {
	if branch, ok := c.option(creating...); ok {
		s.branch = branch.text
		return
	}
	words := c.words("")
	if at := slices.IndexFunc(c.args, func(a value) bool { return a.text == "--" }); at >= 0 && at < len(c.args)-1 ||
		len(words) != 1 || c.has("-p", "--patch") {
		return
	}
	// a file
	if ending := strings.TrimPrefix(path.Ext(words[0].text), "."); words[0].text == "." ||
		ending != "" && !strings.ContainsAny(ending, "0123456789") {
		return
	}
	s.branch = words[0].text
}

// protectedBranch reports whether a word of a push names a shared branch.
func protectedBranch(text string) bool {
	text = strings.TrimPrefix(text[strings.LastIndexByte(text, ':')+1:], "refs/heads/")
	return isOneOf(text, "main", "master", "trunk", "develop", "production", "prod", "stable", "release") ||
		strings.HasPrefix(text, "release/") || strings.HasPrefix(text, "release-")
}

// gitOption reads a git setting for one call, KEY=VALUE, and runs the command in it.
func (s *state) gitOption(given value) {
	key, text, ok := strings.Cut(given.text, "=")
	if !ok {
		return
	}
	s.gitSetting(key, value{text: text, incomplete: given.incomplete})
	if isCommandSetting(key) {
		s.runText(given.with(strings.TrimPrefix(text, "!")), nil)
	}
}

// gitSetting notes a git setting that makes pushes replace history, or that defines an alias.
func (s *state) gitSetting(given string, v value) {
	key := strings.ToLower(given)
	section, _, _ := strings.Cut(key, ".")
	name := key[strings.LastIndexByte(key, '.')+1:]
	switch {
	case section == "url" && (name == "insteadof" || name == "pushinsteadof"):
		from, to := hostOfURL(v.text), hostOfURL(strings.TrimSuffix(key[len("url."):], "."+name))
		if from != "" && to != "" && from != to && !v.incomplete {
			add(&s.effects.Protections, "the servers of git")
		}
	case section == "remote":
		s.gitRemoteSetting(given, name, v)
	case section == "alias":
		if !strings.HasPrefix(v.text, "!") {
			s.gitAliases[strings.TrimPrefix(key, "alias.")] = v.text
		}
	case key == "core.hookspath":
		if v.text == "" || v.text == "/dev/null" {
			add(&s.effects.Git, "commit --no-verify")
		}
		if strings.HasPrefix(v.text, "/") || strings.HasPrefix(v.text, "~") {
			add(&s.effects.Protections, "the hooks of the repository")
		}
	case key == "clean.requireforce":
		s.cleansUnasked = s.cleansUnasked || isOneOf(v.text, "no", "false", "0", "off")
	case key == "gc.pruneexpire":
		s.prunesNow = s.prunesNow || v.text == "now" || v.text == "all"
	case isCommandSetting(key), key == "init.templatedir":
		program, _, _ := strings.Cut(strings.TrimPrefix(v.text, "!"), " ")
		if inOpenFolder(program) || isOneOf(programName(program), "sh", "bash", "zsh") {
			add(&s.effects.WritesOf, Startup)
		}
	}
}

// gitRemoteSetting notes the setting remote.REMOTE.NAME, which may change where and how pushes go.
func (s *state) gitRemoteSetting(given, name string, v value) {
	switch {
	case name == "push" && strings.HasPrefix(v.text, "+"), name == "mirror" && v.text == "true":
		s.forcesPushes = true
	case name == "url", name == "pushurl":
		if first, last := strings.IndexByte(given, '.')+1, strings.LastIndexByte(given, '.'); first < last {
			s.gitRemotes[given[first:last]] = v.text // names are case-sensitive
		}
	}
}

// forges are domains of well-known git servers.
var forges = placesByKind["forge"]

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
	if !strings.Contains(to, ":") || strings.HasPrefix(to, "file:") || strings.HasPrefix(to, ".") ||
		strings.HasPrefix(to, "/") {
		return false
	}
	host := hostOfURL(to)
	return host != "" && !loopback.Is(host) && !isForge(host)
}

// printsPatches reports whether a call of git log prints what the commits change.
func printsPatches(c *call) bool {
	return c.has("-p", "--patch") ||
		slices.ContainsFunc(c.args,
			func(a value) bool { return a.text == "-u" || strings.HasPrefix(a.text, "--patch-with-") })
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
	return codeCommitPattern.MatchString(host) || isBelow(host, forges)
}

// authority returns the host of an address and the rest up to the path, such as a port, without a user.
func authority(address string) (host string, isURL bool) {
	_, host, isURL = strings.Cut(address, "://")
	if !isURL {
		host = address
	}
	if at := strings.IndexAny(host, "/?#"); at >= 0 {
		host = host[:at]
	}
	return host[strings.LastIndexByte(host, '@')+1:], isURL
}

// hostOfURL returns the host of a URL, also of user@HOST:PATH; "" if unknown.
func hostOfURL(text string) string {
	rest, isURL := authority(text)
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
	return strings.HasPrefix(key, "alias.") ||
		isOneOf(key, "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.hookspath", "core.askpass",
			"diff.external", "credential.helper", "sequence.editor", "gpg.program", "uploadpack.packobjectshook") ||
		strings.HasPrefix(key, "filter.") || strings.HasPrefix(key, "pager.") ||
		strings.HasPrefix(key, "remote.") &&
			(strings.HasSuffix(key, ".uploadpack") || strings.HasSuffix(key, ".receivepack"))
}
