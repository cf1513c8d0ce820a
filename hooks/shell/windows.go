package shell

import (
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

// cmdlets maps commands of PowerShell and cmd to the Unix program with the same effect.
var cmdlets = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"remove-item": "rm", "ri": "rm", "rm": "rm", "del": "rm", "erase": "rm", "rd": "rm", "rmdir": "rm", "remove-itemproperty": "rm", "clear-content": "truncate", "clc": "truncate",
		"get-content": "cat", "gc": "cat", "type": "cat", "cat": "cat", "select-string": "grep", "sls": "grep", "findstr": "grep", "import-csv": "cat", "format-hex": "xxd",
		"copy-item": "cp", "cpi": "cp", "copy": "cp", "cp": "cp", "xcopy": "cp", "robocopy": "cp", "move-item": "mv", "mi": "mv", "move": "mv", "mv": "mv", "rename-item": "mv", "ren": "mv",
		"set-content": "tee", "sc": "tee", "add-content": "tee", "ac": "tee", "out-file": "tee", "tee-object": "tee", "new-item": "touch", "ni": "touch",
		"invoke-webrequest": "curl", "iwr": "curl", "invoke-restmethod": "curl", "irm": "curl", "curl": "curl", "wget": "curl", "start-bitstransfer": "curl", "curl.exe": "curl",
		"invoke-expression": "eval", "iex": "eval", "start-process": "env", "saps": "env", "start": "env", "invoke-item": "env", "ii": "env", "call": "env",
		"write-output": "echo", "write-host": "echo", "echo": "echo", "get-childitem": "ls", "gci": "ls", "ls": "ls", "dir": "ls", "set-location": "cd", "sl": "cd", "cd": "cd", "chdir": "cd", "get-item": "ls",
		"stop-computer": "shutdown", "restart-computer": "reboot",
	}
})

// switchOptions maps options of cmdlets to options of the Unix program.
var switchOptions = map[string]string{"-recurse": "-r", "-rec": "-r", "-r": "-r", "-force": "-f", "-fo": "-f", "-outfile": "-o", "-o": "-o", "-infile": "-T", "-body": "-d", "-method": "-X", "-uri": "--url", "-source": "--url", "-destination": "-o", "-headers": "-H", "/s": "-r", "/q": "-f", "/f": "-f", "/a": "-f"}

// wordOptions are options of cmdlets whose value is an ordinary argument.
var wordOptions = []string{"-path", "-literalpath", "-filepath", "-value", "-argumentlist", "-command", "-pattern", "-include", "-filter"}

var (
	dotNetDeletePattern = pattern.New(`(?i)\[(?:system\.)?io\.(?:file|directory)\]::(?:delete|writealltext|writeallbytes|move)\(\s*['"]([^'"]+)['"]`)
	dotNetReadPattern   = pattern.New(`(?i)\[(?:system\.)?io\.file\]::(?:readalltext|readallbytes|readalllines|openread)\(\s*['"]([^'"]+)['"]`)
	// windowsConstantPattern matches the assignment of a text, and scriptBlockPattern code that is created from a text.
	windowsConstantPattern = pattern.New(`(\$\w+)\s*=\s*['"]([^'"$]+)['"]`)
	scriptBlockPattern     = pattern.New(`(?i)\[scriptblock\]::create\(\s*['"]([^'"]+)['"]`)
	webClientPattern       = pattern.New(`(?i)\.(downloadstring|downloadfile|downloaddata|uploadfile|uploadstring|uploaddata|getstringasync|postasync)\(`)
	tcpClientPattern       = pattern.New(`(?i)net\.sockets\.tcpclient|tcplistener`)
	evaluatesPattern       = pattern.New(`(?i)\biex\b|invoke-expression|\[scriptblock\]::create|cmd\.exe|powershell`)
	eraseDiskPattern       = pattern.New(`(?i)\b(?:format-volume|clear-disk|initialize-disk|remove-partition|reset-physicaldisk|diskpart)\b`)
	weakenPattern          = pattern.New(`(?i)set-mppreference\s+-(?:disable|exclusion)|add-mppreference\s+-exclusion|set-executionpolicy\s+(?:-\w+\s+)?(?:unrestricted|bypass)|set-netfirewallprofile.*false|disable-windowsoptionalfeature|clear-eventlog|remove-eventlog|stop-service\s+(?:-\w+\s+)?(?:windefend|sense|eventlog|mpssvc)|uninstall-windowsfeature|disable-localuser|new-localuser|add-localgroupmember|register-scheduledtask|new-scheduledtask|new-service|set-itemproperty.*\\run\b|clear-history|vssadmin\s+delete|wevtutil\s+cl|bcdedit`)
	remoteRemovalPattern   = pattern.New(`(?i)\bremove-(?:az\w+|aduser|adgroup|adcomputer|s3\w+|ec2\w+|mailbox|vm|msoluser)\b|\bstop-vm\b|\bremove-adobject\b`)
	environmentPattern     = pattern.New(`(?i)get-childitem\s+env:|\bgci\s+env:|\bdir\s+env:|\bls\s+env:|\$env:\*|getenvironmentvariables`)
)

// windows handles commands of PowerShell and cmd that are called as a program with arguments.
func windows(s *state, c *call) value {
	args := c.args
	if c.name == "cmd" {
		for len(args) > 0 && strings.HasPrefix(args[0].text, "/") {
			args = args[1:]
		}
		if len(args) == 0 {
			return unknown(0)
		}
		return s.windowsScript(joinArgs(args), false)
	}
	return s.windowsScript(joinArgs(append([]value{known(c.name)}, args...)), true)
}

// windowsScript reads code of PowerShell, or of cmd.
func (s *state) windowsScript(code value, powershell bool) value {
	text := code.text
	s.steps += len(text) / 64
	s.noteCode(value{labels: bounded(code).labels})
	if len(text) > maxText || !s.step() {
		return unknown(code.labels)
	}
	if powershell {
		text = plusJoinPattern.ReplaceAllString(text, "")
		for _, found := range windowsConstantPattern.FindAllStringSubmatch(text, maxConstants) {
			text = replaceBounded(known(text), "& "+found[1], "& "+found[2], -1).text
		}
		text = s.unwrapCalls(text)
		for _, found := range scriptBlockPattern.FindAllStringSubmatch(text, 5) {
			s.child().windowsScript(known(found[1]), true)
		}
	}
	for _, found := range dotNetDeletePattern.FindAllStringSubmatch(text, -1) {
		s.remove(known(found[1]), true)
	}
	out, received := unknown(0), false
	for _, found := range dotNetReadPattern.FindAllStringSubmatch(text, -1) {
		out.labels |= s.read(known(found[1])).labels
	}
	if environmentPattern.MatchString(text) {
		out.labels |= secret
	}
	if found := webClientPattern.FindStringSubmatch(text); found != nil {
		if strings.HasPrefix(strings.ToLower(found[1]), "down") || strings.HasPrefix(strings.ToLower(found[1]), "get") {
			received = true
		} else {
			for _, quoted := range literalPattern.FindAllString(text, -1) {
				if name := textOf(quoted); looksLikePath(name) && name != "" {
					out.labels |= s.labelsOfFile(known(name))
				}
			}
			s.send(out)
		}
	}
	if tcpClientPattern.MatchString(text) && evaluatesPattern.MatchString(text) {
		s.noteFlow("network to shell")
	}
	if eraseDiskPattern.MatchString(text) {
		add(&s.effects.WritesOf, Device)
	}
	if found := weakenPattern.FindString(text); found != "" {
		add(&s.effects.Protections, found)
	}
	if found := remoteRemovalPattern.FindString(text); found != "" {
		add(&s.effects.Remote, found)
	}
	if strings.Contains(text, "%0|%0") {
		add(&s.effects.Resources, "fork bomb")
	}
	sub := s.child()
	for _, statement := range windowsStatements(text, powershell) {
		in := value{}
		for i, command := range statement {
			words := windowsWords(command)
			if len(words) == 0 || !sub.step() {
				continue
			}
			sub.stdin, sub.hasStdin = in, i > 0
			in = sub.cmdlet(words, in)
			in.labels |= out.labels & secret
			received = received || in.labels&network != 0
		}
	}
	if received && evaluatesPattern.MatchString(text) {
		s.noteCode(value{labels: network})
	}
	return out
}

// maxCallOperator is the maximum length in bytes of a call operator with its spaces, such as Invoke-Expression.
const maxCallOperator = 40

// unwrapCalls removes the parentheses around a literal that PowerShell calls or evaluates: & ("rm"), .('rm'), iex ("rm x"). A text
// that an expression computes is hidden code.
func (s *state) unwrapCalls(text string) string {
	ends, open := map[int]int{}, []int{}
	for i := range len(text) {
		switch {
		case text[i] == '(':
			open = append(open, i)
		case text[i] == ')' && len(open) > 0:
			ends[open[len(open)-1]], open = i, open[:len(open)-1]
		}
	}
	var out strings.Builder
	last := 0
	for at := 1; at < len(text); at++ {
		end := ends[at]
		if text[at] != '(' || end == 0 || at < last {
			continue
		}
		before := strings.ToLower(strings.TrimRight(text[max(0, at-maxCallOperator):at], " $"))
		called, found := cutAnySuffix(before, "&", ".", "iex", "invoke-expression")
		if !found || called != "" && strings.IndexByte(" \t\n;{(|=", called[len(called)-1]) < 0 {
			continue
		}
		if s.steps += (end - at) / 64; s.steps > maxSteps {
			break
		}
		from, to := at+1, end
		for ends[from] == to-1 && to-from > 2 { // & ((Get-Command rm))
			from, to = from+1, to-1
		}
		inner := strings.TrimSpace(text[from:to])
		quoted := len(inner) > 1 && (inner[0] == '"' || inner[0] == '\'') && inner[len(inner)-1] == inner[0] && strings.Count(inner, inner[:1]) == 2
		lower := strings.ToLower(inner)
		words := strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(lower))
		replacement := ""
		switch {
		case quoted:
			replacement = inner
		case strings.Contains(lower, "-join"), strings.Contains(lower, "-f "), strings.Contains(lower, "-replace"), strings.Contains(lower, "[char"), strings.Contains(lower, "+") && !strings.ContainsAny(lower, `/\`):
			s.unresolved(HiddenCode)
		case len(words) > 1 && (words[0] == "get-command" || words[0] == "gcm"):
			if replacement = programLike(words[1]); strings.ContainsAny(replacement, "*?[") {
				s.unresolved(HiddenName)
			}
		}
		if replacement != "" {
			out.WriteString(strings.TrimRight(text[last:at], "$") + " " + replacement)
			last = end + 1
		}
	}
	out.WriteString(text[last:])
	return out.String()
}

// cutAnySuffix removes the first of some suffixes that a text has.
func cutAnySuffix(text string, suffixes ...string) (rest string, ok bool) {
	for _, suffix := range suffixes {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			return rest, true
		}
	}
	return text, false
}

// cmdlet runs a Windows command as the Unix program with the same effect.
func (s *state) cmdlet(words []string, in value) value {
	for len(words) > 1 && (words[0] == "&" || words[0] == "." || words[0] == "(") {
		words = words[1:]
	}
	name := strings.ToLower(strings.TrimLeft(words[0], "&@("))
	if name == "format" || name == "diskpart" {
		add(&s.effects.WritesOf, Device)
		return value{}
	}
	program := cmdlets()[name]
	if program == "" {
		program = words[0]
	}
	args := []value{{text: program, incomplete: strings.Contains(program, "$")}}
	for _, word := range words[1:] {
		lower := strings.ToLower(word)
		if option, ok := switchOptions[lower]; ok && cmdlets()[name] != "" {
			args = append(args, known(option))
			continue
		}
		if name == program && len(word) > 2 && len(word) < 6 && word[0] == '-' && !slices.Contains(wordOptions, lower) { // on Unix, rm is a program, not an alias of a cmdlet
			args = append(args, known(word))
			continue
		}
		if slices.Contains(wordOptions, lower) || cmdlets()[name] != "" && strings.HasPrefix(word, "-") && len(word) > 2 && program != "env" && word[1] != '-' && strings.Trim(lower, "-abcdefghijklmnopqrstuvwxyz") == "" {
			continue
		}
		word = strings.ReplaceAll(strings.ReplaceAll(word, "$env:USERPROFILE", "~"), "$HOME", "~")
		for _, home := range []string{"%USERPROFILE%", "$env:HOME", "$Home", "$home"} {
			word = strings.ReplaceAll(word, home, "~")
		}
		word = strings.NewReplacer("%SystemRoot%", `C:\Windows`, "$env:SystemRoot", `C:\Windows`, "$env:windir", `C:\Windows`, "%windir%", `C:\Windows`, "%SystemDrive%", "C:", "$env:SystemDrive", "C:").Replace(word)
		args = append(args, value{text: word, incomplete: strings.Contains(word, "$")})
	}
	if program == "ls" {
		out := unknown(0)
		for _, a := range args[1:] {
			if !strings.HasPrefix(a.text, "-") {
				out = concat(out, a)
				if slices.ContainsFunc(args, func(a value) bool { return a.text == "-r" }) {
					out.labels |= tree
				}
				break
			}
		}
		return out
	}
	if program == "rm" && in.text != "" {
		args = append(args, value{text: strings.TrimSpace(in.text), incomplete: in.incomplete, labels: in.labels})
	}
	return s.run(args)
}

// windowsStatements returns the statements of Windows code, each a list of the commands in a pipe.
func windowsStatements(text string, powershell bool) (statements [][]string) {
	var statement []string
	var b strings.Builder
	quote := byte(0)
	command := func() {
		if piece := strings.TrimSpace(b.String()); piece != "" {
			statement = append(statement, piece)
		}
		b.Reset()
	}
	end := func() {
		command()
		if len(statement) > 0 {
			statements = append(statements, statement)
		}
		statement = nil
	}
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case quote != 0:
			if ch == quote {
				quote = 0
			}
			b.WriteByte(ch)
		case ch == '"' || ch == '\'' && powershell:
			quote = ch
			b.WriteByte(ch)
		case ch == '|' && i+1 < len(text) && text[i+1] == '|':
			i++
			end()
		case ch == '|':
			command()
		case ch == '\n' || ch == ';' && powershell || ch == '&' && !powershell || ch == '&' && i+1 < len(text) && text[i+1] == '&' || powershell && (ch == '{' || ch == '}' || ch == '(' || ch == ')'):
			end()
		default:
			b.WriteByte(ch)
		}
	}
	end()
	return statements
}

// runUnparsed reads code that no parser accepts as simple commands and pipes. Words with expansions are unknown.
func (s *state) runUnparsed(text string) {
	if len(text) > maxText || s.depth > maxDepth {
		s.unresolved(TooComplex)
		return
	}
	sub := s.child()
	for _, statement := range windowsStatements(text, true) {
		in := value{}
		for i, command := range statement {
			var args []value
			for _, word := range windowsWords(command) {
				args = append(args, value{text: word, incomplete: strings.ContainsAny(word, "$`")})
			}
			if len(args) == 0 || !sub.step() {
				continue
			}
			if at := assignmentAt(args[0].text); at > 0 && len(args) == 1 {
				continue
			}
			sub.stdin, sub.hasStdin = in, i > 0
			in = sub.run(args)
		}
	}
}

// windowsWords returns the words of a Windows command without quotes.
func windowsWords(command string) (words []string) {
	var b strings.Builder
	quote, any := byte(0), false
	for i := 0; i < len(command); i++ {
		ch := command[i]
		switch {
		case quote != 0:
			if ch == quote {
				quote = 0
			} else {
				b.WriteByte(ch)
			}
		case ch == '"' || ch == '\'':
			quote, any = ch, true
		case ch == ' ' || ch == '\t' || ch == ',':
			if b.Len() > 0 || any {
				words = append(words, b.String())
			}
			b.Reset()
			any = false
		default:
			b.WriteByte(ch)
		}
	}
	if b.Len() > 0 || any {
		words = append(words, b.String())
	}
	return words
}
