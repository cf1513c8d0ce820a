package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/pattern"
)

// interpreters are programs that run code, with the options that take it from the next word.
var interpreters = sync.OnceValue(func() map[string][]string { return programsWith("interprets") })

// isPowerShell reports whether a shell is PowerShell.
func isPowerShell(name string) bool { return name == "pwsh" || name == "powershell" }

func shellProgram(s *state, c *call) value {
	networked := s.fds["0"].network || s.fds["1"].network
	for _, name := range []string{"BASH_ENV", "ENV"} {
		if file, ok := s.vars[name]; ok && len(file) > 0 {
			source(s.child(), &call{name: "source", args: file[:1]})
		}
	}
	if prompt, ok := s.vars["PROMPT_COMMAND"]; ok && len(prompt) > 0 {
		s.runText(prompt[0], nil)
	}
	var args []value
	for i := 0; i < len(c.args); i++ {
		text := c.args[i].text
		switch {
		case text == "-O" || text == "+O" || text == "-o" || text == "+o" || text == "--rcfile" || text == "--init-file":
			i++
			if strings.HasPrefix(text, "--") && i < len(c.args) {
				source(s.child(), &call{name: "source", args: c.args[i : i+1]})
			}
		case isPowerShell(c.name) && len(text) > 1 && len(text) < 16 && strings.HasPrefix("-encodedcommand", strings.ToLower(text)) && strings.HasPrefix(strings.ToLower(text), "-e") && strings.ToLower(text) != "-ex" || strings.EqualFold(text, "-enc") || strings.EqualFold(text, "-ec"):
			s.noteCode(value{labels: decoded})
			if i+1 < len(c.args) {
				if code, ok := encodedCommand(c.args[i+1].text); ok {
					return s.runDialect(known(code), PowerShell)
				}
			}
			return unknown(0)
		case c.name == "fish" && (text == "-C" || text == "--init-command" || strings.HasPrefix(text, "--command=") || text == "--command"):
			if _, given, ok := strings.Cut(text, "="); ok {
				s.runText(value{text: given, incomplete: c.args[i].incomplete, labels: c.args[i].labels}, nil)
			} else if i++; i < len(c.args) {
				s.runText(c.args[i], nil)
			}
		case isPowerShell(c.name) && (len(text) > 2 && strings.HasPrefix("-executionpolicy", strings.ToLower(text)) || len(text) > 1 && strings.HasPrefix("-windowstyle", strings.ToLower(text)) || slices.Contains([]string{"-ep", "-version", "-v", "-inputformat", "-outputformat", "-configurationname", "-psconsolefile"}, strings.ToLower(text))):
			i++
		case strings.EqualFold(text, "-Command") || text == "/c" || len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.Contains(text, "c"):
			if i+1 < len(c.args) {
				if c.args[i+1].text == "--" && i+2 < len(c.args) {
					i++
				}
				code := c.args[i+1]
				if iexDownloadPattern.MatchString(joinArgs(c.args).text) {
					s.noteCode(value{labels: network})
				}
				if iexDecodePattern.MatchString(joinArgs(c.args).text) {
					s.noteCode(value{labels: decoded})
				}
				if isPowerShell(c.name) {
					return s.runDialect(joinArgs(c.args[i+1:]), PowerShell)
				}
				rest := []value{}
				if i+3 < len(c.args) {
					rest = c.args[i+3:]
				}
				s = s.child()
				s.depth--
				if i+2 < len(c.args) {
					s.vars["0"] = c.args[i+2 : i+3]
				}
				return s.runText(code, rest)
			}
			return unknown(0)
		case strings.HasPrefix(text, "+") && len(text) > 1:
		case strings.HasPrefix(text, "-") && text != "-" && text != "--":
			if strings.HasSuffix(text, "o") && text[1] != '-' { // -euo pipefail
				i++
			}
		case text == "-" || text == "--":
		default:
			args = c.args[i:]
			i = len(c.args)
		}
	}
	if networked && len(args) == 0 {
		s.noteFlow("network to shell")
	}
	if len(args) == 0 || c.has("-s") && args != nil {
		if s.hasStdin {
			if s.stdin.labels&endlessData != 0 && strings.Contains(s.stdin.text, "&") {
				add(&s.effects.Resources, "fork bomb")
			}
			if isPowerShell(c.name) {
				return s.runDialect(s.stdin, PowerShell)
			}
			return s.runText(s.stdin, args)
		}
		return unknown(0)
	}
	if isPowerShell(c.name) {
		return s.runDialect(joinArgs(args), PowerShell)
	}
	content := s.scriptContent(args[0])
	if content.labels&unread != 0 || content.text != "" && !content.incomplete {
		return s.runText(content, args[1:])
	}
	return unknown(s.stdin.labels)
}

// scriptContent returns the known content of a file that is run. Running a file does not count as reading secrets from it.
func (s *state) scriptContent(file value) value {
	if end, ok := s.descriptor(file.text); ok {
		if end.network {
			return unknown(network)
		}
		if end.path != "" && end.content.text == "" && !end.content.incomplete {
			return s.scriptContent(known(end.path))
		}
		return end.content
	}
	if file.text == "/dev/stdin" {
		return s.stdin
	}
	content := s.content(file)
	content.labels &^= secret
	if strings.Contains(file.text, "://") {
		content.labels |= network
	}
	return content
}

func interpreter(s *state, c *call) value {
	switch c.name {
	case "uv", "poetry", "pipx":
		if words := c.words("pc"); len(words) > 1 && words[0].text == "run" {
			for i, a := range c.args {
				if a.text == "run" {
					return s.run(c.args[i+1:])
				}
			}
		}
		return unknownProgram(s, c)
	}
	out := unknown(s.stdin.labels)
	options := interpreters()[c.name]
	codeGiven := false
	for i := 0; i < len(c.args); i++ {
		text := c.args[i].text
		key, given, with := strings.Cut(text, "=")
		glued := ""
		for _, option := range options {
			if len(option) == 2 && strings.HasPrefix(text, option) && len(text) > 2 && strings.ContainsAny(text, " (;") {
				glued = text[2:]
			}
		}
		switch {
		case glued != "":
			out.labels |= s.scanCode(c.name, value{text: glued, incomplete: c.args[i].incomplete, labels: c.args[i].labels})
			codeGiven = true
		case with && slices.Contains(options, key):
			out.labels |= s.scanCode(c.name, value{text: given, incomplete: c.args[i].incomplete, labels: c.args[i].labels})
			codeGiven = true
		case i+1 < len(c.args) && (slices.Contains(options, text) || len(text) > 2 && text[0] == '-' && text[1] != '-' && len(text) < 8 && len(options) > 0 && (text[len(text)-1] == options[0][1] || c.name == "perl" && text[len(text)-1] == 'E') && options[0][0] == '-'):
			i++
			out.labels |= s.scanCode(c.name, c.args[i])
			if shown := c.args[i].text; javaScript[c.name] && (strings.HasPrefix(text, "-p") || text == "--print") { // prints the value of the last statement
				if end := strings.LastIndexByte(shown, ';') + 1; printsEnviron(shown[:end] + "console.log(" + shown[end:] + ")") {
					out.labels |= secret
				}
			}
			codeGiven = true
		case text == "-run" && c.name == "ruby" && i+2 < len(c.args) && c.args[i+1].text == "-e" && c.args[i+2].text == "httpd":
			return fileServer(s, &call{name: c.name, args: c.args[i+3:]})
		case text == "-run" && c.name == "ruby" && i+2 < len(c.args) && c.args[i+1].text == "-e" && slices.Contains([]string{"cp", "ln", "mv", "rm", "mkdir", "rmdir", "install", "chmod", "touch"}, c.args[i+2].text):
			command := slices.DeleteFunc(slices.Clone(c.args[i+2:]), func(a value) bool { return a.text == "--" })
			return s.child().run(command)
		case text == "-m" && strings.HasPrefix(c.name, "py"):
			if i+1 < len(c.args) && c.args[i+1].text == "http.server" {
				folder := known(cmp.Or(s.cwd, "."))
				if given, ok := c.option("-d", "--directory"); ok {
					folder = given
				}
				s.send(value{labels: s.content(folder).labels & secret})
			}
			if i+1 < len(c.args) && (c.args[i+1].text == "http.server" || c.args[i+1].text == "SimpleHTTPServer") {
				add(&s.effects.Programs, "http.server")
			}
			rest := &call{name: c.name, args: c.args[min(i+2, len(c.args)):]}
			if i+1 < len(c.args) && c.args[i+1].text == "site" && rest.has("--user-site") {
				return known("~/.local/lib/python3/site-packages\n")
			}
			if i+1 < len(c.args) && (c.args[i+1].text == "base64" || c.args[i+1].text == "gzip") {
				rest.name = c.args[i+1].text
				return handlerOf(rest.name)(s, rest)
			}
			if i+1 < len(c.args) && slices.Contains([]string{"timeit", "pdb", "code", "cProfile"}, c.args[i+1].text) {
				for _, a := range rest.args {
					out.labels |= s.scanCode(c.name, a)
				}
			}
			out.labels |= unknownProgram(s, rest).labels
			return out
		case text == "-S" && c.name == "php" && i+1 < len(c.args): // serves a folder
			folder, ok := c.option("-t", "--docroot")
			if !ok {
				folder = known(cmp.Or(s.cwd, "."))
			}
			if !onThisMachine(c.args[i+1].text) {
				s.send(value{labels: s.content(folder).labels & secret})
			}
			return out
		case text == "-" && !codeGiven: // the code is on standard input
			i = len(c.args)
		case strings.HasPrefix(text, "-"):
		case text == "run" && (c.name == "deno" || c.name == "bun"):
		case !codeGiven:
			content := s.scriptContent(c.args[i])
			if content.labels&unread != 0 {
				s.noteCode(value{labels: content.labels})
			} else if content.text != "" && !content.incomplete {
				s.scanCode(c.name, content)
			}
			rest := &call{name: c.name, args: c.args[i+1:]}
			if path.Base(text) == "manage.py" {
				out.labels |= framework(s, &call{name: "manage.py", args: rest.args}).labels
			}
			s.noteOperations(&call{name: path.Base(text), args: rest.args})
			out.labels |= unknownProgram(s, rest).labels
			return out
		default:
			full := s.absolute(text)
			if c.has("-i", "-pi", "-i.bak") && len(writePlaces(full)) > 0 {
				s.write(c.args[i], value{incomplete: true})
			}
			if len(readPlaces(full)) > 0 || s.files[full].labels != 0 {
				out.labels |= s.read(c.args[i]).labels
			} else if holdsSecrets(full) {
				out.labels |= secret
			}
		}
	}
	if codeGiven {
		for _, a := range c.args {
			if printsHomePattern.MatchString(a.text) {
				out = concat(out, known("~\n"))
			}
		}
		if s.hasStdin && c.has("-p", "-n") {
			out = concat(out, value{text: s.stdin.text, incomplete: true})
		}
	}
	if !codeGiven && s.hasStdin {
		if s.stdin.labels&unread != 0 || s.fds["0"].network {
			s.noteCode(value{labels: s.stdin.labels})
		}
		out.labels |= s.scanCode(c.name, s.stdin)
	}
	return out
}

// Code of other languages is not parsed. Patterns find its calls: texts in a call that starts programs are
// commands, and texts in a call that deletes are paths.
var (
	literalPattern      = pattern.New("`(?:\\\\.|[^`\\\\])*`|\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'|%[xqQ]\\{[^}]*\\}|%[xqQ]\\([^)]*\\)|qx\\{[^}]*\\}|qx\\([^)]*\\)")
	startPattern        = pattern.New(`\b(?:os\.system|os\.popen|os\.exec\w*|os\.spawn\w*|subprocess\.\w+|popen\d?|Popen|check_output|check_call|pty\.spawn|posix_spawn\w*|execSync|execFileSync|execFile|spawnSync|spawn|child_process|shell_exec|passthru|proc_open|exec|system|os\.execute|io\.popen|System\.cmd|\.execute\(\)|spawn\w*|do shell script|IO\.popen|Open3\.\w+|%x|qx|Kernel\.\w+|exec\.Command\w*|Command::new|ProcessBuilder|getRuntime|execl\w*|execv\w*|Process\.Start|Deno\.Command|Bun\.spawn\w*|commands\.getoutput|run)\b|%x[({]|qx[({]|\bsh[ (]+["']|\bsh\(|\$` + "`" + `|\b\w+\.(?:call|Popen|check_output|check_call|getoutput|getstatusoutput)\s*\(|\bos:cmd\(|["']\.execute\(\)|\bsys\.process\b|\bopen\s*\(?[^;\n]*(?:\|\s*["']|["']\s*\|)`)
	deletePattern       = pattern.New(`\b(?:os\.remove|os\.unlink|os\.rmdir|os\.removedirs|shutil\.rmtree|rmtree|rmSync|rmdirSync|unlinkSync|unlink|rmdir|rm_rf|rm_r|rm_f|remove_dir|remove_entry\w*|remove_tree|File\.delete|Dir\.delete|FileUtils\.\w*rm\w*|fs\.rm|promises\.rm|remove|rimraf|removeSync|del|delete|Deno\.remove\w*|os\.truncate|send2trash|shutil\.move|os\.rename|renameSync|truncate|deleteDir|file delete|os\.RemoveAll|remove_dir_all|remove_file|remove_all|deleteDirectory|deleteRecursively|deleteIfExists|File\.rm_rf!?)\s*\(?`)
	removesPattern      = pattern.New(`\brm\b`)
	removesMember       = pattern.New(`[\w)\]]\s*\[\s*['"]rm['"]\s*\]`) // fs['rm']
	readPattern         = pattern.New(`\b(?:open|read|readFile\w*|read_text|read_bytes|File\.read\w*|IO\.read\w*|file_get_contents|readfile|fopen|slurp|createReadStream|load_dotenv|dotenv\w*|Path|copyfile|copy|copy2|copytree|cpSync|copyFileSync|Deno\.readTextFile\w*|Bun\.file|getline|fileinput\.\w+|cat|linecache\.\w+|upload_file\w*|upload_from_\w+|send_document|sendDocument)\b`)
	writePattern        = pattern.New(`(?:open\s*\([^)]*,\s*['"][wax]|open\b[^;\n]*['"]\s*\+?>|writeFile\w*|write_text|write_bytes|appendFile\w*|file_put_contents|File\.write|os\.chmod|chmod_R|os\.chown)`)
	sendPattern         = pattern.New(`\b(?:requests\.\w+|urllib\S*|urlopen|http\.client|httpx\.\w+|aiohttp|fetch|axios\S*|https?(?:['"]\))?\.(?:request|get|post)|Net::HTTP\S*|socket\S*|net\.\w+|LWP\S*|curl_exec|smtplib|ftplib|paramiko|XMLHttpRequest|WebSocket|TCPSocket|fsockopen|IO::Socket\S*|dgram|open-uri|URI\.open|upload_file\w*|upload_from_\w+|put_object|upload_blob|send_document|sendDocument|storbinary|putFile|getaddrinfo|gethostbyname|dns\.(?:re|lookup)\w+)|/inet/(?:tcp|udp)/|require\(['"]dns['"]\)|file_get_contents\(\s*['"]https?:`)
	decodePattern       = pattern.New(`\b(?:b64decode|urlsafe_b64decode|a85decode|b32decode|b85decode|b16decode|unhexlify|fromhex|atob|base64_decode|decode64|decode_base64|unpack1?|rot13|str_rot13|gzinflate|gzuncompress|decompress|marshal\.loads|pickle\.loads|fromCharCode|Buffer\.from\([^)]*['"](?:base64|base64url|hex)|hex2bin|bytes\.fromhex|codecs\.decode)\b`)
	unpackNumberPattern = pattern.New(`\bstruct\.unpack|\bunpack1?\s*\(?\s*["'][HhBbnNvVCcSsLlQqA](?:[\d*]*)["']`)
	runsDecodedPattern  = pattern.New(`\b(?:exec|eval|system|popen|execSync|check_call|check_output|assert|Function|(?:pickle|marshal)\.loads)\s*\(?[^;\n]{0,60}(?:b64decode|b85decode|atob\(|Buffer\.from\(|new Buffer|decode64|base64_decode|decode_base64|fromhex|unpack1?\(|unpack\s*\(|pack\(|gzinflate|str_rot13|decompress|decodeURIComponent|unescape|fromCharCode)`)
	runsInputPattern    = pattern.New(`(?i)\b(?:eval|exec|system)\s*\(?\s*(?:compile\(\s*)?(?:\w+\.)*(?:stdin|gets|<>)`)
	evalPattern         = pattern.New(`\b(?:eval|exec|compile|__import__|Function|vm\.run\w*|instance_eval|assert|create_function|loadstring|load|runpy\.\w+)\s*\(|\beval\b|\bexec\b`)
	// evaluatePattern matches functions that run a text as code. A method such as json.load reads it as data.
	evaluatePattern     = pattern.New(`(?:^|[^.\w])(?:eval|exec|compile|Function|load|loadstring|create_function|assert)\s*\(|builtins\.exec|\binstance_eval\b|\bvm\.run|\brunIn(?:New|This)?Context\(|\beval\s+[\w$&({]`)
	assertPattern       = pattern.New(`\bassert(\s*\()`)
	fetchedEvalPattern  = pattern.New(`\.then\(\s*(?:eval|Function|exec)\b`)
	forkPattern         = pattern.New(`(?:while|for|loop|until)[^\n;]*[\s\S]{0,80}\b(?:pcntl_)?fork\b|\bfork\b\s+(?:while|until)|fork\s*\([^)]*\)[\s\S]{0,40}\bwhile\b`)
	endlessStartPattern = pattern.New(`\b(?:while|loop)\b\s*\(?\s*(?:True|true|1|do\b|\{)[\s\S]{0,80}\b(?:Popen|spawn|Thread|fork|Process|execFile|os\.execute|io\.popen)\b`)
	pausePattern        = pattern.New(`\b(?:wait|sleep|join|break|communicate|await|recv|accept|input|readline|get)\b`)
	adjacentTextPattern = pattern.New(`"\s+"`)
	includePattern      = pattern.New(`(?i)(?:^|[^.\w])(?:include|require|include_once|require_once|source|loadfile|dofile|load)\b[^;\n]{0,60}(?:https?://|download\()`)
	httpDeletePattern   = pattern.New(`(?i)(?:\.delete\s*\(\s*f?['"]https?:|method['"]?\s*[:=]\s*['"]delete['"]|request\(\s*['"]DELETE|CURLOPT_CUSTOMREQUEST[^;]*DELETE|Net::HTTP::Delete|\b(?:delete_bucket|terminate_instances|delete_table|delete_object\w*|delete_db_instance|delete_stack|delete_function|delete_cluster|delete_repository|drop_database|drop_collection|delete_index)\s*\(|\.all\(\)\.delete\(\))`)
	downloadPattern     = pattern.New(`(?i)urlretrieve|downloadfile|\bget_?store\b|getstore|wget\.download`)
	runsFilePattern     = pattern.New(`\brunpy\.run_path|\bexecfile\(|\bexec\(\s*(?:compile\(\s*)?open\(|\bdofile\b|\bimportlib\b|\beval\s*\(?\s*(?:File\.read|file_get_contents|require|fs\.readFileSync|open)`)
	includesPattern     = pattern.New(`\b(?:load|do|include|include_once|require|require_once)\b\s*\(?\s*['"]`) // elsewhere than in JavaScript
	loginItemPattern    = pattern.New(`(?i)\bmake\s+(?:new\s+)?login item\b`)
	printsHomePattern   = pattern.New(`^[^+/]*(?:expanduser\(\s*['"]~['"]\s*\)|Path\.home\(\)|homedir\(\)|Dir\.home|environ\[['"]HOME['"]\])\s*\)*\s*;?$`)
	// wholeDataPattern matches calls that delete a whole database.
	wholeDataPattern    = pattern.New(`\.(?:flushall|flushdb|FlushAll|dropDatabase|drop_all|dropAllTables)\s*\(|\bdropDatabase\s*\(`)
	writtenFilePattern  = pattern.New(`\b(?:open|Path|writeFile\w*|File\.(?:bin)?write|file_put_contents)\s*\(\s*("[^"\n]+"|'[^'\n]+')`)
	homeCallPattern     = pattern.New(`(?i)expanduser\(\s*['"]~['"]|Path\.home\(\)|homedir\(\)|Dir\.home|environ(?:\.get)?[\[(]\s*['"]HOME['"]|ENV\[['"]HOME['"]\]|process\.env\.HOME\b|\$ENV\{HOME\}|getenv\(['"]HOME['"]\)|process\.env\[['"]HOME['"]\]|(?:ENV\.fetch|Deno\.env\.get)\(['"]HOME['"]\)|File\.expand_path\(['"]~['"]\)`)
	runsVariablePattern = pattern.New(`(?:system|exec|popen|spawn|eval|execSync|check_output|getoutput|qx|run|Popen)\s*[\(\$ ]\s*[\$a-zA-Z_]`)
	forkLoopPattern     = pattern.New(`(?s)(?:for\s*\(\s*;\s*;|while\s*\(\s*1|setInterval|\{[^}]*\bredo\b|iter\(int).*(?:spawn|fork|exec|Popen|system)|(?:fork|spawn)[^}]*\bredo\b|fork\(\)\s+for\s+_`)
	plusJoinPattern     = pattern.New(`'\s*\+\s*'|"\s*\+\s*"`)
	executePattern      = pattern.New(`["'\])]\s*\.execute\(`) // execute of a text or a list in Groovy
	awkStartPattern     = pattern.New(`\bsystem\s*\(|\|&?\s*(?:getline|"|ARGV\[|ENVIRON\[)`)
	awkForkPattern      = pattern.New(`while\s*\(\s*1\s*\)\s*\{?\s*system\([^)]*&`)
	// cloudSecretPattern matches environment variables that no program sends in clear text.
	cloudSecretPattern = pattern.New(`(?:environ|getenv|env|ENV)\W{1,6}(?:get\W{1,3})?(?:AWS_SECRET_ACCESS_KEY|\w*PRIVATE_KEY|KUBECONFIG_DATA)\b`)
	environPattern     = pattern.New(`\bos\.environ(?:\.(?:copy|items)\(\))?\s*[,)]|\bos\.environ\.items\(\)|\bprocess\.env\s*[,)]|\bENV\.(?:to_h|inspect|each|map|sort)|\bgetenv\(\s*\)|\$_ENV\b|%ENV\b`)
	// passedEnvironPattern matches code that passes the environment to a program, or looks for one variable.
	passedEnvironPattern = pattern.New(`['"]\s*(?:not\s+)?in\s+os\.environ\b|[,({]\s*env\s*[:=]\s*[\w.({}\[\s,*]*?(?:os\.environ|process\.env|ENV)\b`)
	spreadEnvironPattern = pattern.New(`\.\.\.process\.env\b`)
	printedPartPattern   = pattern.New(`\b(?:p|pp|puts|echo|say|\w*print\w*|console\.\w+|\w*write\w*|STDOUT|stdout|var_dump|var_export|dumps?)\b[^;\n]*`)
	environNamePattern   = pattern.New(`([A-Za-z_]\w*)\s*:?=\s*[^=;\n]*$`)
	environLoopPattern   = pattern.New(`\b(?:for|foreach|while)\b[^;\n]*$`)
	environBlockPattern  = pattern.New(`ENV\.(?:each|map|sort)|\.items\(\)|\bENV\.to_h\.(?:each|map)|\.forEach\(|\)\.map\(`)
	codeWordPattern      = pattern.New(`\w+`)
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
	made, all := foldTexts(language, written)
	readings := []string{made, written} // foldTexts may misread code of this language
	if named := withHome(language, written); named != written {
		named, known := foldTexts(language, named)
		readings, all = append(readings, named), all && known
	}
	if !all {
		s.unresolved(TooComplex)
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

// scanText scans text for calls. text is the code as written, or after foldTexts computed its texts.
func (s *state) scanText(language string, code value, text string) label {
	if language == "awk" {
		text = adjacentTextPattern.ReplaceAllString(text, "")
	}
	s.steps += len(text) / 64
	if text == "" || len(text) > maxText || !s.step() {
		return code.labels
	}
	starting := startPattern.MatchString(text) || strings.Contains(text, "`") && (language == "ruby" || language == "perl" || language == "php")
	if language == "awk" {
		starting = awkStartPattern.MatchString(text)
	}
	if language == "groovy" {
		starting = starting || executePattern.MatchString(text) || strings.Contains(text, "commandLine")
	}
	if language == "emacs" {
		starting = strings.Contains(text, "shell-command") || strings.Contains(text, "call-process")
	}
	deleting, reading := deletePattern.MatchString(text) || callsRemove(language, text, starting), readPattern.MatchString(text)
	sending, writing := sendPattern.MatchString(text), writePattern.MatchString(text)
	decoding := decodePattern.MatchString(unpackNumberPattern.ReplaceAllString(code.text, ""))
	if runsDecodedPattern.MatchString(code.text) {
		s.noteCode(value{labels: decoded})
	}
	if language != "php" { // elsewhere, assert takes no code
		text = assertPattern.ReplaceAllString(text, "is$1")
	}
	if (sending || strings.Contains(text, "://")) && (evaluatePattern.MatchString(text) || fetchedEvalPattern.MatchString(text)) && (!javaScript[language] || strings.Contains(text, "eval") || strings.Contains(text, "Function(") || strings.Contains(text, "vm.") || strings.Contains(text, "Context(")) {
		s.noteCode(value{labels: network})
	}
	if runsInputPattern.MatchString(text) {
		s.noteCode(value{labels: s.stdin.labels & unread})
		if sub := s.child(); s.stdin.text != "" && s.stdin.text != code.text && sub.step() {
			sub.scanCode(language, s.stdin)
			if sub = s.child(); !evalPattern.MatchString(text) {
				sub.spawn(s.stdin.text)
			}
		}
	}
	if !javaScript[language] && language != "ruby" && includePattern.MatchString(text) {
		s.noteCode(value{labels: network})
	}
	if found := httpDeletePattern.FindString(text); found != "" && !strings.Contains(text, "localhost") && !strings.Contains(text, "127.0.0.1") {
		add(&s.effects.Remote, language+" "+found)
	}
	if found := wholeDataPattern.FindString(text); found != "" && !strings.Contains(text, "sqlite") {
		add(&s.effects.Remote, language+" "+found)
	}
	if found := sqlPattern.FindString(text); found != "" && (strings.Contains(text, "create_engine") || strings.Contains(text, "session") || strings.Contains(text, "connect") || strings.Contains(text, "cursor") || strings.Contains(text, "query") || strings.Contains(text, "Client")) && (strings.Contains(text, "execute") || strings.Contains(text, "query")) && !strings.Contains(text, "sqlite") {
		add(&s.effects.Remote, language+" "+strings.TrimSpace(found))
	}
	if deleting && homeCallPattern.MatchString(text) && !strings.Contains(text, "path.join") && !strings.Contains(text, "home() /") && !strings.Contains(text, "/ '") && !strings.Contains(text, `/ "`) && !strings.Contains(text, "join(") && !strings.Contains(text, "+") {
		s.remove(known("~"), true)
	}
	if deleting && walksHome(text) {
		s.remove(known("~"), true)
	}
	if language != "expect" && forkLoopPattern.MatchString(text) && !pausePattern.MatchString(text) || language == "awk" && awkForkPattern.MatchString(text) {
		add(&s.effects.Resources, "fork bomb")
	}
	if socketPattern.MatchString(text) && runsVariablePattern.MatchString(text) && (strings.Contains(text, "while") || strings.Contains(text, "loop")) && (language == "perl" || language == "ruby" || strings.Contains(text, "recv")) {
		s.noteFlow("network to shell")
	}
	if forkPattern.MatchString(text) || endlessStartPattern.MatchString(text) && !pausePattern.MatchString(text) {
		add(&s.effects.Resources, "fork bomb")
	}
	if socketPattern.MatchString(text) && shellPattern.MatchString(text) && shellRedirectPattern.MatchString(text) {
		s.noteFlow("network to shell")
	}
	out := code.labels
	if decoding { // nobody has read what it prints
		out |= decoded
	}
	evaluating := evalPattern.MatchString(text)
	if sending && (environPattern.MatchString(text) || cloudSecretPattern.MatchString(text)) || printsEnviron(text) {
		out |= secret
	}
	storing := sending && writing || downloadPattern.MatchString(text)
	if decoding && writing {
		for _, found := range writtenFilePattern.FindAllStringSubmatch(text, -1) {
			s.files[s.absolute(textOf(found[1]))] = unknown(decoded)
		}
	}
	runningFiles := runsFilePattern.MatchString(text) || !javaScript[language] && includesPattern.MatchString(text)
	if language == "osascript" && loginItemPattern.MatchString(text) {
		add(&s.effects.WritesOf, Startup)
	}
	written := literalPattern.FindAllString(text, -1) // maxText limits them
	for i, quoted := range written {
		if !s.step() {
			break
		}
		content := quoted
		if i < len(written) {
			content = textOf(quoted)
		}
		if content == "" {
			continue
		}
		if starting && language == "perl" { // open(P, "COMMAND|")
			content = strings.Trim(content, "| ")
		}
		if starting && len(content) > 1 && (strings.ContainsAny(content, " /$") || handlerOf(content) != nil) && (quoted[0] != '`' || language != "node") {
			gave := s.spawn(content)
			if out |= gave.labels & secret; evaluating && gave.labels&(network|decoded) != 0 {
				s.noteCode(value{labels: gave.labels & (network | decoded)})
			}
		}
		if file := s.files[s.absolute(content)]; runningFiles && file.labels&unread != 0 {
			s.noteCode(value{labels: file.labels & unread})
		} else if sub := s.child(); runningFiles && file.text != "" && file.text != code.text && sub.step() {
			sub.scanCode(language, file)
		}
		if storing && looksLikePath(content) && len(content) > 0 && len(content) < 200 && content != "w" && content != "wb" && content != "POST" && content != "GET" {
			s.files[s.absolute(content)] = unknown(network)
		}
		if evaluating && (strings.Contains(content, "(") || (language == "perl" || language == "ruby") && strings.Contains(content, " ")) && (len(content) < len(text) || i >= len(written)) { // code in code
			s.child().scanCode(language, known(content))
		}
		if len(content) > 300 || strings.ContainsAny(content, "\n") {
			continue
		}
		if writing {
			content = strings.TrimLeft(content, "+> ")
		}
		full := s.absolute(content)
		if content == "~" && (strings.Contains(text, "join(") || strings.Contains(text, ") / ") || strings.Contains(text, ")/")) {
			continue
		}
		if deleting && (strings.ContainsAny(content, "/~.") || content == "*") {
			s.remove(known(content), true)
		}
		if writing && (strings.HasPrefix(content, "/") || strings.HasPrefix(content, "~") || strings.HasPrefix(content, ".")) && len(full) > 3 {
			s.write(known(content), value{incomplete: true})
		}
		if reading && looksLikePath(content) && (holdsSecrets(full) || s.files[full].labels != 0) && len(strings.Trim(content, "./~")) > 1 {
			out |= s.read(known(content)).labels
		}
		if strings.Contains(content, "://") {
			s.noteHost(content)
		}
	}
	if starting { // a list of words is a command, too
		for _, list := range listsOfWords(text) {
			if sub := s.child(); sub.step() {
				sub.run(list)
			}
		}
	}
	if sending {
		s.send(value{labels: out | s.stdin.labels&secret})
		out |= network
	}
	return out
}

// printsEnviron reports whether code prints the environment, also through a variable or a loop.
func printsEnviron(text string) bool {
	text = spreadEnvironPattern.ReplaceAllString(text, "process.env,")
	text = literalPattern.ReplaceAllStringFunc(passedEnvironPattern.ReplaceAllString(text, ""), strings.NewReplacer("\n", " ", ";", " ").Replace)
	places := environPattern.FindAllStringIndex(text, maxItems)
	if len(places) == 0 {
		return false
	}
	var printed []string
	for _, part := range printedPartPattern.FindAllString(text, maxItems) {
		if environPattern.MatchString(part) {
			return true
		}
		printed = append(printed, part)
	}
	for _, place := range places {
		before := text[:place[0]]
		name := environNamePattern.FindStringSubmatch(before)
		loops := environLoopPattern.MatchString(before) || environBlockPattern.MatchString(text[place[0]:])
		for _, part := range printed {
			if name != nil && slices.Contains(codeWordPattern.FindAllString(part, -1), name[1]) || loops && !printsLiteral(part) {
				return true
			}
		}
	}
	return false
}

// printsLiteral reports whether a call prints only texts without variables in them.
func printsLiteral(part string) bool {
	rest := literalPattern.ReplaceAllStringFunc(part, func(quoted string) string {
		if strings.ContainsAny(quoted, "${#") {
			return "$"
		}
		return "''"
	})
	end := codeWordPattern.FindStringIndex(rest)[1] // the name of the call
	return !strings.Contains(rest[end:], "$") && !codeWordPattern.MatchString(strings.TrimPrefix(rest[end:], ".log"))
}

// callsRemove reports whether code deletes files with rm. print("rm") deletes nothing, and rm in R deletes variables.
func callsRemove(language, text string, starting bool) bool {
	if language == "R" || language == "Rscript" {
		return starting && removesPattern.MatchString(text)
	}
	text = strings.ReplaceAll(text, "Pkg.rm", "")
	return removesPattern.MatchString(text) && (starting || removesMember.MatchString(text) || removesPattern.MatchString(literalPattern.ReplaceAllString(text, "''")))
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

var iexDownloadPattern = pattern.New(`(?i)\b(?:iex|invoke-expression)\b.*(?:downloadstring|iwr|irm|invoke-webrequest|invoke-restmethod|curl|wget)|(?:downloadstring|iwr|irm|invoke-webrequest|invoke-restmethod).*\|\s*(?:iex|invoke-expression)`)

var iexDecodePattern = pattern.New(`(?i)frombase64string[\s\S]*(?:\biex\b|invoke-expression|scriptblock)|(?:\biex\b|invoke-expression|scriptblock)[\s\S]*frombase64string`)

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

// endsInShell reports whether a statement starts a shell that reads commands from the statement's input.
func endsInShell(stmt *syntax.Stmt) bool {
	found := false
	syntax.Walk(stmt, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return !found
		}
		var words []value
		for _, word := range call.Args {
			words = append(words, known(word.Lit()))
		}
		for range 5 {
			w, ok := wrappers()[programName(words[0].text)]
			if !ok {
				break
			}
			if rest, _ := w.wrapped(words[1:]); len(rest) > 0 {
				words = rest
			} else {
				break
			}
		}
		base := programName(words[0].text)
		if shells := []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "csh", "tcsh", "pwsh", "powershell", "cmd", "python", "python3", "perl", "ruby", "login", "su", "sudo"}; slices.Contains(shells, base) {
			interactive := true
			for _, word := range words[1:] {
				if strings.HasPrefix(word.text, "-") && strings.Contains(word.text, "c") || word.text != "" && !strings.HasPrefix(word.text, "-") {
					interactive = false
				}
			}
			found = found || interactive
		}
		return !found
	})
	return found
}

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
