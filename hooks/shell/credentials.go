package shell

import (
	"slices"
	"strings"

	"nomograph/internal/pattern"
)

// databaseDump prints a whole database, or writes it to a file.
func databaseDump(s *state, c *call) value {
	if file, ok := c.option("-f", "--file", "-r", "--result-file", "-o", "--out"); ok {
		s.write(file, unknown(secret))
	}
	return unknown(secret)
}

// plainOutputs has, for operations that print tokens, a function that reports whether a call prints only harmless
// parts.
var plainOutputs = map[string]func(c *call, words []value) bool{"terraform": plainOutput, "tofu": plainOutput,
	"docker": plainInspection, "podman": plainInspection, "git": plainHistory}

var (
	secretOutputPattern = pattern.New(`(?i)passw|passphrase|token|secret|key|credential|kubeconfig|private|dsn|conn\w*_?str|(?:database|db|redis|mongo\w*|postgres\w*|mysql|amqp|broker)_?ur[il]|^env$|^config$`)
	publicOutputPattern = pattern.New(`(?i)public|(?:_|-)(?:id|ids|arn|arns|name|names|path|file|fingerprint|version|ring)$`)
	wholeFormatPattern  = pattern.New(`Env|\.Config\s*(?:\}\}|\)|\|)|\{\{-?\s*(?:json|println|print)?\s*\.\s*(?:\||-?\}\})|^=?json$|^\$`)
	jqFieldPattern      = pattern.New(`^\s*\.(?:\[\d+\]\.?)?(?:[A-Za-z_]\w*|\["[\w-]+"\])(?:\.?\[(?:\d*|"[\w-]+")\]|\.[A-Za-z_]\w*)*\s*(?:\|\s*(?:join\([^()]*\)|length|first|last|keys)\s*)?$`)
	fieldNamePattern    = pattern.New(`[\w-]+`)
)

// namesSecret reports whether a name of a field or an output means a password, a key or a token.
func namesSecret(name string) bool {
	return secretOutputPattern.MatchString(name) && !publicOutputPattern.MatchString(name)
}

// namesPlainField reports whether jq code prints one field whose name does not mean a secret.
func namesPlainField(code string) bool {
	return len(code) < 200 && jqFieldPattern.MatchString(code) &&
		!slices.ContainsFunc(fieldNamePattern.FindAllString(code, -1), namesSecret)
}

func plainOutput(_ *call, words []value) bool {
	return len(words) > 1 && !namesSecret(words[len(words)-1].text)
}

func plainInspection(c *call, words []value) bool {
	if isOneOf(words[0].text, "network", "volume", "context", "node", "plugin", "manifest", "buildx") {
		return true
	}
	format, ok := c.option("-f", "--format")
	return ok && words[0].text != "secret" &&
		slices.ContainsFunc(words[:min(3, len(words))], func(w value) bool { return w.text == "inspect" }) &&
		!wholeFormatPattern.MatchString(format.text)
}

func plainHistory(c *call, words []value) bool {
	if len(words) > 0 && words[0].text == "config" {
		return c.has("--name-only")
	}
	prints := c.has("-p", "-u", "--patch")
	if log := slices.ContainsFunc(words[:min(3, len(words))], func(w value) bool { return w.text == "log" }); !prints &&
		(log || c.has("--stat", "--name-only", "--name-status", "--quiet", "--no-patch")) {
		return true
	}
	return !slices.ContainsFunc(words, func(w value) bool {
		return !excludesPath(w.text) && isEnvironment(w.text[strings.LastIndexByte(w.text, ':')+1:])
	})
}

// excludesPath reports whether a word excludes files from a git command: :!FILE, :^FILE, :(exclude)FILE.
func excludesPath(word string) bool {
	return strings.HasPrefix(word, ":!") || strings.HasPrefix(word, ":^") || strings.HasPrefix(word, ":(exclude")
}

func getent(s *state, c *call) value {
	if words := c.words("s"); len(words) > 0 && strings.HasSuffix(words[0].text, "shadow") {
		return secretPrinter(s, c)
	}
	// the sixth field of passwd is the home directory
	if words := c.words("s"); len(words) > 1 && words[0].text == "passwd" {
		return value{text: words[1].text + ":x:1000:1000::~:/bin/sh\n", incomplete: true}
	}
	return unknown(fromFile)
}

// passwordManager handles password managers. Only some of their operations print secrets.
func passwordManager(s *state, c *call) value {
	if words := c.words(""); len(words) > 1 &&
		(words[0].text == "get" || words[0].text == "show" || words[0].text == "export") {
		return secretPrinter(s, c)
	}
	return unknown(0)
}

// security handles the program for the keychain of macOS.
func security(s *state, c *call) value {
	if len(c.args) > 0 &&
		(strings.HasPrefix(c.args[0].text, "dump-") ||
			strings.HasPrefix(c.args[0].text, "find-") && c.has("-w", "-g") ||
			strings.HasPrefix(c.args[0].text, "export")) {
		return secretPrinter(s, c)
	}
	return unknown(0)
}

// secretPrinter handles programs that print secrets.
func secretPrinter(s *state, c *call) value {
	add(&s.effects.ReadsOf, Credentials)
	return unknown(secret)
}

func onePassword(s *state, c *call) value {
	if len(c.args) > 0 && (c.args[0].text == "read" || c.args[0].text == "item") {
		return secretPrinter(s, c)
	}
	return wrap(s, c)
}

func gpg(s *state, c *call) value {
	if slices.ContainsFunc(c.args, func(a value) bool { return strings.HasPrefix(a.text, "--export-secret") }) {
		return secretPrinter(s, c)
	}
	if c.has("-d", "--decrypt") {
		return unknown(secret | decoded | s.stdin.labels)
	}
	for _, file := range c.words("ro", "--recipient", "--output") {
		if content := s.content(file); c.has("-c", "-e", "--symmetric", "--encrypt") {
			if to, ok := c.option("-o", "--output"); ok {
				s.write(to, unknown(content.labels))
			} else {
				s.write(known(file.text+".gpg"), unknown(content.labels))
				s.write(known(file.text+".asc"), unknown(content.labels))
			}
		}
	}
	return unknownProgram(s, c)
}
