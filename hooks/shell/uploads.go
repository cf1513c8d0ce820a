package shell

import (
	"slices"
	"strings"

	"nomograph/internal/pattern"
)

// noteUploadedFiles notes the secrets that an operation of operations.tsv sends.
func (s *state) noteUploadedFiles(c *call) {
	forms := slices.DeleteFunc(slices.Clone(operationsOf[c.name]),
		func(o operation) bool { return o.meaning != sendsFiles })
	if len(forms) == 0 || len(c.args) == 0 || c.contains("--help") ||
		slices.Contains(commonWords()["uploaders"], c.name) && c.isDryRun() {
		return
	}
	words := c.words("")
	if !slices.ContainsFunc(forms, func(o operation) bool { return o.matches(c, words) }) {
		return
	}
	labels := (s.labelsOf(c) | s.stdin.labels) & secret
	here := withoutRemoteNames(c)
	for i, a := range here.args {
		option, _, glued := strings.Cut(a.text, "=")
		if i > 0 && !glued {
			option = here.args[i-1].text
		}
		if slices.Contains(commonWords()["logins"], option) || option == "-i" || option == "--authfile" ||
			option == "--creds" {
			continue
		}
		for _, name := range filesIn(a.text) {
			if looksLikePath(name) && strings.Trim(name, "./~*") != "" && !s.isProjectHome(name) {
				labels |= s.labelsOfFile(value{text: name, incomplete: a.incomplete}) & secret
			}
		}
	}
	s.send(value{labels: labels})
}

// withoutRemoteNames returns a call without the arguments that name a remote resource, or a file that a download
// writes. An argument with labels, such as the content of a file with secrets, stays.
func withoutRemoteNames(c *call) *call {
	words := c.words("")
	at := func(i int) string {
		if i < len(words) {
			return words[i].text
		}
		return ""
	}
	var options []string
	files := true // words may be files
	switch c.name {
	case "aws":
		options = []string{"--bucket", "--key", "--prefix", "--copy-source", "--name", "--secret-id", "--function-name"}
	case "consul", "etcdctl": // files are @FILE
		files = !(at(0) == "put" || at(0) == "kv" && at(1) == "put")
	case "gcloud":
		options = []string{"--env-vars-file", "--build-env-vars-file"}
		files = !(at(0) == "storage" && isDownload(words, 2))
	case "skopeo", "b2":
		files = !isDownload(words, 1)
	case "supabase":
		files = !isDownload(words, 2)
	case "linode-cli":
		files = !(at(0) == "obj" && at(1) != "put")
	case "vercel":
		files = !(at(0) == "env" && at(1) == "pull")
	default:
		return c
	}
	kept := &call{name: c.name, path: c.path}
	for i, a := range c.args {
		option, _, glued := strings.Cut(a.text, "=")
		if i > 0 && !glued {
			option = c.args[i-1].text
		}
		word := !strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "@")
		if a.labels != 0 || !slices.Contains(options, option) && (files || !word) {
			kept.args = append(kept.args, a)
		}
	}
	return kept
}

// isDownload reports whether a copy goes from an address to a file: SCHEME://ADDRESS FILE. first is the index of the
// address.
func isDownload(words []value, first int) bool {
	if len(words) < first+2 || !strings.Contains(words[first].text, "://") {
		return false
	}
	return !slices.ContainsFunc(words[first+1:],
		func(v value) bool { return strings.Contains(v.text, "://") || v.incomplete })
}

// filesIn returns the texts in an argument that may name a file: FILE, @FILE, --option=FILE, dir:FILE, file://FILE,
// FILE:TYPE.
func filesIn(text string) []string {
	if strings.HasPrefix(text, "-") || strings.Contains(text, "=") {
		_, given, ok := strings.Cut(text, "=")
		if !ok {
			return nil
		}
		text = given
	}
	text = strings.TrimLeft(text, "@<")
	for _, prefix := range []string{"fileb://", "file://", "docker-archive:", "oci-archive:", "oci:", "dir:", "path="} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			return []string{rest}
		}
	}
	if file, kind, ok := strings.Cut(text, ":"); ok && strings.Contains(kind, "/") && !strings.Contains(text, "://") {
		return []string{text, file}
	}
	return []string{text}
}

// noteRepositorySent notes a whole repository, or changes that exist nowhere else, that are sent to an unknown server.
func (s *state) noteRepositorySent(data value, hosts ...string) {
	if data.labels&repository != 0 &&
		slices.ContainsFunc(hosts, func(host string) bool { return !isKnownServer(host) }) {
		add(&s.effects.Git, pushElsewhere)
	}
}

// servicePorts are ports of services that take requests, mails, metrics or log lines, which people prepare in files.
const servicePorts = "25 43 79 80 514 587 2003 2004 2181 2525 6379 8080 8125 9125 11211"

// noteFileSent notes a file that goes to another machine over a bare connection, without the rights and logs of a
// service. Copies in a private network are ordinary. A name in .local belongs to such a network.
func (s *state) noteFileSent(data value, host, port string) {
	ip, numeric := numericHost(host)
	nearby := onThisMachine(host) || numeric && ip.IsPrivate() || strings.HasSuffix(host, ".local") ||
		host == "host.docker.internal"
	if data.labels&fromFile != 0 && s.host == "" && !nearby && !slices.Contains(strings.Fields(servicePorts), port) {
		s.noteFlow(fileToBareConnection)
	}
}

// deploymentServers are services that take a project's source for deploying it.
var deploymentServers = placesByKind["server of deployments"]

var plainHostPattern = pattern.New(`^[A-Za-z0-9_-]*[A-Za-z_-][A-Za-z0-9_-]*$`)

// isKnownServer reports whether an address is this machine, in a private network, a forge or a service for deployments.
// A name without dots belongs to the local network. A host in a variable counts as known, as in a push to a remote.
func isKnownServer(address string) bool {
	host := hostOfURL(address)
	if ip, ok := numericHost(host); ok {
		return ip.IsPrivate() || ip.IsLoopback()
	}
	if host != "" {
		return isForge(host) || isBelow(host, deploymentServers)
	}
	if onThisMachine(address) {
		return true
	}
	rest, _ := authority(address)
	name, _, _ := strings.Cut(rest, ":")
	return strings.HasPrefix(rest, "$") || plainHostPattern.MatchString(name) &&
		!strings.HasPrefix(strings.ToLower(name), "0x")
}
