package shell

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/pattern"
)

// label is the origin of data.
type label uint16

const (
	secret      label = 1 << iota // from a file with secrets
	network                       // received from another machine
	decoded                       // decoded by the command, as with base64 -d
	token                         // a token that one program gives to another
	tree                          // names of all files of a folder
	endlessData                   // never ends
	cutOff                        // a part is left out, as the text is longer than maxText
	unpacked                      // was compressed, so that nobody has read it
	fromFile                      // the content of a file that the command has not written
	repository                    // a whole repository, or changes that exist nowhere else
)

// flow is a way of data to a place where it does harm. Rules read its text in Effects.Flows.
type flow string

const (
	secretToNetwork      flow = "secret to network"
	networkToCode        flow = "network to code" // code from another machine runs, and nobody has read it
	decodedToCode        flow = "decoded to code"
	networkToShell       flow = "network to shell"          // another machine controls a shell of this one
	fileToBareConnection flow = "file to a bare connection" // without the rights and logs of a service
)

// value is a text as far as it is known: a word, the content of a file, or the output of a program.
type value struct {
	text       string
	incomplete bool // a part of it is not known
	labels     label
}

// unread are the labels of code that nobody has read completely before it runs.
const unread = network | decoded | cutOff | unpacked

// hasText reports whether a value has literal text besides unknown parts, and no file patterns.
func (v value) hasText() bool {
	if !v.incomplete {
		return v.text != ""
	}
	text := unknownPartPattern.ReplaceAllString(v.text, "")
	return wordCharacterPattern.MatchString(text) && !strings.ContainsAny(text, "$`*?[")
}

// unknownPartPattern matches a variable or a command substitution whose text is unknown.
var unknownPartPattern = pattern.New(`\$\(\.\.\.\)|\$\w+|\$[@*#?!$-]`)

func known(text string) value { return value{text: text} }

// with returns a value with another text and the same origin.
func (v value) with(text string) value {
	return value{text: text, incomplete: v.incomplete, labels: v.labels}
}

func unknown(labels label) value { return value{incomplete: true, labels: labels} }

// endpoint is the target of a file descriptor.
type endpoint struct {
	path    string
	content value
	network bool
	each    bool           // path stands for each file of a folder
	appends bool           // whether data is appended to path
	stmts   []*syntax.Stmt // statements of >(...), which receive the written data
}

// container is the host of a command that runs in a container of this machine.
const container = "container"

// state is the state of a shell while a command is read. All shells of the command share files and effects.
type state struct {
	*shared
	vars          map[string][]value
	arrays        map[string]map[string]value // elements of arrays, by the index as it is written
	execOutput    *endpoint                   // where exec sent standard output
	functions     map[string]*syntax.Stmt
	fds           map[string]endpoint
	args          []value // $1 and following
	leftProject   bool    // the folder is unknown after cd
	stdin         value
	hasStdin      bool
	cwd           string
	folders       []string          // stored by pushd
	mounts        map[string]string // mounted folders: path in the container to path on this machine
	host          string            // other machine on which the command runs
	timeLimited   bool              // the command is stopped after a time
	skipFunctions bool              // the next command is a program, even if a function has the same name
	conditional   int               // number of enclosing branches that might not run
	listDepth     int               // number of preceding && and || in the list
	depth         int
	callStack     []string
}

type shared struct {
	programs         *Programs // rows of packs; nil without
	effects          Effects
	files            map[string]value
	links            map[string]string // new path to old path
	steps            int
	nextFD           int
	running          map[string]int // code by its text, and how often it is being read
	setsVariables    bool           // the words of export or env are being read: export $(cat .env)
	readsEnvironment bool           // the variables of a .env file are set
	toStdout         value          // what programs wrote to /dev/stdout
	// the content of a file with secrets was used, and data of unknown content was sent
	sawSecret, sentIncomplete bool
	forcesPushes              bool // a setting of git makes pushes replace history
	cleansUnasked, prunesNow  bool // settings let git clean and git gc delete without a flag for it
	stagedSecret              bool // a file with secrets is added to the index of git
	// gitAliases are those that the command itself sets up.
	gitAliases    map[string]string
	gitRemotes    map[string]string // addresses of remotes of git that the command sets up, by their name
	branch        string            // the branch that the command has checked out
	projectFolder string            // the folder in which the command starts
	isAlias       map[string]bool   // functions that are aliases: inside of one, its name means the program
}

func newState(cwd string) *state {
	cwd = windowsSpelling(cwd)
	return &state{shared: &shared{running: map[string]int{}, isAlias: map[string]bool{},
		gitAliases: map[string]string{}, gitRemotes: map[string]string{},
		files: map[string]value{}, links: map[string]string{}, nextFD: 60, projectFolder: cwd}, cwd: cwd,
		vars: map[string][]value{"HOME": {known("~")}, "TMPDIR": {known("/tmp")}, "PWD": {known(cwd)},
			"IFS": {known(" \t\n")}, "SHELL": {known("/bin/sh")}, "BASH": {known("/bin/bash")}},
		arrays: map[string]map[string]value{}, functions: map[string]*syntax.Stmt{}, fds: map[string]endpoint{}}
}

// child is a subshell: it shares files and effects, and has its own variables.
func (s *state) child() *state {
	c := *s
	c.vars, c.functions, c.fds = maps.Clone(s.vars), maps.Clone(s.functions), maps.Clone(s.fds)
	c.arrays, c.execOutput = maps.Clone(s.arrays), nil
	c.depth++
	return &c
}

// program runs all statements twice, because a statement may read a file that a later one writes.
func (s *state) program(stmts []*syntax.Stmt) {
	again := s.child()
	again.depth--
	files := len(s.files)
	s.stmts(stmts)
	if len(s.files) > files {
		s.steps /= 2
		again.stmts(stmts)
	}
}

func (s *state) finish() Effects {
	if s.sawSecret && s.sentIncomplete { // the secret may have been sent in a way that was not followed
		s.noteFlow(secretToNetwork)
	}
	if s.steps > maxSteps {
		s.unresolved(TooComplex)
	}
	return s.effects
}

// step counts work and reports whether the limits allow more. Commands deeper than maxDepth are not read, so they are
// too complex.
func (s *state) step() bool {
	s.steps++
	if s.depth > maxDepth {
		s.unresolved(TooComplex)
	}
	return s.steps <= maxSteps && s.depth <= maxDepth
}

// HiddenCode in Unresolved means that the code that runs is the value of an unknown variable.
const HiddenCode = "code in a variable"

// TooComplex in Unresolved means that a limit stopped the analysis of a command.
const TooComplex = "the command is too complex"

var hiddenCodePattern = pattern.New(`^(?:--\s+)?\$+(?:[A-Za-z_]\w*|[1-9@*])(?:\s*;?\s*\$+(?:[A-Za-z_]\w*|[1-9@*]))*\s*;?$`)

func (s *state) unresolved(what string) { add(&s.effects.Unresolved, what) }

func (s *state) noteFlow(f flow) { add(&s.effects.Flows, string(f)) }

// absolute returns a clean path from the root or from "~", if that is known.
func (s *state) absolute(text string) string {
	if file, ok := LocalFile(text); ok && strings.Contains(text, "://") {
		text = file
	}
	if rest, ok := strings.CutPrefix(text, "~$"); ok { // ~$USER
		_, below, found := strings.Cut(rest, "/")
		if text = "~"; found {
			text += "/" + below
		}
	}
	if text == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(text, "~/"); ok && strings.Contains(rest, "..") {
		text = path.Clean("/home/~/" + rest)
		if below, inside := strings.CutPrefix(text, "/home/~"); inside {
			text = "~" + below
		}
	}
	text = windowsSpelling(text)
	if !strings.HasPrefix(text, "/") && text[0] != '~' && text[0] != '$' && s.cwd != "" && !IsWindowsPath(text) &&
		!isRegistryKey(text) {
		text = s.cwd + "/" + text
	}
	return path.Clean(text)
}

// descriptor returns the target of a path such as /dev/fd/3.
func (s *state) descriptor(text string) (endpoint, bool) {
	for _, prefix := range []string{"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"} {
		if number, ok := strings.CutPrefix(text, prefix); ok {
			end, ok := s.fds[number]
			if number == "0" && !ok {
				return endpoint{content: s.stdin}, true
			}
			return end, ok
		}
	}
	if rest, ok := strings.CutPrefix(text, "/proc/"); ok {
		if _, number, of := strings.Cut(rest, "/fd/"); of {
			end, ok := s.fds[number]
			return end, ok
		}
	}
	if host, _ := socketHost(text); host != "" {
		s.noteHost(host)
		return endpoint{path: text, network: true}, true
	}
	return endpoint{}, false
}

// socketHost returns the host and the port of a path that is a connection: /dev/tcp/HOST/PORT.
func socketHost(text string) (host, port string) {
	for _, prefix := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			host, port, _ = strings.Cut(rest, "/")
			return host, port
		}
	}
	return "", ""
}

func (s *state) newDescriptor(content endpoint) string {
	s.nextFD++
	number := strconv.Itoa(s.nextFD)
	s.fds[number] = content
	return number
}

// read returns the content of a file, and notes that it is read.
func (s *state) read(v value) value {
	text := v.text
	if text == "" || text == "-" {
		return s.stdin
	}
	if text == "/dev/stdin" {
		return s.stdin
	}
	if end, ok := s.descriptor(text); ok {
		if end.network {
			return unknown(network | v.labels)
		}
		if end.path != "" && !end.content.incomplete && end.content.text == "" {
			return s.read(known(end.path))
		}
		return end.content
	}
	s.noteRead(text)
	return s.content(v)
}

func (s *state) noteRead(text string) {
	full := s.followFolderLinks(s.absolute(text))
	paths := s.linkedPaths(full)
	for _, read := range slices.Backward(paths) {
		add(&s.effects.Reads, s.withHost(read))
	}
	full = paths[0]
	if outside, ok := s.pathOnHost(full); ok && s.host == container {
		full = outside
	}
	for _, of := range readPlaces(full) {
		if of == Environment && s.setsVariables {
			s.readsEnvironment = true
			continue
		}
		add(&s.effects.ReadsOf, of)
	}
}

// followFolderLinks follows links to folders that the command has made.
func (s *state) followFolderLinks(full string) string {
	for range maxItems {
		to := s.followFolderLink(full)
		if to == full {
			break
		}
		full = to
	}
	return full
}

// followFolderLink follows the link of one folder.
func (s *state) followFolderLink(full string) string {
	if len(s.links) == 0 {
		return full
	}
	for at := strings.LastIndexByte(full, '/'); at > 0; at = strings.LastIndexByte(full[:at], '/') {
		if to, ok := s.links[full[:at]]; ok && !strings.HasPrefix(to+"/", full[:at]+"/") {
			return path.Join(to, full[at:])
		}
	}
	return full
}

// content returns the known content of a file or folder, without noting a read.
func (s *state) content(v value) value {
	full := s.followFolderLinks(s.absolute(v.text))
	if outside, ok := s.pathOnHost(full); ok && s.host == container {
		full = outside
	}
	s.steps += len(s.files) / 8
	full = s.linkedPaths(full)[0]
	content, ok := s.files[full]
	if !ok {
		content = unknown(fromFile)
		if program, ok := strings.CutSuffix(path.Base(full), ".pid"); ok {
			content.text = pidOf + program
		}
	}
	for file, other := range s.files {
		if strings.HasPrefix(file, full+"/") || full == path.Clean(s.cwd) && full != "" &&
			!strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "~") {
			content.labels |= other.labels
			if holdsSecrets(file) {
				content.labels |= secret
			}
		}
	}
	if holdsSecrets(full) {
		content.labels |= secret
	}
	if strings.HasPrefix(full, "/dev/") && !isDevice(full) { // /dev/null has no content of its own
		content.labels &^= fromFile
	}
	if !ok && len(s.files) > 0 { // a folder that something was copied to
		for folder := path.Dir(full); folder != "." && folder != "/" && folder != "~"; folder = path.Dir(folder) {
			content.labels |= s.files[folder].labels
		}
	}
	s.sawSecret = s.sawSecret || content.labels&secret != 0
	content.labels |= v.labels & network
	content.labels &^= tree
	return content
}

// write notes that data replaces the content of a file.
func (s *state) write(target, data value) { s.writeOrAppend(target, data, s.conditional > 0) }

// writeOrAppend notes that data goes to a path. If stays is true, the earlier content remains in front of data.
func (s *state) writeOrAppend(target, data value, stays bool) {
	switch target.text {
	case "", "-", "/dev/null", "/dev/stderr", "/dev/tty":
		return
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		if s.fds["1"].network {
			s.send(data)
		}
		s.toStdout = concat(s.toStdout, value{incomplete: data.incomplete, labels: data.labels})
		return
	}
	if end, ok := s.descriptor(target.text); ok {
		s.writeTo(end, data)
		return
	}
	if target.labels&tree != 0 { // each file of a folder
		s.remove(target, true)
	}
	if data.labels&endlessData != 0 && strings.HasPrefix(s.absolute(target.text), "/") &&
		!strings.HasPrefix(target.text, "/dev/") {
		add(&s.effects.Resources, "endless file")
	}
	full := s.followFolderLinks(s.absolute(target.text))
	s.noteWrite(full, data)
	s.store(full, bounded(data), stays)
}

// noteWrite notes the places of a file that is written, and what its content changes.
func (s *state) noteWrite(full string, data value) {
	add(&s.effects.Writes, s.withHost(full))
	if isDevice(full) {
		add(&s.effects.WritesOf, Device)
	}
	if s.links[full] != "" {
		for _, of := range writePlaces(s.followLinks(full)) {
			if of == System || of == Startup || of == AgentFiles {
				add(&s.effects.WritesOf, of)
			}
		}
	}
	for _, of := range writePlaces(full) {
		if of != Credentials || path.Base(full) != ".npmrc" || !data.hasText() ||
			npmSecretPattern.MatchString(data.text) {
			add(&s.effects.WritesOf, of)
		}
	}
	if slices.Contains(installerSettings, path.Base(full)) {
		if found := registryPattern.FindStringSubmatch(data.text); found != nil && !knownRegistry(found[1]) {
			add(&s.effects.Installs, otherRegistry)
		}
	}
	if beginsWith(full, packageSources) {
		add(&s.effects.Installs, otherRegistry)
	}
	if isHookFile(full) {
		s.noteCode(value{labels: data.labels & (network | decoded | unpacked)})
		s.runLater(full, data)
	}
}

// npmSecretPattern matches settings of npm that may contain a token or a password.
var npmSecretPattern = pattern.New("[$`]|_auth|_password")

// runLater runs the commands of a file that the machine, git or an agent runs without a request.
func (s *state) runLater(full string, data value) {
	if len(data.text) > maxText {
		return
	}
	for line := range strings.Lines(data.text) {
		line = unitCommand(line)
		if strings.HasPrefix(full, "/etc/cron.d/") || full == "/etc/crontab" {
			line = cronCommand(line, 6)
		}
		sub := s.child()
		switch {
		case !sub.step():
			return
		case strings.HasSuffix(full, ".ps1"):
			sub.runDialect(known(line), PowerShell)
		default:
			sub.runHere(known(line))
		}
	}
}

// store stores the content of a file, and of the files that links lead to.
func (s *state) store(full string, data value, stays bool) {
	var written []string
	for {
		written = append(written, full)
		old := s.files[full]
		s.files[full] = value{text: data.text, incomplete: data.incomplete, labels: data.labels | old.labels}
		if stays {
			s.files[full] = concat(old, data)
		}
		next, ok := s.links[full]
		if !ok || slices.Contains(written, next) || !s.step() {
			return
		}
		if end, ok := s.descriptor(next); ok {
			s.writeTo(end, data)
			return
		}
		full = next
	}
}

var registryPattern = pattern.New(`(?i)(?:registry|index-url|index_url|sources?|channels?)\S*\s*[:=]?\s*["']?(https?://[^\s"']+)`)

func (s *state) writeTo(end endpoint, data value) {
	switch {
	case end.network:
		s.send(data)
		host, port := socketHost(end.path)
		s.noteRepositorySent(data, host)
		s.noteFileSent(data, host, port)
	case end.stmts != nil:
		sub := s.child()
		sub.stdin, sub.hasStdin = data, true
		if sub.step() {
			sub.stmts(end.stmts)
		}
	case end.path != "":
		target := known(end.path)
		if end.each {
			target.labels = tree
		}
		s.writeOrAppend(target, data, end.appends || s.conditional > 0)
	}
}

// send notes that data leaves the machine.
func (s *state) send(data value) {
	s.sentIncomplete = s.sentIncomplete || data.incomplete
	if data.labels&(secret|token) != 0 {
		s.noteFlow(secretToNetwork)
	}
}

// doubtVariables marks the value of every variable as uncertain, because an unknown command may have set it.
func (s *state) doubtVariables() {
	for name, values := range s.vars {
		// the command emptied the variable so that a later command sets it
		if len(values) == 1 && values[0] == (value{}) && name != "IFS" {
			delete(s.vars, name)
			continue
		}
		if len(values) < maxAlternatives && (len(values) == 0 || !values[len(values)-1].incomplete) && name != "HOME" &&
			name != "TMPDIR" && name != "PWD" && name != "IFS" {
			s.vars[name] = append(values[:len(values):len(values)], value{text: "$" + name, incomplete: true})
		}
	}
}

// ownFolder returns the folder whose content the command may delete: the working directory if it is a project or a
// site, else the project.
func (s *state) ownFolder() string {
	if s.cwd != s.projectFolder && !isDeployment(s.cwd) &&
		(s.projectFolder == "" || !strings.HasPrefix(s.cwd+"/", s.projectFolder+"/")) {
		return s.projectFolder
	}
	return s.cwd
}

// isProjectHome reports whether a path is the folder in which the command starts, and a home, as in many containers.
func (s *state) isProjectHome(text string) bool {
	full := s.absolute(text)
	rest, ok := inHome(full)
	return ok && rest == "" && full == s.projectFolder
}

// remove notes that a path is deleted, and everything below it if recursive is true.
func (s *state) remove(target value, recursive bool) {
	full := s.followFolderLinks(s.absolute(target.text))
	recursive = recursive || target.labels&tree != 0
	if full == "" {
		return
	}
	if strings.HasSuffix(target.text, "/") { // the folder behind a link, not the link
		full = s.followLinks(full)
	}
	if isAgentSetting(full) && s.host == "" {
		add(&s.effects.DeletesOf, AgentFiles)
	}
	switch base := path.Base(full); {
	case strings.HasSuffix(base, "_history") && strings.HasPrefix(base, ".") && s.host == "":
		add(&s.effects.Protections, "the history of the shell")
	case base == ".husky" && recursive:
		add(&s.effects.Protections, "the hooks of the repository")
	}
	if s.host == container {
		add(&s.effects.Deletes, s.withHost(full))
		if outside, ok := s.pathOnHost(full); ok {
			add(&s.effects.DeletesOf, deletePlaces(outside, recursive, "")...)
		}
		return
	}
	if s.host != "" {
		add(&s.effects.Deletes, s.withHost(full))
		if strings.HasPrefix(full, "/") && !strings.HasPrefix(full, "/tmp/") ||
			len(deletePlaces(full, recursive, "")) > 0 {
			add(&s.effects.DeletesOf, RemoteHost)
		}
		return
	}
	add(&s.effects.Deletes, full)
	if recursive && target.incomplete && target.labels&(fromFile|network) != 0 &&
		strings.HasPrefix(target.text, "$(") && !strings.Contains(target.text, "/") {
		add(&s.effects.DeletesOf, FromList)
	}
	add(&s.effects.DeletesOf, deletePlaces(full, recursive, s.ownFolder())...)
}

// withHost returns a path with the machine that it is on.
func (s *state) withHost(full string) string {
	if s.host != "" {
		return s.host + ":" + full
	}
	return full
}

// noteHost adds a host to Effects.Hosts.
func (s *state) noteHost(host string) {
	s.noteMetadataRequest(host)
	host, _ = authority(host)
	if name, port, ok := strings.Cut(host, ":"); ok && strings.Trim(port, "0123456789") == "" {
		host = name
	}
	add(&s.effects.Hosts, strings.ToLower(host))
}

// runText evaluates a text as a command of a child shell.
func (s *state) runText(code value, args []value) value {
	s.noteCode(code)
	if code.text == "" || len(code.text) > maxText {
		return unknown(code.labels)
	}
	sub := s.child()
	if args != nil {
		sub.args = args
	}
	return sub.runHere(code)
}

// noteCode notes the origin of code that the command runs.
func (s *state) noteCode(code value) {
	if code.labels&network != 0 {
		s.noteFlow(networkToCode)
	}
	if code.labels&(decoded|unpacked) != 0 {
		s.noteFlow(decodedToCode)
	}
	if code.labels&cutOff != 0 || len(code.text) > maxText {
		s.unresolved(TooComplex)
	}
	if code.incomplete {
		s.unresolved("code that is not known")
		if text := strings.TrimSpace(code.text); hiddenCodePattern.MatchString(text) {
			s.unresolved(HiddenCode)
		}
		s.doubtVariables()
	}
}

// maxRunning is the depth to which recursive code is read: each call repeats the work.
const maxRunning = 3

// runHere runs a text in this shell.
func (s *state) runHere(code value) value {
	code.text = strings.ReplaceAll(code.text, fieldMark, " ")
	s.steps += len(code.text) / 64
	if !s.step() {
		return unknown(0)
	}
	if s.running[code.text] >= maxRunning {
		s.unresolved(TooComplex)
		return unknown(code.labels)
	}
	s.running[code.text]++
	defer func() { s.running[code.text]-- }()
	stmts, ok := parse(code.text)
	if !ok {
		s.unresolved("code that cannot be parsed")
		s.stmts(parsePrefix(code.text))
		s.runUnparsed(code.text)
		return unknown(code.labels)
	}
	return s.stmts(stmts)
}
