package shell

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

// noteContainerAccess notes containers with access to the host: all of its files, its processes, its devices or the
// socket of its engine.
func (s *state) noteContainerAccess(c *call) {
	note := func(what string) { add(&s.effects.Protections, what) }
	(&call{name: "docker", args: c.args}).eachOption(func(option string, v value) {
		switch {
		case option == "--privileged" && v.text != "false":
			note("a privileged container")
		case isOneOf(option, "--pid", "--userns", "--ipc") && v.text == "host":
			note("a container with the processes of the machine")
		case option == "--cap-add" &&
			slices.Contains(openCapabilities, strings.TrimPrefix(strings.ToUpper(v.text), "CAP_")):
			note("a container with " + v.text)
		case option == "--security-opt" &&
			(strings.HasSuffix(v.text, "unconfined") || strings.HasSuffix(v.text, "disable")):
			note("a container without " + v.text)
		case option == "--device" && isDevice(v.text):
			note("a container with a disk")
		}
	})
	for _, from := range mountsIn(c.args) {
		if full := s.absolute(from); slices.Contains(openMounts, full) {
			note("a container with " + full)
		}
	}
}

// openCapabilities and openMounts let a container change the machine.
var (
	openCapabilities = strings.Fields("ALL SYS_ADMIN SYS_PTRACE SYS_MODULE DAC_READ_SEARCH SYS_RAWIO")
	openMounts       = strings.Fields("/ /etc /root /dev /proc /boot /var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock")
)

// metadata lists addresses where a cloud machine can read its own credentials.
var metadata = []string{"169.254.169.254", "169.254.170.2", "metadata.google.internal", "100.100.100.200",
	"metadata.azure.com", "[fd00:ec2::254]"}

// noteMetadataRequest notes a request for the credentials of a cloud machine.
func (s *state) noteMetadataRequest(address string) {
	address += "\n" + plainAddress(address)
	for _, host := range metadata {
		_, rest, ok := strings.Cut(address, host)
		if ok && containsAny(rest, "credentials", "CREDENTIALS", "token", "user-data", "identity", "attributes") {
			add(&s.effects.ReadsOf, Credentials)
		}
	}
}

// noteVariable notes settings of the shell that hide what it does or weaken other programs.
func (s *state) noteVariable(name, text string) {
	switch {
	case name == "HISTFILE" && (text == "/dev/null" || text == ""),
		(name == "HISTSIZE" || name == "HISTFILESIZE") && text == "0":
		add(&s.effects.Protections, "the history of the shell")
	case strings.HasPrefix(name, "LD_PRELOAD") && inOpenFolder(text),
		(name == "BASH_ENV" || name == "ENV" || name == "PYTHONSTARTUP") && inOpenFolder(text),
		name == "NODE_OPTIONS" && loadsOpenFilePattern.MatchString(text),
		name == "NODE_TLS_REJECT_UNAUTHORIZED" && text == "0", name == "PYTHONHTTPSVERIFY" && text == "0",
		name == "GIT_SSL_NO_VERIFY" && text != "" && text != "0" && text != "false":
		add(&s.effects.Protections, name)
	}
}

// loadsOpenFilePattern matches options of Node that run a file in a folder that every user may write.
var loadsOpenFilePattern = pattern.New(`(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)[=\s]\s*(?:file://)?/(?:tmp|var/tmp|dev/shm)/`)

// Kinds of packages in Effects.Installs.
const (
	otherRegistry     = "other registry"
	unsignedPackage   = "unsigned package"
	openPackage       = "package over an open connection"
	packageFromURL    = "package from a URL"
	unknownServer     = "package from an unknown server"
	downloadedPackage = "downloaded package"
)

// installers maps programs to their words that install packages.
var installers = sync.OnceValue(func() map[string][]string { return programsWith("installs") })

// noteInstall notes packages from another source than the default registry.
func (s *state) noteInstall(c *call) {
	verbs, ok := installers()[c.name]
	if !ok || verbs != nil &&
		!slices.ContainsFunc(c.args, func(a value) bool { return slices.Contains(verbs, a.text) }) {
		return
	}
	switch c.name {
	case "apt-key", "add-apt-repository":
		add(&s.effects.Installs, otherRegistry)
		return
	case "nix": // runs a program of a repository
		if words := c.words(""); len(words) > 1 && strings.Contains(words[1].text, ":") &&
			!strings.Contains(strings.ToLower(words[1].text), ":nixos/nixpkgs") {
			add(&s.effects.Installs, otherRegistry)
		}
		return
	}
	if s.namesOtherRegistry(c) {
		add(&s.effects.Installs, otherRegistry)
	}
	if c.contains("--allow-unauthenticated", "--nogpgcheck", "--allow-untrusted", "--no-gpg-checks", "--force-yes") {
		add(&s.effects.Installs, unsignedPackage)
	}
	for _, word := range packagesOf(c) {
		s.notePackage(c, word)
	}
}

// namesOtherRegistry reports whether an option or a variable of an installer names a registry that is not the default
// one.
func (s *state) namesOtherRegistry(c *call) bool {
	for _, name := range []string{"--index-url", "--extra-index-url", "-i", "--registry", "--source", "--find-links"} {
		if given, ok := c.option(name); ok && strings.Contains(given.text, "://") && !knownRegistry(given.text) {
			return true
		}
	}
	if host, ok := c.option("--trusted-host"); ok && !onThisMachine(host.text) {
		return true
	}
	return slices.ContainsFunc(registryVariables()[c.name], func(name string) bool {
		return slices.ContainsFunc(s.vars[name],
			func(given value) bool { return strings.Contains(given.text, "://") && !knownRegistry(given.text) })
	})
}

// notePackage notes a package that is not from a registry.
func (s *state) notePackage(c *call, word value) {
	text := word.text
	fromURL := strings.Contains(text, "://") || strings.HasPrefix(text, "github:") || strings.HasPrefix(text, "git@")
	switch {
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "git+http://"), strings.HasPrefix(text, "ftp://"):
		add(&s.effects.Installs, openPackage)
	case fromURL:
		add(&s.effects.Installs, packageFromURL)
		if _, runs := codeInstallers()[c.name]; runs && !servesPackages(text) {
			add(&s.effects.Installs, unknownServer)
		}
	case strings.ContainsAny(text, "/.") && s.scriptContent(word).labels&network != 0:
		add(&s.effects.Installs, downloadedPackage)
	}
	if fromURL && (c.name == "npx" || c.name == "bunx") {
		s.noteCode(value{labels: network})
	}
}

// packagesOf returns the packages in the words of a call.
func packagesOf(c *call) []value {
	valued := "i"
	if c.name == "dpkg" || c.name == "rpm" || c.name == "npm" {
		valued = ""
	}
	packages := c.words(valued)
	runs := slices.Contains(strings.Fields(packageRunners), c.name) ||
		len(packages) > 0 && slices.Contains(strings.Fields(runVerbs), packages[0].text)
	if runs || len(packages) > 1 && packages[0].text == "tool" && packages[1].text == "run" {
		return packagesToRun(c)
	}
	return packages
}

// packageRunners download a package and run it. Other installers do so with a word of runVerbs: npm exec, pnpm dlx,
// pipx run.
const (
	packageRunners = "npx bunx uvx"
	runVerbs       = "exec dlx x run"
)

// packagesToRun returns the packages that a call downloads and runs. The arguments after the program belong to the
// program.
func packagesToRun(c *call) (packages []value) {
	sources := []string{"--from", "--with", "--spec", "--package"}
	for i := range c.args { // the options can occur several times
		if given, ok := (&call{args: c.args[i:min(i+2, len(c.args))]}).option(append(sources, "-p")...); ok {
			packages = append(packages, given)
		}
	}
	valued := "pw"
	if c.name == "npx" || c.name == "npm" {
		valued = "pwc"
	}
	words := c.words(valued,
		append(sources, "--call", "--python", "--index-url", "--prefix", "--workspace", "--filter", "--registry")...)
	for len(words) > 1 && (words[0].text == "tool" || slices.Contains(strings.Fields(runVerbs), words[0].text)) {
		words = words[1:]
	}
	return append(packages, words[:min(len(words), 1)]...)
}

// registryVariables are variables of the environment that name a registry.
var registryVariables = sync.OnceValue(func() map[string][]string { return programsWith("registry") })

// codeInstallers install packages whose code runs with the rights of the user.
var codeInstallers = sync.OnceValue(func() map[string][]string { return programsWith("code") })

// Kinds of servers in places.tsv.
var (
	defaultRegistries = placesByKind["default registry"] // which installers use by default
	ownServers        = placesByKind["name of an own server"]
	packageServers    = placesByKind["server of packages"]
)

// isBelow reports whether a host is one of the domains, or lies in one.
func isBelow(host string, domains []string) bool {
	return slices.ContainsFunc(domains, func(domain string) bool {
		return host == domain || strings.HasSuffix(host, "."+strings.TrimPrefix(domain, "."))
	})
}

// servesPackages reports whether the host of an address is a server that packages usually come from.
func servesPackages(address string) bool {
	address = strings.TrimPrefix(address, "git+")
	host := hostOfURL(address)
	first, _, _ := strings.Cut(host, ".")
	own := strings.HasPrefix(address, "ssh://") || slices.Contains(ownServers, first)
	return own || isKnownServer(address) || isBelow(host, packageServers) || isBelow(host, defaultRegistries)
}

func knownRegistry(address string) bool {
	if !strings.HasPrefix(address, "http") {
		return false
	}
	u, err := url.Parse(address)
	return onThisMachine(address) || err == nil && u.Scheme == "https" && u.User == nil &&
		slices.Contains(defaultRegistries, u.Hostname())
}

// inOpenFolder reports whether a path is in a folder that every user may write.
func inOpenFolder(text string) bool {
	return strings.HasPrefix(text, "/tmp/") || strings.HasPrefix(text, "/var/tmp/") ||
		strings.HasPrefix(text, "/dev/shm/") || strings.HasPrefix(text, "/dev/tcp/")
}
