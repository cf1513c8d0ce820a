package shell

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/loopback"
	"nomograph/internal/pattern"
)

// request is what the arguments of curl and wget say.
type request struct {
	method string
	hosts  []string // addresses
	sent   value
	target value
	toFile bool
}

// curl sends data from its arguments, and prints the response.
func curl(s *state, c *call) value {
	s.noteCloudSecrets(c)
	var r request
	for _, address := range c.eachOption(func(option string, v value) { s.curlOption(&r, option, v) }) {
		r.hosts = append(r.hosts, address.text)
		r.sent.labels |= address.labels & secret
	}
	out := unknown(network)
	for _, host := range r.hosts {
		if file, ok := LocalFile(host); ok {
			out = s.read(known(file))
			out.labels &^= network
			continue
		}
		s.noteHost(host)
	}
	s.noteDeletions(c, r)
	s.sendRequest(c, r)
	switch {
	case !r.toFile, isOneOf(r.target.text, "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
		return out
	case r.target.text == "" && len(r.hosts) > 0:
		last := r.hosts[len(r.hosts)-1]
		r.target = known(last[strings.LastIndexByte(last, '/')+1:])
	}
	if folder, ok := c.option("--output-dir"); ok {
		r.target.text = folder.text + "/" + r.target.text
	}
	s.write(r.target, out)
	return unknown(0)
}

// noteCloudSecrets notes a variable with a secret that no request contains in clear text, unless it is the key that
// signs the request and is not sent.
func (s *state) noteCloudSecrets(c *call) {
	signing := c.has("--aws-sigv4")
	for i, a := range c.args {
		user := strings.HasPrefix(a.text, "-u") || strings.HasPrefix(a.text, "--user=") ||
			i > 0 && (c.args[i-1].text == "-u" || c.args[i-1].text == "--user")
		if !(signing && user) && cloudVariablePattern.MatchString(a.text) {
			s.send(value{labels: secret})
		}
	}
}

func (s *state) curlOption(r *request, option string, v value) {
	switch option {
	case "-d", "-F", "--json", "--url-query":
		r.sent.labels |= s.body("d", v)
	case "-T", "--upload-file":
		r.sent.labels |= s.body("T", v)
	case "-K", "--config":
		r.sent.labels |= s.body("K", v)
	case "-b", "--cookie":
		r.sent.labels |= s.body("b", v)
	case "-H", "-u", "--header", "--user":
		r.sent.labels |= s.body("H", v)
	case "-o", "--output":
		r.target, r.toFile = v, true
	case "-O", "-J", "--remote-name", "--remote-name-all":
		r.toFile = true
	case "-X", "--request":
		r.method = v.text
	case "--url":
		r.hosts = append(r.hosts, v.text)
	case "-x", "--proxy", "--preproxy":
		s.noteHost(v.text)
	default:
		if strings.HasPrefix(option, "--data") || strings.HasPrefix(option, "--form") {
			r.sent.labels |= s.body("d", v)
		}
		r.sent.labels |= v.labels & secret
	}
}

// noteDeletions notes requests that delete resources: DELETE, a mutation of GraphQL, and a query of Elasticsearch.
func (s *state) noteDeletions(c *call, r request) {
	if strings.EqualFold(r.method, "DELETE") || strings.EqualFold(r.method, "PURGE") {
		s.noteDeleteRequests(r.hosts)
	}
	for _, host := range r.hosts {
		if strings.Contains(host, "/_delete_by_query") {
			add(&s.effects.Remote, "POST "+host)
		}
	}
	if len(r.hosts) > 0 && !onThisMachine(r.hosts[0]) {
		add(&s.effects.Remote, deletingMutationPattern.FindString(joinArgs(c.args).text))
	}
}

// sendRequest notes the data that a request sends.
func (s *state) sendRequest(c *call, r request) {
	elsewhere := slices.ContainsFunc(r.hosts, func(host string) bool { return !onThisMachine(host) })
	if elsewhere {
		r.sent.labels |= s.bareSecrets(c, r.hosts)
	} else if len(r.hosts) > 0 {
		r.sent.labels &^= token
	}
	s.send(r.sent)
	s.noteRepositorySent(r.sent, r.hosts...)
}

// body returns the labels of the data that an option of curl sends.
func (s *state) body(option string, v value) label {
	labels := v.labels
	if option == "H" {
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
		files := strings.NewReplacer("@", " ", "=", " ").Replace(settings.text)
		return labels | settings.labels&^secret | s.labelsOfNamedFiles("put "+files)
	case "b", "H":
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
		labels |= s.read(v.with(file)).labels
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
		if !slices.Contains(dataOptions, option) && !strings.HasPrefix(option, "--data") {
			continue
		}
		if bare(a, value) || a.incomplete && isForeign(value, hosts) ||
			strings.HasPrefix(value, "@-") && bare(s.stdin, s.stdin.text) {
			return secret
		}
	}
	return 0
}

// dataOptions are options of curl and wget with data that they send, besides those that begin with --data.
var dataOptions = []string{"-d", "-F", "--json", "--form", "--url-query", "--post-data", "--body-data"}

// issuers maps the variable name of a token to parts of the issuer's host names.
var issuers = sync.OnceValue(func() map[string][]string { return programsWith("issues") })

var variablePattern = pattern.New(`\$\{?([A-Z][A-Z0-9_]*)`)

// isForeign reports whether a text contains a token of one service and is sent to a host of another.
func isForeign(text string, hosts []string) bool {
	for _, found := range variablePattern.FindAllStringSubmatch(text, 10) {
		issuer, ok := issuers()[found[1]]
		if ok && slices.ContainsFunc(hosts, func(host string) bool {
			name, _, _ := strings.Cut(host[strings.LastIndex(host, "://")+1:], "?")
			name, _, _ = strings.Cut(strings.TrimLeft(name, "/"), "/")
			return !onThisMachine(host) && !strings.Contains(name, "$") && !containsAny(name, issuer...)
		}) {
			return true
		}
	}
	return false
}

// noteDeleteRequests notes DELETE requests to other machines.
func (s *state) noteDeleteRequests(urls []string) {
	for _, address := range urls {
		if !onThisMachine(address) || strings.Contains(address, ":9200") || strings.HasSuffix(address, "/_all") ||
			strings.HasSuffix(address, "/*") {
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
	s.noteCloudSecrets(c)
	r := request{sent: unknown(s.labelsOf(c))}
	var folder string
	for _, address := range c.eachOption(func(option string, v value) {
		switch option {
		case "--post-file", "--body-file":
			r.sent.labels |= s.read(v).labels
		case "-i", "--input-file":
			s.read(v)
		case "-O", "--output-document", "--out", "--output":
			r.target, r.toFile = v, true
		case "-o":
			if c.name != "wget" { // of wget, it is the log
				r.target, r.toFile = v, true
			}
		case "-P", "--directory-prefix":
			folder = v.text + "/"
		case "--method":
			r.method = v.text
		}
	}) {
		s.noteHost(address.text)
		r.hosts = append(r.hosts, address.text)
	}
	s.noteDeletions(c, r)
	s.sendRequest(c, r)
	out := unknown(network)
	switch {
	case r.toFile && (r.target.text == "-" || r.target.text == "/dev/stdout"),
		isOneOf(c.name, "lynx", "w3m", "links", "elinks", "GET", "lwp-request"):
		return out
	case r.toFile:
		s.write(r.target, out)
	case len(r.hosts) > 0:
		_, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.hosts[0], "https://"), "http://"), "/")
		s.write(known(folder+path.Base(cmp.Or(rest, "index.html"))), out)
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
		if at := strings.IndexByte(a.text, '@'); at >= 0 && !strings.HasPrefix(a.text, "-") &&
			!strings.Contains(a.text, "://") {
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
	if first := strings.ToLower(strings.TrimSpace(s.stdin.text)); strings.HasPrefix(first, "flushall") ||
		strings.HasPrefix(first, "flushdb") || strings.HasPrefix(first, "flush_all") {
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
	// bareSecretPattern matches a text that is only a variable with a secret. API clients send such a variable among
	// other words.
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
	if startsShellPattern.MatchString(program.text) {
		s.noteFlow(networkToShell)
	}
}

// address is an address of socat: KIND:REST,OPTION.
type address struct {
	value
	kind, rest string
	host, port string // of another machine, "" for other addresses; localhost for one that listens
}

func socatAddress(v value) address {
	kind, rest, _ := strings.Cut(v.text, ":")
	a := address{value: v, kind: strings.ToUpper(kind)}
	a.rest, _, _ = strings.Cut(rest, ",")
	a.rest, _, _ = strings.Cut(a.rest, "!!")
	if !slices.ContainsFunc(commonWords()["connections"],
		func(prefix string) bool { return strings.HasPrefix(a.kind, prefix) }) {
		return a
	}
	a.host, a.port, _ = strings.Cut(a.rest, ":")
	if inner, port, ok := strings.Cut(a.rest, "]"); ok {
		a.host, a.port = inner+"]", strings.TrimPrefix(port, ":")
	}
	if strings.Contains(a.kind, "LISTEN") || a.host == "" {
		a.host = "localhost"
	}
	return a
}

// runsProgram and isFile report whether an address is a program or a file.
func (a address) runsProgram() bool {
	return a.kind == "EXEC" || a.kind == "SYSTEM" || a.kind == "SHELL"
}

func (a address) isFile() bool {
	return isOneOf(a.kind, "OPEN", "FILE", "GOPEN", "CREATE", "PIPE")
}

// program returns the command line of an address.
func (a address) program() value {
	code := strings.NewReplacer(`\"`, `"`, `\ `, " ", `\'`, "'").Replace(a.rest)
	for _, mark := range []string{"'", `"`} { // around the whole command line
		if strings.Count(code, mark) == 2 && strings.HasPrefix(code, mark) && strings.HasSuffix(code, mark) {
			code = strings.Trim(code, mark)
		}
	}
	return known(cmp.Or(code, "sh"))
}

// socat connects two addresses: connections, programs and files.
func socat(s *state, c *call) value {
	var ends, remote []address
	for _, word := range c.words("dlbTtsLW") {
		end := socatAddress(word)
		if ends = append(ends, end); end.host != "" {
			remote = append(remote, end)
		}
		if end.host != "" && !strings.Contains(end.kind, "LISTEN") {
			s.noteHost(end.host)
		}
	}
	data := unknown(0)
	if len(remote) > 0 {
		data.labels |= network
	}
	for i, end := range ends {
		switch {
		case end.runsProgram() && len(remote) > 0:
			s.serveProgram(end.program())
			fallthrough
		case end.runsProgram():
			sub := s.child()
			sub.stdin, sub.hasStdin = data, true
			if sub.step() {
				data.labels |= sub.runHere(end.program()).labels
			}
		case end.isFile() && i == 1 && len(remote) == 0:
			s.write(known(end.rest), data)
		case end.isFile():
			data.labels |= s.read(known(end.rest)).labels
		case end.kind == "FD":
			if socket := s.fds[end.rest]; socket.network {
				host, port := socketHost(socket.path)
				remote = append(remote, address{host: host, port: port})
			}
			data.labels |= s.read(known("/dev/fd/" + end.rest)).labels
		case end.kind == "-", end.kind == "STDIO", end.kind == "STDIN":
			data.labels |= s.stdin.labels
		case end.host == "" && (strings.Contains(end.text, "/") || len(readPlaces(s.absolute(end.text))) > 0):
			data.labels |= s.read(end.value).labels
		}
	}
	if len(remote) > 0 {
		s.send(data)
	}
	for _, end := range remote {
		s.noteRepositorySent(data, end.host)
		s.noteFileSent(data, end.host, end.port)
	}
	return data
}

// ssh runs a command on another machine.
func ssh(s *state, c *call) value {
	w := wrapper{valued: "bcDEeFIiJLlmOopQRSWw"}
	rest, _ := w.wrapped(c.args)
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
		code := joinArgs(command)
		// a name is that of a known host
		if _, ok := numericHost(hostOf(rest[0].text)); ok && storesInputPattern.MatchString(code.text) {
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

func hostOf(text string) string { return text[strings.LastIndexByte(text, '@')+1:] }

func secureCopy(s *state, c *call) value {
	words := c.words("bBcFiJloPSDX")
	if c.name == "sftp" {
		for line := range strings.Lines(s.stdin.text) {
			if fields := strings.Fields(line); len(fields) > 1 &&
				(fields[0] == "rm" || fields[0] == "rmdir" || fields[0] == "put") &&
				len(writePlaces(fields[len(fields)-1])) > 0 {
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
	if places := writePlaces(file); slices.Contains(places, Startup) ||
		strings.HasSuffix(file, ".ssh/authorized_keys") {
		add(&s.effects.WritesOf, RemoteHost)
	}
	if slices.Contains(systemFiles, file) || beginsWith(file, systemFilesIn) {
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
	if isOneOf(c.name, "dig", "nslookup", "host", "ping", "mail", "mailx", "telnet", "whois", "finger") {
		sent.labels |= variablesOf(c.args...) | variablesOf(s.stdin)
	}
	if found := ftpDeletePattern.FindString(commands); found != "" &&
		(c.name == "ftp" || c.name == "lftp" || c.name == "sftp" || c.name == "smbclient") {
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
