package shell

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/loopback"
	"nomograph/internal/pattern"
)

// curl sends data from its arguments, and prints the response.
func curl(s *state, c *call) value {
	signing := c.has("--aws-sigv4") // the user's key signs the request and is not sent
	for i, a := range c.args {
		user := strings.HasPrefix(a.text, "-u") || strings.HasPrefix(a.text, "--user=") || i > 0 && (c.args[i-1].text == "-u" || c.args[i-1].text == "--user")
		if !(signing && user) && cloudVariablePattern.MatchString(a.text) {
			s.send(value{labels: secret})
		}
	}
	const valued = "HAbceEFdoXTuUxmwKrytCPQzh"
	sent, out := value{labels: 0}, unknown(network)
	var target value
	toFile, local := false, false
	var hosts []string
	method := ""
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		name, text, ok := strings.Cut(a.text, "=")
		arg := func() value {
			if ok {
				return value{text: text, incomplete: a.incomplete, labels: a.labels}
			}
			if i+1 < len(c.args) {
				i++
				return c.args[i]
			}
			return value{}
		}
		if strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && len(a.text) > 1 {
			ok = false
			for j := 1; j < len(a.text); j++ {
				if strings.IndexByte(valued, a.text[j]) < 0 {
					if a.text[j] == 'O' || a.text[j] == 'J' {
						toFile = true
					}
					continue
				}
				v := value{text: a.text[j+1:], incomplete: a.incomplete, labels: a.labels}
				if v.text == "" {
					v = arg()
				}
				switch a.text[j] {
				case 'd', 'F', 'T', 'K', 'b', 'H', 'u':
					sent.labels |= s.body(a.text[j:j+1], v)
				case 'A', 'e', 'r', 'Q':
					sent.labels |= v.labels & secret
				case 'o':
					target, toFile = v, true
				case 'X':
					method = v.text
				case 'x':
					s.noteHost(v.text)
				}
				break
			}
			continue
		}
		for _, full := range []string{"--data-binary", "--data-urlencode", "--form", "--json", "--upload-file", "--header", "--config", "--request", "--output", "--cookie"} {
			if len(name) > 4 && name != "--data" && strings.HasPrefix(full, name) {
				name = full
				break
			}
		}
		switch {
		case strings.HasPrefix(name, "--data") || strings.HasPrefix(name, "--form") || name == "--json" || name == "--url-query":
			sent.labels |= s.body("d", arg())
		case name == "--upload-file" || strings.HasPrefix("--upload-file", name) && len(name) > 5:
			sent.labels |= s.body("T", arg())
		case name == "--output":
			target, toFile = arg(), true
		case name == "--remote-name" || name == "--remote-name-all":
			toFile = true
		case name == "--request":
			method = arg().text
		case name == "--url":
			hosts = append(hosts, arg().text)
		case name == "--variable": // NAME@FILE, or %NAME of the environment
			if v := arg(); strings.Contains(v.text, "@") && !strings.Contains(v.text, "=") {
				_, file, _ := strings.Cut(v.text, "@")
				sent.labels |= s.read(known(file)).labels
			} else if variable, ok := strings.CutPrefix(v.text, "%"); ok {
				sent.labels |= variablesOf(value{text: "$" + variable, incomplete: true})
			}
		case strings.HasPrefix(name, "--expand-data"), name == "--expand-url":
			arg()
		case name == "--config":
			sent.labels |= s.body("K", arg())
		case name == "--header" || name == "--cookie" || name == "--user":
			sent.labels |= s.body("H", arg())
		case name == "--proxy" || name == "--preproxy":
			s.noteHost(arg().text)
		case slices.Contains([]string{"--connect-timeout", "--max-time", "--retry", "--cacert", "--cert", "--key", "--write-out", "--user-agent", "--referer", "--resolve", "--range", "--limit-rate", "--retry-delay", "--cookie-jar", "--output-dir"}, name):
			sent.labels |= arg().labels & secret
		case strings.HasPrefix(a.text, "-"):
		default:
			hosts = append(hosts, a.text)
			sent.labels |= a.labels & secret
		}
	}
	for _, host := range hosts {
		if file, ok := LocalFile(host); ok {
			local = true
			out = s.read(known(file))
			continue
		}
		s.noteHost(host)
	}
	if strings.EqualFold(method, "DELETE") || strings.EqualFold(method, "PURGE") {
		s.noteDeleteRequests(hosts)
	}
	for _, a := range c.args {
		if strings.Contains(a.text, "ethod-Override: DELETE") || strings.HasPrefix(a.text, "DELE ") || strings.HasPrefix(a.text, "-DELE ") || strings.HasPrefix(a.text, "-RMD ") || strings.HasPrefix(a.text, "RMD ") {
			s.noteDeleteRequests(hosts)
		}
		if found := deletingMutationPattern.FindString(a.text); found != "" && len(hosts) > 0 && !onThisMachine(hosts[0]) {
			add(&s.effects.Remote, found)
		}
	}
	for _, host := range hosts {
		if strings.EqualFold(method, "PATCH") && strings.Contains(host, "/git/refs/") && slices.ContainsFunc(c.args, func(a value) bool { return strings.Contains(strings.ReplaceAll(a.text, " ", ""), `"force":true`) }) {
			add(&s.effects.Git, "push --force")
		}
		if strings.Contains(host, "/_delete_by_query") {
			add(&s.effects.Remote, "POST "+host)
		}
	}
	if slices.ContainsFunc(hosts, func(host string) bool { return !onThisMachine(host) }) {
		sent.labels |= s.bareSecrets(c, hosts)
	}
	if len(hosts) > 0 && !slices.ContainsFunc(hosts, func(host string) bool { return !onThisMachine(host) }) {
		sent.labels &^= token
	}
	s.send(sent)
	s.noteRepositorySent(sent, hosts...)
	if local {
		out.labels &^= network
	}
	if toFile {
		if target.text == "-" || target.text == "/dev/stdout" || target.text == "/dev/fd/1" || target.text == "/proc/self/fd/1" {
			return out
		}
		if target.text == "" && len(hosts) > 0 {
			target = known(hosts[len(hosts)-1][strings.LastIndex(hosts[len(hosts)-1], "/")+1:])
		}
		if folder, ok := c.option("--output-dir"); ok {
			target.text = folder.text + "/" + target.text
		}
		s.write(target, out)
		return unknown(0)
	}
	return out
}

// body returns the labels of the data that an option of curl sends.
func (s *state) body(option string, v value) label {
	labels := v.labels
	if option == "H" || option == "u" {
		labels &^= token
	}
	file := ""
	switch option {
	case "T":
		if inner, ok := strings.CutPrefix(v.text, "{"); ok { // {a,b} is several files
			for _, name := range strings.Split(strings.TrimSuffix(inner, "}"), ",") {
				labels |= s.read(known(name)).labels
			}
			return labels
		}
		file = v.text
	case "K":
		settings := s.read(v)
		if v.text == "-" {
			settings = s.stdin
		}
		return labels | settings.labels&^secret | s.labelsOfNamedFiles("put "+strings.NewReplacer("@", " ", "=", " ").Replace(settings.text))
	case "b", "H", "u":
		if strings.HasPrefix(v.text, "@") {
			file = v.text[1:]
		} else if option == "b" && !strings.Contains(v.text, "=") {
			file = v.text
		}
	default:
		if at := strings.IndexAny(v.text, "@<"); at == 0 || at > 0 && v.text[at-1] == '=' {
			names, _, _ := strings.Cut(v.text[at+1:], ";")
			others := strings.Split(names, ",") // a form may have several files
			for _, name := range others[1:] {
				labels |= s.read(known(name)).labels
			}
			file = others[0]
		} else if at > 0 && !strings.ContainsAny(v.text[:at], " :/{\"") {
			file = v.text[at+1:]
		}
	}
	if file == "-" || file == "." {
		return labels | s.stdin.labels
	}
	if file != "" {
		labels |= s.read(value{text: file, incomplete: v.incomplete, labels: v.labels}).labels
	}
	return labels
}

// bareSecrets returns secret if a request sends only a variable whose name means a secret.
func (s *state) bareSecrets(c *call, hosts []string) label {
	for _, host := range hosts {
		if isForeign(host, hosts) {
			return secret
		}
	}
	bare := func(v value, text string) bool {
		return v.incomplete && bareSecretPattern.MatchString(strings.TrimSpace(text))
	}
	for i, a := range c.args {
		option, value, ok := strings.Cut(a.text, "=")
		if !ok && i+1 < len(c.args) {
			a, value = c.args[i+1], c.args[i+1].text
		}
		if option != "-d" && option != "--json" && option != "-F" && option != "--form" && option != "--url-query" && option != "--post-data" && option != "--body-data" && !strings.HasPrefix(option, "--data") {
			continue
		}
		if bare(a, value) || a.incomplete && isForeign(value, hosts) || strings.HasPrefix(value, "@-") && bare(s.stdin, s.stdin.text) {
			return secret
		}
	}
	return 0
}

// issuers maps the variable name of a token to parts of the issuer's host names.
var issuers = sync.OnceValue(func() map[string]string {
	return map[string]string{"GITHUB_TOKEN": "git|ghcr", "GH_TOKEN": "git|ghcr", "GITHUB_PAT": "git|ghcr", "OPENAI_API_KEY": "openai", "ANTHROPIC_API_KEY": "anthropic", "NPM_TOKEN": "npm", "NODE_AUTH_TOKEN": "npm|github", "PYPI_TOKEN": "pypi", "TWINE_PASSWORD": "pypi", "SLACK_TOKEN": "slack", "SLACK_BOT_TOKEN": "slack",
		"STRIPE_SECRET_KEY": "stripe", "STRIPE_API_KEY": "stripe", "HF_TOKEN": "huggingface", "SENDGRID_API_KEY": "sendgrid", "TWILIO_AUTH_TOKEN": "twilio", "CLOUDFLARE_API_TOKEN": "cloudflare", "DIGITALOCEAN_ACCESS_TOKEN": "digitalocean", "AWS_SESSION_TOKEN": "amazonaws", "GEMINI_API_KEY": "google", "DATABASE_URL": "-", "POSTGRES_PASSWORD": "-", "MYSQL_ROOT_PASSWORD": "-"}
})

var variablePattern = pattern.New(`\$\{?([A-Z][A-Z0-9_]*)`)

// isForeign reports whether a text contains a token of one service and is sent to a host of another.
func isForeign(text string, hosts []string) bool {
	for _, found := range variablePattern.FindAllStringSubmatch(text, 10) {
		issuer, ok := issuers()[found[1]]
		if ok && slices.ContainsFunc(hosts, func(host string) bool {
			name, _, _ := strings.Cut(host[strings.LastIndex(host, "://")+1:], "?")
			name = strings.TrimLeft(name, "/")
			if at := strings.IndexByte(name, '/'); at >= 0 {
				name = name[:at]
			}
			return !onThisMachine(host) && !strings.Contains(name, "$") && !slices.ContainsFunc(strings.Split(issuer, "|"), func(part string) bool { return strings.Contains(name, part) })
		}) {
			return true
		}
	}
	return false
}

// noteDeleteRequests notes DELETE requests to other machines.
func (s *state) noteDeleteRequests(urls []string) {
	for _, address := range urls {
		if !onThisMachine(address) || strings.Contains(address, ":9200") || strings.HasSuffix(address, "/_all") || strings.HasSuffix(address, "/*") {
			add(&s.effects.Remote, "DELETE "+address)
		}
	}
}

// onThisMachine reports whether a URL, with or without a scheme, names this machine as its host.
func onThisMachine(address string) bool {
	if scheme, rest, found := strings.Cut(address, "://"); found {
		if address = rest; strings.EqualFold(scheme, "file") {
			return true
		}
	}
	u, err := url.Parse("//" + address)
	return err == nil && loopback.Is(u.Hostname())
}

func wget(s *state, c *call) value {
	if cloudVariablePattern.MatchString(joinArgs(c.args).text) {
		s.send(value{labels: secret})
	}
	for i := range c.args {
		if name, rest, ok := strings.Cut(c.args[i].text, "="); ok && len(name) >= 8 {
			for _, full := range []string{"--output-document", "--post-file", "--body-file", "--post-data", "--body-data"} {
				if strings.HasPrefix(full, name) {
					c.args[i].text = full + "=" + rest
					break
				}
			}
		}
	}
	sent := unknown(s.labelsOf(c))
	if setting, ok := c.option("-e", "--execute"); ok { // as in .wgetrc: post_file=FILE
		if name, file, given := strings.Cut(setting.text, "="); given && strings.Contains(strings.NewReplacer("_", "", "-", "").Replace(name), "postfile") {
			sent.labels |= s.read(known(strings.TrimSpace(file))).labels
		}
	}
	for _, name := range []string{"--post-file", "--body-file", "-post", "-post_data"} {
		if file, ok := c.option(name); ok {
			sent.labels |= s.read(file).labels
		}
	}
	if file, ok := c.option("-i", "--input-file"); ok {
		s.read(file)
	}
	urls := c.words("OoaePiUtTQwl", "--output-document", "--post-data", "--post-file", "--header", "--directory-prefix", "--input-file", "--user", "--password", "--tries", "--timeout", "--user-agent", "--output-file")
	for _, url := range urls {
		s.noteHost(url.text)
	}
	hosts := make([]string, len(urls))
	for i, url := range urls {
		hosts[i] = url.text
	}
	if slices.ContainsFunc(hosts, func(host string) bool { return !onThisMachine(host) }) {
		sent.labels |= s.bareSecrets(c, hosts)
	}
	s.send(sent)
	s.noteRepositorySent(sent, hosts...)
	if method, ok := c.option("--method"); ok && strings.EqualFold(method.text, "DELETE") {
		for _, url := range urls {
			s.noteDeleteRequests([]string{url.text})
		}
	}
	out := unknown(network)
	target, ok := c.option("-O", "--output-document")
	if name := clusterValue(c, 'O'); !ok && name != "" {
		target, ok = known(name), true
	}
	if c.name == "aria2c" || c.name == "axel" || c.name == "fetch" {
		if named, given := c.option("-o", "--out", "--output"); given {
			target, ok = named, true
		}
	}
	switch {
	case ok && (target.text == "-" || target.text == "/dev/stdout"):
		return out
	case ok:
		s.write(target, out)
	case slices.Contains([]string{"lynx", "w3m", "links", "elinks", "GET", "lwp-request"}, c.name):
		return out
	case len(urls) > 0:
		name := "index.html"
		if _, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(urls[0].text, "https://"), "http://"), "/"); rest != "" {
			name = path.Base(rest)
		}
		if folder, ok := c.option("-P", "--directory-prefix"); ok {
			name = folder.text + "/" + name
		}
		s.write(known(name), out)
	}
	return unknown(0)
}

// clusterValue returns the value of a short option at the end of a cluster, such as -qO-.
func clusterValue(c *call, option byte) string {
	for i, a := range c.args {
		if len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' {
			if at := strings.IndexByte(a.text, option); at > 0 {
				if rest := a.text[at+1:]; rest != "" {
					return rest
				}
				if i+1 < len(c.args) {
					return c.args[i+1].text
				}
			}
		}
	}
	return ""
}

func httpie(s *state, c *call) value {
	sent := unknown(s.stdin.labels | s.labelsOf(c))
	for _, a := range c.args {
		if at := strings.IndexByte(a.text, '@'); at >= 0 && !strings.HasPrefix(a.text, "-") && !strings.Contains(a.text, "://") {
			sent.labels |= s.read(known(a.text[at+1:])).labels
		}
		if strings.EqualFold(a.text, "DELETE") {
			s.noteDeleteRequests([]string{joinArgs(c.args).text})
		}
	}
	for _, a := range c.words("oas", "--output", "--auth", "--session") {
		if strings.Contains(a.text, ".") {
			s.noteHost(a.text)
			s.noteRepositorySent(sent, a.text)
			break
		}
	}
	s.send(sent)
	if file, ok := c.option("-o", "--output"); ok {
		s.write(file, unknown(network))
		return unknown(0)
	}
	return unknown(network)
}

// netcat connects standard input and output, or a program, with another machine.
func netcat(s *state, c *call) value {
	program, ok := c.option("-e", "-c", "--exec", "--sh-exec", "--lua-exec")
	if c.name == "telnet" {
		ok = false
	}
	if text := clusterValue(c, 'e'); !ok && text != "" && c.name != "telnet" {
		program, ok = known(text), true
	}
	if ok {
		s.serveProgram(program)
	}
	words := c.words("ecpswXxiIqGmTV", "--exec", "--sh-exec", "--source", "--source-port", "--proxy", "--wait")
	if len(words) > 0 && strings.Trim(words[0].text, "0123456789") != "" {
		s.noteHost(words[0].text)
	}
	if first := strings.ToLower(strings.TrimSpace(s.stdin.text)); strings.HasPrefix(first, "flushall") || strings.HasPrefix(first, "flushdb") || strings.HasPrefix(first, "flush_all") {
		add(&s.effects.Remote, first)
	}
	s.send(unknown(s.stdin.labels | s.labelsOf(c) | variablesOf(c.args...) | variablesOf(s.stdin)))
	if len(words) > 0 && !c.has("-l", "--listen") { // a server sends nothing by itself
		s.noteRepositorySent(s.stdin, words[0].text)
		port := ""
		if len(words) > 1 {
			port = words[1].text
		}
		if !c.has("-z") {
			s.noteFileSent(s.stdin, words[0].text, port)
		}
	}
	return unknown(network)
}

// variablesOf returns secret if the name of a variable in a text means a secret.
func variablesOf(values ...value) label {
	for _, v := range values {
		if v.incomplete && secretVariablePattern.MatchString(v.text) {
			return secret
		}
	}
	return 0
}

const secretName = `\w*(?:token|secret|passw(?:or)?d|passphrase|(?:api|access|private|secret|signing|encryption)_?key|credential)s?(?:_?(?:value|b64|base64|\d+))?`

var (
	secretVariablePattern = pattern.New(`(?i)\$\{?` + secretName + `\b`)
	// bareSecretPattern matches a text that is only a variable with a secret. API clients send such a variable among other words.
	bareSecretPattern = pattern.New(`(?i)^\$(?:` + secretName + `|\{` + secretName + `\})$`)
	// cloudVariablePattern matches secrets that no HTTP request contains in clear text.
	cloudVariablePattern = pattern.New(`\$\{?(?:AWS_SECRET_ACCESS_KEY|\w*PRIVATE_KEY|GOOGLE_APPLICATION_CREDENTIALS|KUBECONFIG_DATA)\b`)
)

// serveProgram handles a program whose input and output are connected to another machine.
func (s *state) serveProgram(program value) {
	add(&s.effects.Programs, programName(strings.TrimSpace(program.text)))
	sub := s.child()
	sub.stdin, sub.hasStdin = unknown(network), true
	out := value{}
	s.noteCode(value{labels: bounded(program).labels & cutOff})
	if len(program.text) <= maxText && sub.step() {
		out = sub.runHere(program)
	}
	s.send(out)
	if stmts, ok := parse(program.text); ok {
		for _, stmt := range stmts {
			if endsInShell(stmt) {
				s.noteFlow("network to shell")
			}
		}
	}
}

func socat(s *state, c *call) value {
	ends := c.words("dlbTtsLW")
	var hosts, ports []string
	isNetwork := func(v value) bool {
		kind, rest, _ := strings.Cut(v.text, ":")
		kind = strings.ToUpper(kind)
		for _, prefix := range []string{"TCP", "UDP", "OPENSSL", "SSL", "SCTP", "DCCP", "SOCKS", "PROXY", "IP", "VSOCK", "DTLS", "WEBSOCKET"} {
			if strings.HasPrefix(kind, prefix) {
				host, port, _ := strings.Cut(rest, ":")
				if strings.HasPrefix(rest, "[") {
					host, port, _ = strings.Cut(rest, "]")
					host += "]"
				}
				port, _, _ = strings.Cut(strings.TrimPrefix(port, ":"), ",")
				if strings.Contains(kind, "LISTEN") {
					host = "localhost"
				}
				if !strings.Contains(kind, "LISTEN") {
					s.noteHost(host)
				}
				hosts, ports = append(hosts, host), append(ports, port)
				return true
			}
		}
		return false
	}
	networked := slices.ContainsFunc(ends, isNetwork)
	data := unknown(0)
	if networked {
		data.labels |= network
	}
	for _, end := range ends {
		kind, rest, _ := strings.Cut(end.text, ":")
		rest, _, _ = strings.Cut(rest, ",")
		rest, _, _ = strings.Cut(rest, "!!")
		switch strings.ToUpper(kind) {
		case "EXEC", "SYSTEM", "SHELL":
			code := strings.NewReplacer(`\"`, `"`, `\ `, " ", `\'`, "'").Replace(rest)
			if len(code) > 1 && code[0] == '\'' && strings.Count(code, "'") == 2 && code[len(code)-1] == '\'' {
				code = code[1 : len(code)-1]
			}
			if code == "" && strings.EqualFold(kind, "SHELL") {
				code = "sh"
			}
			if unquoted := strings.Trim(code, `"`); strings.Count(code, `"`) == 2 && strings.HasPrefix(code, `"`) {
				code = unquoted
			}
			if networked {
				s.serveProgram(known(code))
			}
			sub := s.child()
			sub.stdin, sub.hasStdin = unknown(data.labels), true
			if sub.step() {
				data.labels |= sub.runHere(known(code)).labels
			}
		case "OPEN", "FILE", "GOPEN", "CREATE", "PIPE":
			data.labels |= s.read(known(rest)).labels
		case "FD":
			if found, ok := s.fds[rest]; ok {
				networked = networked || found.network
			}
			data.labels |= s.read(known("/dev/fd/" + rest)).labels
		case "-", "STDIO", "STDIN":
			data.labels |= s.stdin.labels
		default:
			if !isNetwork(end) && (strings.Contains(end.text, "/") || len(readPlaces(s.absolute(end.text))) > 0) {
				data.labels |= s.read(end).labels
			}
		}
	}
	if len(ends) == 2 && !networked {
		kind, file, _ := strings.Cut(ends[1].text, ":")
		if file, _, _ = strings.Cut(file, ","); slices.Contains([]string{"OPEN", "FILE", "GOPEN", "CREATE", "PIPE"}, strings.ToUpper(kind)) {
			s.write(known(file), data)
		}
	}
	// A program at the right address receives the data that the left address reads.
	if len(ends) == 2 && !networked {
		if kind, code, ok := strings.Cut(ends[1].text, ":"); ok && (strings.EqualFold(kind, "EXEC") || strings.EqualFold(kind, "SYSTEM")) {
			sub := s.child()
			sub.stdin, sub.hasStdin = data, true
			if sub.step() {
				sub.runHere(known(strings.Trim(code, `'"`)))
			}
		}
	}
	if networked {
		s.send(data)
		s.noteRepositorySent(data, hosts...)
		for i, host := range hosts {
			s.noteFileSent(data, host, ports[i])
		}
	}
	return data
}

// ssh runs a command on another machine.
func ssh(s *state, c *call) value {
	w := wrapper{valued: "bcDEeFIiJLlmOopQRSWw"}
	rest, _ := w.wrapped(c.args)
	for i, a := range c.args {
		option := a.text
		if a.text == "-o" && i+1 < len(c.args) {
			option = c.args[i+1].text
		}
		for _, name := range []string{"LocalCommand=", "ProxyCommand=", "KnownHostsCommand="} {
			if _, command, ok := strings.Cut(option, name); ok {
				s.runText(known(command), nil)
			}
		}
	}
	if len(rest) == 0 {
		return unknown(network)
	}
	s.noteHost(rest[0].text)
	s.send(unknown(s.stdin.labels | s.labelsOf(c)))
	if c.has("-R") {
		add(&s.effects.Protections, "ssh -R")
	}
	sub := s.child()
	sub.host, sub.cwd = hostOf(rest[0].text), ""
	if command := rest[1:]; len(command) > 0 {
		code := remoteCommand(command)
		if _, ok := numericHost(hostOf(rest[0].text)); ok && storesInputPattern.MatchString(code.text) { // a name is that of a known host
			s.noteRepositorySent(s.stdin, rest[0].text)
		}
		sub.noteCode(value{labels: bounded(code).labels})
		if sub.step() && len(code.text) <= maxText {
			sub.runHere(code)
		}
	} else if s.hasStdin && sub.step() {
		sub.noteCode(value{labels: bounded(s.stdin).labels & cutOff})
		sub.runHere(s.stdin)
	}
	return unknown(network)
}

// storesInputPattern matches a command that stores its input as one file. Commands that unpack the input deploy a
// project.
var storesInputPattern = pattern.New(`^\s*(?:sudo\s+)?(?:(?:cat|tee|dd|base64|gzip|xz|zstd|openssl)\b|>)[^|;&]*$`)

func hostOf(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		text = text[at+1:]
	}
	return text
}

func secureCopy(s *state, c *call) value {
	words := c.words("bBcFiJloPSDX")
	if program, ok := c.option("-S"); ok {
		s.runText(program, nil)
	}
	for i, a := range c.args {
		if a.text == "-o" && i+1 < len(c.args) {
			a.text += c.args[i+1].text
		}
		if _, command, ok := strings.Cut(a.text, "ProxyCommand="); ok {
			s.runText(known(command), nil)
		}
	}
	if c.name == "sftp" {
		for line := range strings.Lines(s.stdin.text) {
			if fields := strings.Fields(line); len(fields) > 1 && (fields[0] == "rm" || fields[0] == "rmdir" || fields[0] == "put") && len(writePlaces(fields[len(fields)-1])) > 0 {
				add(&s.effects.WritesOf, RemoteHost)
			}
		}
	}
	if len(words) < 2 {
		if len(words) == 1 {
			s.noteHost(words[0].text)
		}
		s.send(unknown(s.stdin.labels | s.labelsOfNamedFiles(s.stdin.text)))
		if batch, ok := c.option("-b"); ok {
			s.send(unknown(s.labelsOfNamedFiles(s.scriptContent(batch).text)))
		}
		return unknown(network)
	}
	to := words[len(words)-1]
	all := value{}
	for _, from := range words[:len(words)-1] {
		if host, ok := remotePath(from.text); ok {
			s.noteHost(host)
			all.labels |= network
			if _, file, ok := strings.Cut(from.text, ":"); ok && (isCredentials(file) || isEnvironment(file)) {
				all.labels |= secret
			}
		} else {
			all.labels |= s.read(from).labels
		}
	}
	host, ok := remotePath(to.text)
	if !ok {
		s.write(to, unknown(all.labels))
		return unknown(0)
	}
	s.noteHost(host)
	s.send(all)
	_, file, _ := strings.Cut(to.text, ":")
	add(&s.effects.Writes, hostOf(host)+":"+file)
	s.noteRemoteWrite(file)
	return unknown(0)
}

// noteRemoteWrite notes a system file that is written on another machine.
func (s *state) noteRemoteWrite(file string) {
	if places := writePlaces(file); slices.Contains(places, Startup) || strings.HasSuffix(file, ".ssh/authorized_keys") {
		add(&s.effects.WritesOf, RemoteHost)
	}
	if slices.Contains(systemFiles, file) || slices.ContainsFunc(systemFilesIn, func(folder string) bool { return strings.HasPrefix(file, folder) }) {
		add(&s.effects.WritesOf, RemoteHost)
	}
}

// labelsOfNamedFiles returns the labels of files in commands of a transfer program, such as put FILE.
func (s *state) labelsOfNamedFiles(text string) (labels label) {
	if !strings.Contains(text, "put") && !strings.Contains(text, "mirror") && !strings.Contains(text, "send") {
		return 0
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n;'\"", r) }) {
		if len(readPlaces(s.absolute(word))) > 0 {
			s.noteRead(word)
		}
		labels |= s.content(known(word)).labels
		if !s.step() {
			break
		}
	}
	return labels &^ tree
}

var ftpDeletePattern = pattern.New(`(?:^|[\s;'"])(?:delete|mdelete|deltree|rmdir|rm -r|mrm|rm)\s+\S+|--delete`)

// transferProgram handles other programs that send their input or files.
func transferProgram(s *state, c *call) value {
	sent := unknown(s.stdin.labels | s.labelsOf(c))
	for _, a := range c.args {
		if !strings.HasPrefix(a.text, "-") && looksLikePath(a.text) {
			if full := s.absolute(a.text); len(readPlaces(full)) > 0 || s.files[full].labels != 0 {
				sent.labels |= s.read(a).labels
			}
		}
	}
	commands := s.stdin.text + " " + joinArgs(c.args).text
	sent.labels |= s.labelsOfNamedFiles(commands)
	if slices.Contains([]string{"dig", "nslookup", "host", "ping", "mail", "mailx", "telnet", "whois", "finger"}, c.name) {
		sent.labels |= variablesOf(c.args...) | variablesOf(s.stdin)
	}
	if found := ftpDeletePattern.FindString(commands); found != "" && (c.name == "ftp" || c.name == "lftp" || c.name == "sftp" || c.name == "smbclient") {
		add(&s.effects.Remote, c.name+" "+strings.TrimSpace(found))
	}
	if c.name != "logger" || c.has("-n", "--server") {
		s.send(sent)
	}
	switch c.name {
	case "rclone", "s3cmd":
		return remoteProgram(s, c)
	case "dig", "nslookup", "host", "ftp", "lftp", "tftp", "smbclient", "finger", "whois":
		return unknown(network)
	}
	return unknown(0)
}

// connectionServer handles programs that start a program for each connection: tcpserver HOST PORT PROGRAM ARGUMENT...
func connectionServer(s *state, c *call) value {
	if words := c.words("cCbugltxX"); len(words) > 2 {
		s.serveProgram(joinArgs(words[2:]))
	}
	return unknown(network)
}

// downloadTo handles programs of Windows that write the file of an address to the next argument.
func downloadTo(s *state, c *call) value {
	for i, a := range c.args {
		if strings.Contains(a.text, "://") && i+1 < len(c.args) {
			s.noteHost(a.text)
			s.write(c.args[i+1], unknown(network))
		}
	}
	return unknown(0)
}
