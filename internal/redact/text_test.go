package redact

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// Tokens that look real but are made up.
var (
	a1     = strings.Repeat("a1", 40)
	upper  = strings.Repeat("Q7", 8)
	github = "ghp_" + a1[:36]
	jwt    = "eyJ" + a1[:20] + ".eyJ" + a1[:30] + "." + a1[:43]
	basic  = base64.StdEncoding.EncodeToString([]byte("ada:" + secret))
	pem    = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + a1 + "\n" + a1 + "\n-----END RSA " + "PRIVATE KEY-----"
)

// written returns a text of a file of cases with what its words in brackets stand for.
func written(text string) string {
	text = regexp.MustCompile(`<a1:\d+>`).ReplaceAllStringFunc(text, func(word string) string {
		length, _ := strconv.Atoi(word[len("<a1:") : len(word)-1])
		return a1[:length]
	})
	return strings.NewReplacer("⏎", "\n", "␍", "\r", "<secret>", secret, "<github>", github, "<jwt>", jwt,
		"<basic>", basic, "<upper>", upper, "<pem>", pem, "<key>", "PRIVATE"+" KEY", "<public>", "PUBLIC KEY",
		"<certificate>", "CERTIFICATE").Replace(text)
}

type maskedText struct{ want, text string }

// masked returns texts with a secret and their masked form.
func masked(t testing.TB) (all []maskedText) {
	for _, row := range golden.Columns(t, "testdata/masked.txt", 2) {
		all = append(all, maskedText{written(row[0]), written(row[1])})
	}
	return all
}

// kept returns harmless texts that resemble secrets.
func kept(t testing.TB) []string {
	all := []string{"", "password: ", "\xff\xfe"}
	for _, row := range golden.Columns(t, "testdata/kept.txt", 1) {
		all = append(all, written(row[0]))
	}
	return all
}

func TestText_Secret_LeavesTheRest(t *testing.T) {
	for _, c := range masked(t) {
		got, changed := Text(c.text)
		graphtest.Values(t, c.text, got, c.want, changed, true)
		for _, gone := range []string{secret, a1[:16], upper, basic} {
			if strings.Contains(got, gone) {
				t.Errorf("%s survives in %s", gone, got)
			}
		}
		clean().Purge() // without the cache, a second call scans the text again
		again, changed := Text(got)
		graphtest.Values(t, "again, changed", again, got, changed, false)
	}
}

func TestText_HarmlessTexts_StayUnchanged(t *testing.T) {
	for _, text := range kept(t) {
		got, changed := Text(text)
		graphtest.Values(t, "became", got, text, changed, false)
	}
}
