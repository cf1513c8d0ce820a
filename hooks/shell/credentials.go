package shell

import (
	"slices"
	"strings"
)

// databaseDump prints a whole database, or writes it to a file.
func databaseDump(s *state, c *call) value {
	if file, ok := c.option("-f", "--file", "-r", "--result-file", "-o", "--out"); ok {
		s.write(file, unknown(secret))
	}
	return unknown(secret)
}

func getent(s *state, c *call) value {
	if words := c.words("s"); len(words) > 0 && strings.HasSuffix(words[0].text, "shadow") {
		return secretPrinter(s, c)
	}
	if words := c.words("s"); len(words) > 1 && words[0].text == "passwd" { // its sixth field is a home
		return value{text: words[1].text + ":x:1000:1000::~:/bin/sh\n", incomplete: true}
	}
	return unknown(0)
}

// passwordManager are password managers, of which only some operations print secrets.
func passwordManager(s *state, c *call) value {
	if words := c.words(""); len(words) > 1 && (words[0].text == "get" || words[0].text == "show" || words[0].text == "export") {
		return secretPrinter(s, c)
	}
	return unknown(0)
}

// security is the keychain of macOS.
func security(s *state, c *call) value {
	if len(c.args) > 0 && (strings.HasPrefix(c.args[0].text, "dump-") || strings.HasPrefix(c.args[0].text, "find-") && c.has("-w", "-g") || strings.HasPrefix(c.args[0].text, "export")) {
		return secretPrinter(s, c)
	}
	return unknown(0)
}

// secretPrinter are programs that print secrets.
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
