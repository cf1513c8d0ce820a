package shell

import (
	"path"
	"regexp"
	"slices"
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
		// a file, which ls prints as it is named
		if strings.ContainsAny(word.text, "*?[") || c.has("-d", "--directory") ||
			isEnvironment(s.absolute(word.text)) || isKeyFile(s.absolute(word.text)) {
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

// listPlaces prints where file systems are mounted, among other words. mount --bind makes a folder visible at another
// path.
func listPlaces(s *state, c *call) value {
	options, _ := c.option("-o", "--options")
	if words := c.words("to", "--options"); len(words) > 1 &&
		(c.has("--bind", "-B", "--rbind", "-R") || strings.Contains(options.text, "bind")) {
		s.links[s.absolute(words[1].text)] = s.absolute(words[0].text)
	}
	return unknown(fromFile)
}

func echo(_ *state, c *call) value {
	args, escaped := c.args, false
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' &&
		strings.Trim(args[0].text[1:], "neE") == "" {
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
	out := formatted(args[0], args[1:])
	if name == "" {
		return out
	}
	s.assign(name, []value{out})
	if strings.HasPrefix(name, "$") {
		s.doubtVariables()
	}
	return value{}
}

// formatted returns the text that printf prints. It uses the format again until no values are left.
func formatted(format value, values []value) value {
	out := value{incomplete: format.incomplete, labels: format.labels}
	fill := func(verb string) string {
		kind := verb[len(verb)-1]
		switch {
		case kind == '%':
			return "%"
		case len(values) == 0:
			return ""
		}
		v := values[0]
		values = values[1:]
		changed := strings.IndexByte("sbdiq", kind) < 0
		out.incomplete, out.labels = out.incomplete || v.incomplete || changed, out.labels|v.labels
		if kind == 'b' {
			return escapes(v.text)
		}
		return v.text
	}
	var b strings.Builder
	for range maxBraces {
		before := len(values)
		b.WriteString(verbPattern.ReplaceAllStringFunc(escapes(format.text), fill))
		if len(values) == 0 || len(values) == before || b.Len() > maxText {
			break
		}
	}
	out.text = b.String()
	return out
}

// verbPattern matches a place for a value in a format of printf.
var verbPattern = pattern.New(`%[-+ #0-9.]*[a-zA-Z%]`)

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

// decode handles programs that encode and decode text, such as base64 -d.
func decode(s *state, c *call) value {
	in, words := s.stdin, c.words("wi", "--wrap")
	decodes := c.has("-d", "-D", "--decode") || c.name == "uudecode"
	if c.name == "xxd" {
		words, decodes = c.words("cglso"), c.has("-r")
		if len(words) > 1 {
			s.write(words[1], unknown(in.labels))
			words = words[:1]
		}
	}
	for _, file := range words {
		in = s.read(file)
	}
	if decodes {
		in.labels |= decoded
	}
	return unknown(in.labels)
}

// certificateOperations are operations of openssl on certificates, requests and new keys.
var certificateOperations = strings.Fields("x509 verify crl req genrsa genpkey ecparam rand version ciphers dgst")

// openssl handles enc, which encodes and decodes, and s_client, which connects.
func openssl(s *state, c *call) value {
	in := s.stdin
	if len(c.args) == 0 || slices.Contains(certificateOperations, c.args[0].text) {
		return unknown(in.labels)
	}
	encodes := isOneOf(c.args[0].text, "enc", "base64", "aes-256-cbc")
	if file, ok := c.option("-in"); ok && (encodes || !c.has("-noout")) {
		in = s.read(file)
	}
	if file, ok := c.option("-out"); ok {
		s.write(file, unknown(in.labels))
	}
	if encodes && c.has("-d") {
		return unknown(in.labels | decoded)
	}
	to, ok := c.option("-connect")
	if !ok {
		return unknown(in.labels)
	}
	s.noteHost(to.text)
	s.send(s.stdin)
	s.noteRepositorySent(s.stdin, to.text)
	if host, port, _ := strings.Cut(to.text, ":"); !slices.Contains(strings.Fields(tlsPorts), port) {
		s.noteFileSent(s.stdin, host, port)
	}
	return unknown(network)
}

// transform handles programs that rewrite text, such as tr and rev, and that decompress files.
func transform(s *state, c *call) value {
	in := s.stdin
	if c.name == "tr" {
		in.incomplete = true
		return in
	}
	for _, file := range c.words("") {
		in = s.read(file)
	}
	if c.name == "rev" {
		return unknown(in.labels | decoded)
	}
	return unknown(in.labels | unpacked)
}

func sed(s *state, c *call) value {
	files := c.words("efl", "--expression", "--file")
	if !c.has("-e", "-f", "--expression", "--file") && len(files) > 0 {
		code := files[0]
		if files = files[1:]; code.text == "" && len(files) > 0 && c.has("-i") { // sed -i '' CODE FILE of macOS
			files = files[1:]
		}
	}
	inPlace := c.has("-i", "--in-place")
	out := s.stdin
	if len(files) > 0 {
		out = value{}
	}
	for _, file := range files {
		v := s.unprinted(file)
		if !inPlace && !onlyNames(c) {
			v = s.read(file)
		}
		out = concat(out, v)
		if inPlace {
			s.write(file, v)
		}
	}
	return value{text: out.text, incomplete: true, labels: out.labels}
}

func awk(s *state, c *call) value {
	words := c.words("vFf", "--field-separator", "--assign", "--file")
	if file, ok := c.option("-f", "--file"); ok {
		code := s.scriptContent(file)
		if file.text == "-" {
			code = s.stdin
		}
		s.noteCode(value{labels: code.labels})
		words = append([]value{code}, words...)
	}
	out := s.stdin
	if len(words) == 0 {
		return value{incomplete: true, labels: out.labels}
	}
	code := words[0]
	s.scanCode("awk", code)
	if !onlyNames(c) {
		for _, file := range words[1:] {
			out = concat(out, s.read(file))
		}
	}
	for _, found := range awkWritePattern.FindAllStringSubmatch(code.text, 5) {
		s.write(known(found[1]), unknown(out.labels))
	}
	if awkInputPattern.MatchString(code.text) {
		s.noteCode(value{labels: out.labels & unread})
	}
	if awkEnvironPattern.MatchString(code.text) {
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

	awkWritePattern   = pattern.New(`\bprint[^;{}]*>>?\s*"([^"]+)"`)
	awkEnvironPattern = pattern.New(`\bin\s+ENVIRON\b`)
)

func grep(s *state, c *call) value {
	words := c.words("efmABCgt", "--regexp", "--file", "--include", "--exclude", "--glob", "--type", "--context",
		"--exclude-dir")
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
	quiet := c.has("-q", "--quiet", "--silent", "-c", "--count", "-l", "-L", "--files-with-matches",
		"--files-without-match") || onlyNames(c)
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
		if secretSearchPattern.MatchString(search.text) ||
			slices.ContainsFunc(words, func(w value) bool { return holdsSecrets(s.absolute(w.text)) }) {
			out.labels |= secret
		}
	}
	if plainSearchPattern.MatchString(search.text) && !slices.ContainsFunc(c.args, func(a value) bool {
		return strings.HasPrefix(a.text, "-") && !isOneOf(a.text, "-i", "-E", "-w", "-s")
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
		return separator.text == "=" &&
			slices.ContainsFunc(c.args, func(a value) bool { return onlyNamesPattern.MatchString(a.text) })
	}
	return (strings.HasSuffix(c.name, "sed") || c.has("-o", "--only-matching")) &&
		slices.ContainsFunc(c.args, func(a value) bool { return onlyNamesPattern.MatchString(a.text) })
}

// unprinted returns the content of a file that a program uses and does not print: a secret in it stays in the file.
func (s *state) unprinted(file value) value {
	saw := s.sawSecret
	content := s.content(file)
	content.labels &^= secret
	s.sawSecret = saw
	return content
}

// plainSearchPattern matches searches for settings that hold no secrets, such as the name and the address of the user
// of git.
var plainSearchPattern = pattern.New(`^\^?(?:user|name|email|user\\?\.(?:name|email)|core|color|alias|branch|init|pull|merge|diff|commit|i18n)(?:\\?\.|=)?$`)

var secretSearchPattern = pattern.New(`(?i)secret|passw|api.?key|token|AKIA|BEGIN.*PRIVATE|credential`)

// endlessOutput handles programs such as yes, which print endlessly.
func endlessOutput(_ *state, c *call) value {
	return value{text: joinArgs(c.args).text + "\n", incomplete: true, labels: endlessData}
}
