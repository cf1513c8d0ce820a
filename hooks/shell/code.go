package shell

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"nomograph/internal/pattern"
)

// functionTable lists functions of other languages: see its first lines.
//
//go:embed functions.tsv
var functionTable string

// functions returns an expression for the names of the functions that do something.
func functions(what string) string {
	var names []string
	for line := range strings.Lines(functionTable) {
		if kind, name, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok && kind == what {
			names = append(names, strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, `\w*`))
		}
	}
	return strings.Join(names, "|")
}

// Code of other languages is not parsed. Patterns find its calls: texts in a call that starts programs are
// commands, and texts in a call that deletes are paths.
var (
	literalPattern = pattern.New("`(?:\\\\.|[^`\\\\])*`|\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'|%[xqQ]\\{[^}]*\\}|%[xqQ]\\([^)]*\\)|qx\\{[^}]*\\}|qx\\([^)]*\\)")
	startPattern   = pattern.New(`\b(?:` + functions("starts a program") +
		`|popen\d?|\.execute\(\)|%x)\b|%x[({]|qx[({]|\bsh[ (]+["']|\bsh\(|\$` + "`" +
		`|\b\w+\.(?:call|Popen|check_output|check_call|getoutput|getstatusoutput)\s*\(|\bos:cmd\(|["']\.execute\(\)|\bsys\.process\b|\bopen\s*\(?[^;\n]*(?:\|\s*["']|["']\s*\|)`)
	deletePattern  = pattern.New(`\b(?:` + functions("deletes") + `|FileUtils\.\w*rm\w*|File\.rm_rf!?)\s*\(?`)
	removesPattern = pattern.New(`\brm\b`)
	removesMember  = pattern.New(`[\w)\]]\s*\[\s*['"]rm['"]\s*\]`) // fs['rm']
	readPattern    = pattern.New(`\b(?:` + functions("reads") + `)\b`)
	writePattern   = pattern.New(`(?:open\s*\([^)]*,\s*['"][wax]|open\b[^;\n]*['"]\s*\+?>|writeFile\w*|write_text|write_bytes|appendFile\w*|file_put_contents|File\.write|os\.chmod|chmod_R|os\.chown)`)
	sendPattern    = pattern.New(`\b(?:` + functions("sends") +
		`|https?(?:['"]\))?\.(?:request|get|post)|dns\.(?:re|lookup)\w+)|/inet/(?:tcp|udp)/|require\(['"]dns['"]\)|file_get_contents\(\s*['"]https?:`)
	decodePattern = pattern.New(`\b(?:` + functions("decodes") +
		`|unpack1?|Buffer\.from\([^)]*['"](?:base64|base64url|hex))\b`)
	unpackNumberPattern = pattern.New(`\bstruct\.unpack|\bunpack1?\s*\(?\s*["'][HhBbnNvVCcSsLlQqA](?:[\d*]*)["']`)
	runsDecodedPattern  = pattern.New(`\b(?:exec|eval|system|popen|execSync|check_call|check_output|assert|Function|(?:pickle|marshal)\.loads)\s*\(?[^;\n]{0,60}(?:b64decode|b85decode|atob\(|Buffer\.from\(|new Buffer|decode64|base64_decode|decode_base64|fromhex|unpack1?\(|unpack\s*\(|pack\(|gzinflate|str_rot13|decompress|decodeURIComponent|unescape|fromCharCode)`)
	evalPattern         = pattern.New(`\b(?:eval|exec|compile|__import__|Function|vm\.run\w*|instance_eval|assert|create_function|loadstring|load|runpy\.\w+)\s*\(|\beval\b|\bexec\b`)
	// evaluatePattern matches functions that run a text as code. A method such as json.load reads it as data.
	evaluatePattern     = pattern.New(`(?:^|[^.\w])(?:eval|exec|compile|Function|load|loadstring|create_function|assert)\s*\(|builtins\.exec|\binstance_eval\b|\bvm\.run|\brunIn(?:New|This)?Context\(|\beval\s+[\w$&({]`)
	assertPattern       = pattern.New(`\bassert(\s*\()`)
	runsInputPattern    = pattern.New(`(?i)\b(?:eval|exec|system)\s*\(?\s*(?:compile\(\s*)?(?:\w+\.)*(?:stdin|gets|<>)`)
	includePattern      = pattern.New(`(?i)(?:^|[^.\w])(?:include|require|include_once|require_once|source|loadfile|dofile|load)\b[^;\n]{0,60}(?:https?://|download\()`)
	loginItemPattern    = pattern.New(`(?i)\bmake\s+(?:new\s+)?login item\b`)
	runsVariablePattern = pattern.New(`(?:system|exec|popen|spawn|eval|execSync|check_output|getoutput|qx|run|Popen)\s*[\(\$ ]\s*[\$a-zA-Z_]`)
	receivesPattern     = pattern.New(`while[\s\S]*(?:recv|gets|<>)|recv[\s\S]*while|loop[\s\S]*recv`)
	// joinsPathPattern and belowFolderPattern match code that joins parts of a path.
	joinsPathPattern    = pattern.New(`join\(|\) / |\)/`)
	belowFolderPattern  = pattern.New(`path\.join|join\(|home\(\) /|/ ['"]|\+`)
	fetchedEvalPattern  = pattern.New(`\.then\(\s*(?:eval|Function|exec)\b`)
	forkPattern         = pattern.New(`(?:while|for|loop|until)[^\n;]*[\s\S]{0,80}\b(?:pcntl_)?fork\b|\bfork\b\s+(?:while|until)|fork\s*\([^)]*\)[\s\S]{0,40}\bwhile\b`)
	endlessStartPattern = pattern.New(`\b(?:while|loop)\b\s*\(?\s*(?:True|true|1|do\b|\{)[\s\S]{0,80}\b(?:Popen|spawn|Thread|fork|Process|execFile|os\.execute|io\.popen)\b`)
	pausePattern        = pattern.New(`\b(?:wait|sleep|join|break|communicate|await|recv|accept|input|readline|get)\b`)
	adjacentTextPattern = pattern.New(`"\s+"`)
	httpDeletePattern   = pattern.New(`(?i)(?:\.delete\s*\(\s*f?['"]https?:|method['"]?\s*[:=]\s*['"]delete['"]|request\(\s*['"]DELETE|CURLOPT_CUSTOMREQUEST[^;]*DELETE|Net::HTTP::Delete|\b(?:delete_bucket|terminate_instances|delete_table|delete_object\w*|delete_db_instance|delete_stack|delete_function|delete_cluster|delete_repository|drop_database|drop_collection|delete_index)\s*\(|\.all\(\)\.delete\(\))`)
	downloadPattern     = pattern.New(`(?i)urlretrieve|downloadfile|\bget_?store\b|getstore|wget\.download`)
	runsFilePattern     = pattern.New(`\brunpy\.run_path|\bexecfile\(|\bexec\(\s*(?:compile\(\s*)?open\(|\bdofile\b|\bimportlib\b|\beval\s*\(?\s*(?:File\.read|file_get_contents|require|fs\.readFileSync|open)`)
	// elsewhere than in JavaScript
	includesPattern = pattern.New(`\b(?:load|do|include|include_once|require|require_once)\b\s*\(?\s*['"]`)
	// wholeDataPattern matches calls that delete a whole database.
	wholeDataPattern   = pattern.New(`\.(?:flushall|flushdb|FlushAll|dropDatabase|drop_all|dropAllTables)\s*\(|\bdropDatabase\s*\(`)
	writtenFilePattern = pattern.New(`\b(?:open|Path|writeFile\w*|File\.(?:bin)?write|file_put_contents)\s*\(\s*("[^"\n]+"|'[^'\n]+')`)
	homeCallPattern    = pattern.New(`(?i)expanduser\(\s*['"]~['"]|Path\.home\(\)|homedir\(\)|Dir\.home|environ(?:\.get)?[\[(]\s*['"]HOME['"]|ENV\[['"]HOME['"]\]|process\.env\.HOME\b|\$ENV\{HOME\}|getenv\(['"]HOME['"]\)|process\.env\[['"]HOME['"]\]|(?:ENV\.fetch|Deno\.env\.get)\(['"]HOME['"]\)|File\.expand_path\(['"]~['"]\)`)
	forkLoopPattern    = pattern.New(`(?s)(?:for\s*\(\s*;\s*;|while\s*\(\s*1|setInterval|\{[^}]*\bredo\b|iter\(int).*(?:spawn|fork|exec|Popen|system)|(?:fork|spawn)[^}]*\bredo\b|fork\(\)\s+for\s+_`)
	plusJoinPattern    = pattern.New(`'\s*\+\s*'|"\s*\+\s*"`)
	executePattern     = pattern.New(`["'\])]\s*\.execute\(`) // execute of a text or a list in Groovy
	awkStartPattern    = pattern.New(`\bsystem\s*\(|\|&?\s*(?:getline|"|ARGV\[|ENVIRON\[)`)
	// cloudSecretPattern matches environment variables that no program sends in clear text.
	cloudSecretPattern = pattern.New(`(?:environ|getenv|env|ENV)\W{1,6}(?:get\W{1,3})?(?:AWS_SECRET_ACCESS_KEY|\w*PRIVATE_KEY|KUBECONFIG_DATA)\b`)
	environPattern     = pattern.New(`\bos\.environ(?:\.(?:copy|items)\(\))?\s*[,)]|\bos\.environ\.items\(\)|\bprocess\.env\s*[,)]|\bENV\.(?:to_h|inspect|each|map|sort)|\bgetenv\(\s*\)|\$_ENV\b|%ENV\b`)
	// passedEnvironPattern matches code that passes the environment to a program, or looks for one variable.
	passedEnvironPattern = pattern.New(`['"]\s*(?:not\s+)?in\s+os\.environ\b|[,({]\s*env\s*[:=]\s*[\w.({}\[\s,*]*?(?:os\.environ|process\.env|ENV)\b`)
	spreadEnvironPattern = pattern.New(`\.\.\.process\.env\b`)
	// printsPattern matches a call that prints, with more than an empty text.
	printsPattern        = pattern.New(`(?:\b|\$)(?:p|pp|puts|echo|say|\w*print\w*|console\.\w+|\w*write\w*|stdout|dumps?|var_dump|var_export)\b[( {\[<.]*[\w$@%]`)
	socketPattern        = pattern.New(`\bsocket\b|TCPSocket|fsockopen|net['"]?\)?\.(?:connect|Socket|createConnection)|require\(['"]net['"]\)|new\s+\w+\.Socket|/inet/(?:tcp|udp)/|IO::Socket|Socket;`)
	shellPattern         = pattern.New(`/bin/(?:ba|z|da|k|a)?sh\b|pty\.spawn|['"](?:ba|z)?sh(?: -i\b|['"])|cmd\.exe|powershell`)
	shellRedirectPattern = pattern.New(`dup2|subprocess|exec|spawn|STDIN|fdopen|proc_open|popen|pipe\(|\bsh -i`)
)

var javaScript = map[string]bool{"node": true, "nodejs": true, "deno": true, "bun": true, "tsx": true, "ts-node": true}

// scanCode reads code of another language, and returns the labels of its possible output.
func (s *state) scanCode(language string, code value) label {
	add(&s.effects.Code, language)
	s.noteCode(value{labels: bounded(code).labels})
	if trimmed := strings.TrimSpace(code.text); code.incomplete && hiddenCodePattern.MatchString(trimmed) {
		s.unresolved(HiddenCode)
	}
	if javaScript[language] {
		code.text = withoutMatches(code.text)
	}
	if language == "ipython" {
		s.notebookCells(code.text)
	}
	if language == "perl" || language == "ruby" {
		code.text = listsOfBareWords(code.text)
	}
	written := plusJoinPattern.ReplaceAllString(code.text, "")
	readings := []string{foldTexts(language, written), written} // foldTexts may misread code of this language
	if named := withHome(language, written); named != written {
		readings = append(readings, foldTexts(language, named))
	}
	var out label
	for i, text := range readings {
		if !slices.Contains(readings[:i], text) {
			out |= s.scanText(language, code, text)
		}
	}
	return out
}

var (
	shellCellPattern = pattern.New(`(?s)^\s*%%(?:bash|sh|zsh|system|sx|!|script\s+(?:--?\S+\s+)*(?:ba|z)?sh)[^\n]*\n(.*)`)
	shellLinePattern = pattern.New(`(?m)^\s*(?:[\w, ]+=\s*)?(?:!{1,2}|%(?:system|sx)\s)\s*(\S.*)$`)
)

// notebookCells runs the commands of a notebook: a cell of a shell, and lines that start with "!".
func (s *state) notebookCells(text string) {
	if found := shellCellPattern.FindStringSubmatch(text); found != nil {
		s.runText(known(found[1]), nil)
		return
	}
	for _, found := range shellLinePattern.FindAllStringSubmatch(text, -1) {
		s.runText(known(found[1]), nil)
	}
}

// calls says which kinds of calls a text of code has.
type calls struct {
	starts, deletes, reads, writes, sends, decodes, evaluates bool
	stores                                                    bool // writes what it receives
	runsFiles                                                 bool
}

func callsOf(language, text string) calls {
	k := calls{
		starts:    startsPrograms(language, text),
		reads:     readPattern.MatchString(text),
		writes:    writePattern.MatchString(text),
		sends:     sendPattern.MatchString(text),
		decodes:   decodePattern.MatchString(unpackNumberPattern.ReplaceAllString(text, "")),
		evaluates: evalPattern.MatchString(text),
		runsFiles: runsFilePattern.MatchString(text) || !javaScript[language] && includesPattern.MatchString(text),
	}
	k.deletes = deletePattern.MatchString(text) || callsRemove(language, text, k.starts)
	k.stores = k.sends && k.writes || downloadPattern.MatchString(text)
	return k
}

func startsPrograms(language, text string) bool {
	switch language {
	case "awk":
		return awkStartPattern.MatchString(text)
	case "ruby", "perl", "php":
		return startPattern.MatchString(text) || strings.Contains(text, "`")
	case "groovy":
		return startPattern.MatchString(text) || executePattern.MatchString(text)
	}
	return startPattern.MatchString(text)
}

// scanText scans text for calls. text is the code as written, or after foldTexts computed its texts.
func (s *state) scanText(language string, code value, text string) label {
	if language == "awk" {
		text = adjacentTextPattern.ReplaceAllString(text, "")
	}
	s.steps += len(text) / 64
	if text == "" || len(text) > maxText || !s.step() {
		return code.labels
	}
	if language != "php" { // elsewhere, assert takes no code
		text = assertPattern.ReplaceAllString(text, "is$1")
	}
	k := callsOf(language, text)
	s.noteEvaluation(language, text, k)
	s.noteRemoteCalls(language, text)
	s.noteHarmfulLoops(language, text)
	if k.deletes && deletesHome(text) {
		s.remove(known("~"), true)
	}
	out := code.labels
	if k.decodes { // nobody has read what it prints
		out |= decoded
	}
	if k.sends && (environPattern.MatchString(text) || cloudSecretPattern.MatchString(text)) || printsEnviron(text) {
		out |= secret
	}
	if k.decodes && k.writes {
		for _, found := range writtenFilePattern.FindAllStringSubmatch(text, -1) {
			s.files[s.absolute(textOf(found[1]))] = unknown(decoded)
		}
	}
	for _, quoted := range literalPattern.FindAllString(text, -1) { // maxText limits them
		if !s.step() {
			break
		}
		out |= s.scanLiteral(language, code, text, quoted, k)
	}
	if k.starts { // a list of words is a command, too
		for _, list := range listsOfWords(text) {
			if sub := s.child(); sub.step() {
				sub.run(list)
			}
		}
	}
	if k.sends {
		s.send(value{labels: out | s.stdin.labels&secret})
		out |= network
	}
	return out
}

// noteEvaluation notes data that code evaluates: from the network, decoded, or from its input.
func (s *state) noteEvaluation(language, text string, k calls) {
	if runsDecodedPattern.MatchString(text) {
		s.noteCode(value{labels: decoded})
	}
	if (k.sends || containsAny(text, "://", "download(")) && evaluatesReceived(language, text) {
		s.noteCode(value{labels: network})
	}
	if (k.starts || k.evaluates) && runsInputPattern.MatchString(text) {
		s.noteCode(value{labels: s.stdin.labels & unread})
	}
}

// evaluatesReceived reports whether code that receives data evaluates a text, or includes an address.
func evaluatesReceived(language, text string) bool {
	evaluates := evaluatePattern.MatchString(text) || fetchedEvalPattern.MatchString(text)
	if javaScript[language] { // where exec is often a method of regular expressions
		return evaluates && containsAny(text, "eval", "Function(", "vm.", "Context(")
	}
	return evaluates || language != "ruby" && includePattern.MatchString(text)
}

// containsAny reports whether a text contains one of the parts. It is much faster than a pattern.
func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// noteRemoteCalls notes calls that delete resources or data on other systems.
func (s *state) noteRemoteCalls(language, text string) {
	if found := httpDeletePattern.FindString(text); found != "" && !containsAny(text, "localhost", "127.0.0.1") {
		add(&s.effects.Remote, language+" "+found)
	}
	if strings.Contains(text, "sqlite") {
		return
	}
	if found := wholeDataPattern.FindString(text); found != "" {
		add(&s.effects.Remote, language+" "+found)
	}
	connects := containsAny(text, "create_engine", "session", "connect", "cursor", "query", "Client")
	if connects && containsAny(text, "execute", "query") {
		if found := sqlPattern.FindString(text); found != "" {
			add(&s.effects.Remote, language+" "+strings.TrimSpace(found))
		}
	}
}

// noteHarmfulLoops notes fork bombs, shells that another machine controls, and programs that start at logins.
func (s *state) noteHarmfulLoops(language, text string) {
	if containsAny(text, "fork", "pawn", "exec", "open", "system", "Thread", "Process") {
		starts := forkLoopPattern.MatchString(text) || endlessStartPattern.MatchString(text)
		if forkPattern.MatchString(text) || starts && language != "expect" && !pausePattern.MatchString(text) {
			add(&s.effects.Resources, "fork bomb")
		}
	}
	if socketPattern.MatchString(text) {
		startsShell := shellPattern.MatchString(text) && shellRedirectPattern.MatchString(text)
		if startsShell || runsVariablePattern.MatchString(text) && receivesPattern.MatchString(text) {
			s.noteFlow(networkToShell)
		}
	}
	if language == "osascript" && loginItemPattern.MatchString(text) {
		add(&s.effects.WritesOf, Startup)
	}
}

// deletesHome reports whether code that deletes names the home directory, and not a path below it, or lists its files.
func deletesHome(text string) bool {
	return homeCallPattern.MatchString(text) && !belowFolderPattern.MatchString(text) || walksHome(text)
}

// scanLiteral applies the calls of code to one of its texts: a command, a path, a host or code. It returns the labels
// of what the code reads.
func (s *state) scanLiteral(language string, code value, text, quoted string, k calls) (out label) {
	content := textOf(quoted)
	if content == "" {
		return 0
	}
	if k.starts {
		out |= s.startLiteral(language, content, quoted, k)
	}
	if file := s.files[s.absolute(content)]; k.runsFiles && file.labels&unread != 0 {
		s.noteCode(value{labels: file.labels & unread})
	} else if sub := s.child(); k.runsFiles && file.text != "" && file.text != code.text && sub.step() {
		sub.scanCode(language, file)
	}
	if k.stores && looksLikePath(content) && len(content) < 200 && !isOneOf(content, "w", "wb", "POST", "GET") {
		s.files[s.absolute(content)] = unknown(network)
	}
	isCode := strings.Contains(content, "(") || (language == "perl" || language == "ruby") &&
		strings.Contains(content, " ")
	if k.evaluates && isCode && len(content) < len(text) { // code in code
		s.child().scanCode(language, known(content))
	}
	if len(content) > 300 || strings.Contains(content, "\n") {
		return out
	}
	return out | s.usePath(content, text, k)
}

// startLiteral runs a text that code starts as a command.
func (s *state) startLiteral(language, content, quoted string, k calls) (out label) {
	if language == "perl" { // open(P, "COMMAND|")
		content = strings.Trim(content, "| ")
	}
	template := quoted[0] == '`' && language == "node"
	if len(content) < 2 || template || !strings.ContainsAny(content, " /$") && handlerOf(content) == nil {
		return 0
	}
	gave := s.spawn(content)
	if k.evaluates {
		s.noteCode(value{labels: gave.labels & (network | decoded)})
	}
	return gave.labels & secret
}

// usePath deletes, writes or reads a path that code names, and notes the host of an address.
func (s *state) usePath(content, text string, k calls) (out label) {
	if k.writes {
		content = strings.TrimLeft(content, "+> ")
	}
	full := s.absolute(content)
	if content == "~" && joinsPathPattern.MatchString(text) {
		return 0
	}
	if k.deletes && (strings.ContainsAny(content, "/~.") || content == "*") {
		s.remove(known(content), true)
	}
	if k.writes && content != "" && strings.IndexByte("/~.", content[0]) >= 0 && len(full) > 3 {
		s.write(known(content), unknown(0))
	}
	if k.reads && looksLikePath(content) && (holdsSecrets(full) || s.files[full].labels != 0) &&
		len(strings.Trim(content, "./~")) > 1 {
		out = s.read(known(content)).labels
	}
	if strings.Contains(content, "://") {
		s.noteHost(content)
	}
	return out
}

// printsEnviron reports whether code uses the environment, and prints more than plain texts.
func printsEnviron(text string) bool {
	if !containsAny(text, "env", "ENV") {
		return false
	}
	text = spreadEnvironPattern.ReplaceAllString(text, "process.env,")
	text = passedEnvironPattern.ReplaceAllString(text, "")
	if !environPattern.MatchString(text) {
		return false
	}
	text = literalPattern.ReplaceAllStringFunc(text, func(quoted string) string {
		if strings.ContainsAny(quoted, "${#") { // a variable in the text
			return "x"
		}
		return ""
	})
	return printsPattern.MatchString(text)
}

// callsRemove reports whether code deletes files with rm. print("rm") deletes nothing, and rm in R deletes variables.
func callsRemove(language, text string, starting bool) bool {
	if language == "R" || language == "Rscript" {
		return starting && removesPattern.MatchString(text)
	}
	text = strings.ReplaceAll(text, "Pkg.rm", "")
	return removesPattern.MatchString(text) &&
		(starting || removesMember.MatchString(text) ||
			removesPattern.MatchString(literalPattern.ReplaceAllString(text, "''")))
}

// bareWordsPattern matches a list of words without quotes: qw(rm -rf) in Perl, %w[rm -rf] in Ruby.
var bareWordsPattern = pattern.New(`(?:\bqw\s*|%w)(?:\(([^()]*)\)|\[([^\[\]]*)\]|\{([^{}]*)\}|/([^/]*)/)`)

// listsOfBareWords rewrites lists of words without quotes as lists of texts.
func listsOfBareWords(code string) string {
	if len(code) > maxText {
		return code
	}
	return bareWordsPattern.ReplaceAllStringFunc(code, func(found string) string {
		parts := bareWordsPattern.FindStringSubmatch(found)
		words := strings.Fields(strings.Join(parts[1:], ""))
		for i, word := range words {
			words[i] = "'" + strings.ReplaceAll(word, "'", "") + "'"
		}
		return "[" + strings.Join(words, ",") + "]"
	})
}

func (s *state) spawn(text string) value {
	sub := s.child()
	if !sub.step() {
		return value{}
	}
	if stmts, ok := parse(text); ok {
		return sub.stmts(stmts)
	}
	return value{}
}

var wordListPattern = pattern.New(`\[\s*((?:['"][^'"\n]*['"]\s*,?\s*)+)\]|\(\s*((?:['"][^'"\n]*['"]\s*,\s*)+['"][^'"\n]*['"]\s*)\)|(?:system|exec)\s+((?:['"][^'"\n]*['"]\s*,\s*)+['"][^'"\n]*['"])`)
var nodeListPattern = pattern.New(`(?:spawn|spawnSync|execFile|execFileSync)\(\s*['"]([^'"]+)['"]\s*,\s*\[([^\]]*)\]`)
var spawnListPattern = pattern.New(`spawn\w*\(\s*[\w.]+\s*,\s*['"][^'"]+['"]\s*,\s*((?:['"][^'"\n]*['"]\s*,?\s*)+)\)`)
var commandListPattern = pattern.New(`(?:Command|cmd)\(\s*['"]([^'"]+)['"]\s*,\s*(?:\{\s*args\s*:\s*)?\[([^\]]*)\]`)
var rustListPattern = pattern.New(`Command::new\(\s*["]([^"]+)["]\s*\)[^;]*?\.args\(\s*&?(?:vec!)?\[([^\]]*)\]`)
var wordPattern = pattern.New(`'([^'\n]*)'|"([^"\n]*)"`)

// maxFunctions is the maximum number of calls that are read in code.
const maxFunctions = 20

// listsOfWords returns the commands that code writes as lists of words.
func listsOfWords(text string) (commands [][]value) {
	note := func(list string) {
		var words []value
		for _, word := range wordPattern.FindAllStringSubmatch(list, -1) {
			words = append(words, known(word[1]+word[2]))
		}
		if len(words) > 1 && len(commands) < maxFunctions {
			commands = append(commands, words)
		}
	}
	for _, found := range wordListPattern.FindAllStringSubmatchIndex(text, -1) {
		if found[4] >= 0 { // a list in parentheses counts only as the argument of a call that starts programs
			before := strings.TrimRight(text[:found[0]], "( \t")
			if at := strings.LastIndexAny(before, " \t\n;,=(["); !startPattern.MatchString(before[at+1:] + "(") {
				continue
			}
		}
		for group := 2; group < len(found); group += 2 {
			if found[group] >= 0 {
				note(text[found[group]:found[group+1]])
			}
		}
	}
	if found := spawnListPattern.FindStringSubmatch(text); found != nil {
		note(found[1])
	}
	for _, p := range []*pattern.Pattern{nodeListPattern, commandListPattern, rustListPattern} {
		for _, found := range p.FindAllStringSubmatch(text, maxFunctions) {
			note("'" + found[1] + "'," + found[2])
		}
	}
	return commands
}

func textOf(quoted string) string {
	switch {
	case strings.HasPrefix(quoted, "%"), strings.HasPrefix(quoted, "qx"):
		return strings.TrimSpace(quoted[3 : len(quoted)-1])
	case len(quoted) < 2:
		return ""
	}
	inner := quoted[1 : len(quoted)-1]
	if strings.Contains(inner, `\`) {
		return escapes(inner)
	}
	return inner
}

// walksHome reports whether code lists all files of the home directory.
func walksHome(text string) bool {
	for _, function := range []string{"os.walk(", "os.scandir(", "os.listdir(", "readdirSync(", "Find.find("} {
		_, rest, found := strings.Cut(text, function)
		rest, _, _ = strings.Cut(rest[:min(len(rest), 80)], "))")
		if found && homeCallPattern.MatchString(rest) && !strings.ContainsAny(rest, "/+,") {
			return true
		}
	}
	return false
}

// startsShellPattern matches a command line that ends with a program that reads commands from its input.
var startsShellPattern = pattern.New(`(?:^|[\s/])(?:(?:ba|z|da|k|a|fi|mk|c|tc)?sh|pwsh|powershell|cmd|python3?|perl|ruby|login|su)(?:\.exe)?(?:\s+-[abd-z]+)*\s*$`)

var (
	regexpExecPattern = pattern.New(`(/[a-z]*)\.exec\(`)
	anyExecPattern    = pattern.New(`([\w)\]])\.exec\(`)
)

// withoutMatches replaces calls of the method exec of regular expressions in JavaScript.
func withoutMatches(text string) string {
	if !strings.Contains(text, ".exec(") {
		return text
	}
	text = regexpExecPattern.ReplaceAllString(text, "${1}.match(")
	if !strings.Contains(text, "child_process") {
		text = anyExecPattern.ReplaceAllString(text, "${1}.match(")
	}
	return text
}
