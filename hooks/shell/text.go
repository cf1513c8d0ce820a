package shell

import (
	"encoding/base64"
	"encoding/hex"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/pattern"
)

// sortFiles handles sort and similar programs, which read the files in all arguments other than options.
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

// list handles ls, which prints the given names if they are patterns or listed themselves.
func list(s *state, c *call) value {
	out := unknown(0)
	words := c.words("IwT")
	if len(words) == 0 && s.cwd != "" {
		words = []value{known(s.cwd)}
	}
	for _, word := range words {
		if full := s.absolute(word.text); full == "/" && !c.has("-d", "--directory") {
			out = concat(out, known("etc\n"))
		} else if rest, ok := inHome(full); ok && rest == "" && !c.has("-d", "--directory") {
			out = concat(out, known("Documents\n"))
		}
		if strings.ContainsAny(word.text, "*?[") || c.has("-d", "--directory") || isEnvironment(s.absolute(word.text)) || isKeyFile(s.absolute(word.text)) { // a file, which ls prints as it is named
			out = concat(out, value{text: word.text + "\n", incomplete: true, labels: word.labels})
		}
	}
	return out
}

// listTree prints all files of folders: du -a, tree -fi. Without these options, du prints sizes and tree draws the
// folders.
func listTree(s *state, c *call) value {
	if c.name == "tree" && !c.has("-f") || c.name == "du" && !c.has("-a", "--all") {
		return unknown(fromFile)
	}
	starts := c.words("dtBLPIoH", "--max-depth", "--exclude", "--block-size", "--threshold", "--filelimit")
	if len(starts) == 0 {
		starts = []value{known(".")}
	}
	out := joinLines(starts)
	out.labels |= tree | fromFile
	return out
}

// listNamed handles programs that print the names in their arguments: stat -c %n, compgen -G.
func listNamed(s *state, c *call) value {
	out := unknown(fromFile)
	if form, ok := c.option("-c", "--format", "-G"); ok {
		words := c.words("c", "--format")
		if c.name == "compgen" {
			words = []value{form}
		}
		for _, word := range words {
			out = concat(out, value{text: word.text + "\n", incomplete: true, labels: word.labels})
		}
	}
	return out
}

// listPlaces prints where file systems are mounted, among other words. mount --bind makes a folder visible at another path.
func listPlaces(s *state, c *call) value {
	options, _ := c.option("-o", "--options")
	if words := c.words("to", "--options"); len(words) > 1 && (c.has("--bind", "-B", "--rbind", "-R") || strings.Contains(options.text, "bind")) {
		s.links[s.absolute(words[1].text)] = s.absolute(words[0].text)
	}
	return unknown(fromFile)
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

func tee(s *state, c *call) value {
	appends := c.has("-a", "--append")
	for _, file := range c.words("") {
		s.writeOrAppend(file, s.stdin, appends || s.conditional > 0)
	}
	return s.stdin
}

// partOfPath handles dirname and basename.
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

// tlsPorts are ports of web and mail servers, for which people prepare requests in files.
const tlsPorts = "443 465 587 993 995 8443"

// decode handles programs that decode text. The result is known if the input is.
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
		if file, ok := c.option("-in"); ok && c.has("-noout") {
			in = s.unprinted(file)
		} else if ok {
			in = s.read(file)
		}
		if file, ok := c.option("-out"); ok {
			s.write(file, unknown(in.labels))
		}
		if len(c.args) == 0 || c.args[0].text != "enc" && c.args[0].text != "base64" && c.args[0].text != "aes-256-cbc" {
			if to, ok := c.option("-connect"); ok {
				s.noteHost(to.text)
				s.send(s.stdin)
				s.noteRepositorySent(s.stdin, to.text)
				if host, port, _ := strings.Cut(to.text, ":"); !slices.Contains(strings.Fields(tlsPorts), port) {
					s.noteFileSent(s.stdin, host, port)
				}
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
	if c.name == "tr" {
		in.incomplete = true
		return in
	}
	for _, file := range c.words("") {
		in = s.read(file)
	}
	if c.name != "rev" {
		return unknown(in.labels | unpacked)
	}
	out := unknown(in.labels | decoded)
	if !in.incomplete && in.text != "" {
		lines := strings.Split(in.text, "\n")
		for i, line := range lines {
			runes := []rune(line)
			slices.Reverse(runes)
			lines[i] = string(runes)
		}
		out.text, out.incomplete = strings.Join(lines, "\n"), false
	}
	return out
}

func sed(s *state, c *call) value {
	words := c.words("efl", "--expression", "--file")
	var code value
	if given, ok := c.option("-e", "--expression"); ok {
		code = given
	} else if file, ok := c.option("-f", "--file"); ok || clusterValue(c, 'f') != "" {
		if !ok {
			file = known(clusterValue(c, 'f'))
		}
		if code = s.scriptContent(file); file.text == "-" {
			code = s.stdin
		}
	} else if len(words) > 0 {
		code, words = words[0], words[1:]
		if code.text == "" && len(words) > 0 && c.has("-i") { // sed -i '' CODE FILE of macOS
			code, words = words[0], words[1:]
		}
	}
	out := s.stdin
	if len(words) > 0 {
		out = value{}
	}
	inPlace := c.has("-i", "--in-place")
	for _, file := range words {
		v := s.unprinted(file)
		if !inPlace && !onlyNames(c) {
			v = s.read(file)
		}
		out = concat(out, v)
		if inPlace {
			s.write(file, v)
		}
	}
	if body := strings.TrimSpace(code.text); strings.HasPrefix(body, "1e") || strings.HasPrefix(body, "e ") || strings.HasPrefix(body, "s") && strings.HasSuffix(body, "/e") {
		if _, command, ok := strings.Cut(body, "e "); ok {
			s.runText(known(command), nil)
		}
	}
	if inGroup := sedExecutePattern.FindStringSubmatch(code.text); inGroup != nil {
		s.noteCode(value{labels: out.labels & unread})
		s.runText(value{text: inGroup[1], incomplete: code.incomplete}, nil)
	}
	for _, line := range strings.FieldsFunc(code.text, func(r rune) bool { return r == ';' || r == '\n' }) { // w FILE, alone or after a substitution
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

// sedExecutePattern matches the sed command e, alone, after an address or in a group: 3e COMMAND, /x/{e COMMAND.
var sedExecutePattern = pattern.New(`(?:^|[;{\n]\s*|^[\d$,!]+\s*|^/[^/]*/\s*)e(?:\s+([^}\n]*)|\s*$)`)

func awk(s *state, c *call) value {
	words := c.words("vFf", "--field-separator", "--assign", "--file")
	file, ok := c.option("-f", "--file")
	var code value
	if ok {
		if code = s.scriptContent(file); file.text == "-" {
			code = s.stdin
		}
		s.noteCode(value{labels: code.labels})
		words = append([]value{code}, words...)
	}
	printed := ""
	if len(words) > 0 {
		code = words[0]
		for _, found := range awkGetlinePattern.FindAllStringSubmatch(code.text, 5) {
			if printed := s.spawn(found[1]); strings.Contains(code.text, "system("+found[2]) {
				s.runText(printed, nil)
			}
		}
		if awkRunsLinePattern.MatchString(code.text) && s.stdin.hasText() {
			s.runText(s.stdin, nil)
		}
		s.scanCode("awk", code)
		printed = words[0].text
		words = words[1:]
	}
	out := s.stdin
	for _, file := range words {
		if onlyNames(c) {
			continue
		}
		out = concat(out, s.read(file))
	}
	for _, found := range awkWritePattern.FindAllStringSubmatch(printed, 5) {
		s.write(known(found[1]), unknown(out.labels))
	}
	for _, found := range awkConnectionPattern.FindAllStringSubmatch(printed, maxItems) {
		sent := out
		if awkReadsFilePattern.MatchString(printed) {
			sent.labels |= fromFile
		}
		s.noteFileSent(sent, found[1], found[2])
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
	return value{incomplete: true, labels: out.labels}
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var (
	// awkInputPattern matches code that runs fields of the input, or prints to a shell.
	awkInputPattern = pattern.New(`\bsystem\s*\([^")]*\$\d|\$\d\s*\|\s*getline|\|&?\s*"(?:/bin/)?(?:ba|z|da|k)?sh\b|^\s*\{\s*system\(\s*\$`)

	awkGetlinePattern  = pattern.New(`"([^"]+)"\s*\|\s*getline\s+(\w+)`)
	awkRunsLinePattern = pattern.New(`system\(\s*\$0\s*\)`)
	// awkConnectionPattern matches a connection of awk, with its host and port.
	awkConnectionPattern = pattern.New(`"/inet[46]?/(?:tcp|udp)/\w+/([^/"]+)/([^/"]+)"`)

	// awkReadsFilePattern matches the reading of a named file.
	awkReadsFilePattern = pattern.New(`\bgetline\b[^|;]*<\s*["\w]`)
	awkWritePattern     = pattern.New(`\bprint[^;{}]*>>?\s*"([^"]+)"`)
	awkCharPattern      = pattern.New(`printf\s*\(?\s*"[^"]*%c`)
	awkEnvironPattern   = pattern.New(`\bin\s+ENVIRON\b`)
)

func grep(s *state, c *call) value {
	words := c.words("efmABCgt", "--regexp", "--file", "--include", "--exclude", "--glob", "--type", "--context", "--exclude-dir")
	if c.name == "rg" && c.has("--files") { // lists files, as find does
		if len(words) == 0 {
			words = []value{known(".")}
		}
		out := joinLines(words)
		out.labels |= tree
		return out
	}
	search, ok := c.option("-e", "--regexp")
	if !ok && len(words) > 0 {
		search, words = words[0], words[1:]
	}
	out := s.stdin
	quiet := c.has("-q", "--quiet", "--silent", "-c", "--count", "-l", "-L", "--files-with-matches", "--files-without-match") || onlyNames(c)
	for _, file := range words {
		if quiet {
			out = concat(out, s.unprinted(file))
		} else {
			out = concat(out, s.read(file))
		}
	}
	if c.has("-o", "--only-matching") && !out.incomplete && len(out.text) < 2000 && len(search.text) < 200 {
		if expression, err := regexp.Compile(search.text); err == nil {
			out.text = strings.Join(expression.FindAllString(out.text, 20), "\n") + "\n"
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
	if plainSearchPattern.MatchString(search.text) && !slices.ContainsFunc(c.args, func(a value) bool {
		return strings.HasPrefix(a.text, "-") && !slices.Contains([]string{"-i", "-E", "-w", "-s"}, a.text)
	}) {
		out.labels &^= token
	}
	return value{text: out.text, incomplete: true, labels: out.labels}
}

// onlyNamesPattern matches code that prints the names of settings and not their values, in cut, awk, sed and grep -o.
var onlyNamesPattern = pattern.New(`^(?:\{\s*print\s+\$1\s*\}|s(.)=\.\*.[^&]*|\^?\(?\[[A-Za-z0-9_-]+\][*+]\)?=?|\^\[\^=\]\+)$`)

// onlyNames reports whether a program prints at most the names of settings.
func onlyNames(c *call) bool {
	switch {
	case c.name == "cut":
		separator, _ := c.option("-d", "--delimiter")
		fields, _ := c.option("-f", "--fields")
		return separator.text == "=" && fields.text == "1"
	case strings.HasSuffix(c.name, "awk"):
		separator, _ := c.option("-F")
		return separator.text == "=" && slices.ContainsFunc(c.args, func(a value) bool { return onlyNamesPattern.MatchString(a.text) })
	}
	return (strings.HasSuffix(c.name, "sed") || c.has("-o", "--only-matching")) && slices.ContainsFunc(c.args, func(a value) bool { return onlyNamesPattern.MatchString(a.text) })
}

// unprinted returns the content of a file that a program uses and does not print: a secret in it stays in the file.
func (s *state) unprinted(file value) value {
	saw := s.sawSecret
	content := s.content(file)
	content.labels &^= secret
	s.sawSecret = saw
	return content
}

// plainSearchPattern matches searches for settings that hold no secrets, such as the name and the address of the user of git.
var plainSearchPattern = pattern.New(`^\^?(?:user|name|email|user\\?\.(?:name|email)|core|color|alias|branch|init|pull|merge|diff|commit|i18n)(?:\\?\.|=)?$`)

var secretSearchPattern = pattern.New(`(?i)secret|passw|api.?key|token|AKIA|BEGIN.*PRIVATE|credential`)

// endlessOutput handles programs such as yes, which print endlessly.
func endlessOutput(_ *state, c *call) value {
	return value{text: joinArgs(c.args).text + "\n", incomplete: true, labels: endlessData}
}
