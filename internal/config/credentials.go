package config

import (
	"fmt"
	"strings"

	"nomograph/internal/apperr"
)

// credentialFor returns a credential only for the address from the same source. Otherwise a person who can set a
// different address would receive the password. A source without an address shares its credentials with an address of
// the same owner, and the caller's credentials apply to the user's configured address. It returns an error if the
// address is less protected than the one that the ignored credential belongs to.
func credentialFor(s Setting, sources []source, c *Config) (string, source, error) {
	var address source
	for _, from := range sources {
		if from.values[s.With] != "" {
			address = from
			break
		}
	}
	if address.origin == "" && (s.With == "neo4j.uri" || s.With == "remote.url") {
		return s.Default, source{}, nil // the managed engine has its own password, and there is no server
	}
	var aside source
	for _, from := range sources {
		switch {
		case from.values[s.Key] == "":
		case credentialsMatch(from, address, s.With):
			return from.values[s.Key], from, nil
		case aside.origin == "" && s.Secret:
			aside = from
		}
	}
	if aside.origin != "" {
		if protection(address.values[s.With]) < protection(aside.values[s.With]) {
			to, _ := Find(s.With)
			return "", source{}, apperr.Newf(apperr.Validation,
				"%s from %s is less protected than %[4]s, which comes from %[3]s", s.With, address.origin, aside.origin,
				s.Key).
				WithHint("Set %s and %s in the same place, or leave %s out", to.Env, s.Env, to.Env)
		}
		c.Notices = append(c.Notices, fmt.Sprintf("%s from %s is not sent to %s from %s: give both in one place", s.Key,
			aside.origin, s.With, address.origin))
	}
	return s.Default, source{}, nil
}

// credentialsMatch reports whether a source's credentials may be sent to the address. An empty address means the
// default address.
func credentialsMatch(from, address source, with string) bool {
	switch {
	case from.origin == address.origin:
		return true
	case from.values[with] != "":
		return false
	}
	return address.origin == "" || from.owner == address.owner || from.owner == caller && address.owner == user
}

// protection ranks addresses by transport security: none, TLS without verification, TLS.
func protection(address string) int {
	scheme, _, _ := strings.Cut(strings.ToLower(address), "://")
	switch {
	case strings.HasSuffix(scheme, "+s"), scheme == "https":
		return 2
	case strings.HasSuffix(scheme, "+ssc"):
		return 1
	}
	return 0
}
