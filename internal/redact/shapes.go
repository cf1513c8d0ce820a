package redact

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"nomograph/internal/pattern"
)

// Alphabets of tokens.
const (
	upperDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	letters     = upperDigits + "abcdefghijklmnopqrstuvwxyz"
	urlLetters  = letters + "_-"
)

// tokenAlphabets are the alphabets of tokens.tsv by name.
var tokenAlphabets = map[string]string{"upper": upperDigits, "letters": letters, "url": urlLetters,
	"dotted": urlLetters + ".", "hex": "abcdef0123456789"}

// tokenChecks are further checks of the text after the prefix, by their name in tokens.tsv.
var tokenChecks = map[string]func(body string) bool{"bearer": bearer, "capitals": upperOnly, "discord": discordBot, "generated": looksGenerated, "hex": hexOnly,
	"jwt": threeParts, "opaque": opaque, "random": random, "user-password": userAndPassword}

// shape is a kind of token with a fixed prefix.
type shape struct {
	prefix   string
	alphabet string                 // characters after the prefix
	min, max int                    // length after the prefix; max 0 means no limit
	accept   func(body string) bool // additional check; nil accepts all
	keep     bool                   // the prefix is not secret
}

//go:embed tokens.tsv
var tokens string

// rowsOf yields the rows of a table: the columns of each line that is not a comment.
func rowsOf(table string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(table) {
			if !strings.HasPrefix(line, "#") && !yield(strings.Split(strings.TrimSuffix(line, "\n"), "\t")) {
				return
			}
		}
	}
}

// shapeOf reads a row of tokens.tsv.
func shapeOf(row []string) shape {
	row = append(row, "", "") // the last columns are optional
	name, more, _ := strings.Cut(row[1], " ")
	s := shape{prefix: row[0], alphabet: tokenAlphabets[name] + more, accept: tokenChecks[row[3]],
		keep: row[4] == "keep"}
	minimum, limit, ranged := strings.Cut(row[2], "-")
	s.min, _ = strconv.Atoi(strings.TrimSuffix(minimum, "+"))
	switch {
	case ranged:
		s.max, _ = strconv.Atoi(limit)
	case !strings.HasSuffix(minimum, "+"):
		s.max = s.min
	}
	return s
}

// shapesByFirst indexes the rows of tokens.tsv by first byte, so that scans skip all other bytes.
var shapesByFirst = sync.OnceValue(func() *[256][]shape {
	var index [256][]shape
	for row := range rowsOf(tokens) {
		index[row[0][0]] = append(index[row[0][0]], shapeOf(row))
	}
	return &index
})

// findShapes adds the spans of tokens with fixed prefixes.
func findShapes(text string, spans []span) []span {
	byFirst := shapesByFirst()
	for i := 0; i < len(text); i++ {
		candidates := byFirst[text[i]]
		if candidates == nil || !startsToken(text, i) {
			continue
		}
		for n := range candidates {
			if found, ok := candidates[n].match(text, i); ok {
				spans = append(spans, found)
				i = found.end - 1
				break
			}
		}
	}
	return spans
}

// startsToken reports whether a token can start at i: not within a word, but after an escaped line break as in
// "\nword".
func startsToken(text string, i int) bool {
	if i == 0 || !isLetterOrDigit(text[i-1]) {
		return true
	}
	return i > 1 && text[i-2] == '\\' && strings.IndexByte("ntr", text[i-1]) >= 0
}

func (s *shape) match(text string, i int) (span, bool) {
	if !strings.HasPrefix(text[i:], s.prefix) {
		return span{}, false
	}
	start := i + len(s.prefix)
	for s.keep && start < len(text) && text[start] == ' ' {
		start++
	}
	end := start
	for end < len(text) && strings.IndexByte(s.alphabet, text[end]) >= 0 {
		end++
	}
	recordWork(end - i)
	for end > start && text[end-1] == '.' { // a period that ends the sentence
		end--
	}
	body := text[start:end]
	if len(body) < s.min || s.max > 0 && len(body) > s.max || s.accept != nil && !s.accept(body) {
		return span{}, false
	}
	if !s.keep {
		start = i
	}
	return span{start, end}, true
}

func hexOnly(body string) bool { return strings.Trim(body, "0123456789abcdef") == "" }

func upperOnly(body string) bool { return body == strings.ToUpper(body) }

// opaque distinguishes random texts from words joined by hyphens.
func opaque(body string) bool {
	return strings.ContainsAny(body, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") || !strings.Contains(body, "-")
}

// random reports whether a text looks random: it has digits and few repetitions.
func random(body string) bool {
	return strings.ContainsAny(body, "0123456789") && entropy(body) >= 3
}

// discordBot recognizes a bot token by its three parts: id in base64, timestamp and HMAC.
func discordBot(body string) bool {
	parts := strings.Split(body, ".")
	return len(parts) == 3 && len(parts[0]) >= 22 && len(parts[0]) <= 27 && len(parts[1]) == 6 && len(parts[2]) >= 27 &&
		random(body)
}

// bearer excludes prose such as "bearer authentication", which has no digits.
func bearer(body string) bool {
	return strings.ContainsAny(body, "0123456789") || len(body) >= 24
}

// userAndPassword excludes prose by decoding the base64.
func userAndPassword(body string) bool {
	body = strings.TrimRight(body, "=")
	plain, err := base64.RawStdEncoding.DecodeString(body)
	if err != nil {
		plain, err = base64.RawURLEncoding.DecodeString(body)
	}
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	return err == nil && utf8.Valid(plain) && bytes.ContainsRune(plain, ':') &&
		!bytes.ContainsFunc(plain, unprintable) ||
		len(body) >= 16 && strings.ContainsAny(body, "0123456789")
}

// threeParts recognizes a JSON web token: signed (three parts) or encrypted (five parts).
func threeParts(body string) bool { return strings.Count(body, ".") >= 2 }

// privateKey matches PEM blocks. A truncated block extends to the end of the text.
var privateKey = pattern.New(
	`(?s)-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z0-9 ]*-{4,5}.*?(?:-{4,5} ?END [A-Z0-9 ]*PRIVATE KEY[A-Z0-9 ]*-{4,5}|\z)`)

func findPrivateKeys(text string, spans []span) []span {
	if !strings.Contains(text, "PRIVATE KEY") {
		return spans
	}
	for _, at := range privateKey.FindAllStringIndex(text, -1) {
		spans = append(spans, span{at[0], at[1]})
	}
	return spans
}

// findURLPasswords adds the password in scheme://user:password@host.
func findURLPasswords(text string, spans []span) []span {
	const scheme = "://"
	next := strings.Index(text, scheme)
	for next >= 0 {
		start := next + len(scheme)
		end := len(text)
		if next = strings.Index(text[start:], scheme); next >= 0 {
			next += start
			end = next
		}
		end = start + urlLength(text[start:end])
		if found, ok := urlPassword(text[start:end]); ok {
			spans = append(spans, span{start + found.start, start + found.end})
		}
	}
	return spans
}

// urlLength returns the maximum length of a URL at the start of a text.
func urlLength(text string) int {
	if end := strings.IndexAny(text, " \t\r\n\"`<>"); end >= 0 {
		return end
	}
	return len(text)
}

// urlPassword searches the text after "://". A slash ends the host, unless the text before it is not a valid port;
// then the password contains the slash.
func urlPassword(url string) (span, bool) {
	recordWork(len(url))
	host := url
	if slash := strings.IndexAny(url, "/?#"); slash >= 0 {
		host = url[:slash]
	}
	colon := strings.IndexByte(host, ':')
	if colon < 0 || host[0] == '[' {
		return span{}, false
	}
	at := strings.LastIndexByte(host, '@')
	if at < 0 && strings.Trim(host[colon+1:], "0123456789") != "" {
		at = strings.IndexByte(url, '@')
	}
	return span{colon + 1, at}, at > colon+1
}

// hostPassword matches user:password@host without a scheme, as in connection strings and arguments of tools.
var hostPassword = pattern.New(`(?:^|[\s"'` + "`" +
	`(=,])([\w.-]+):([^\s:@/"'<>]{4,})@(?:localhost\b|\d{1,3}(?:\.\d{1,3}){3}\b|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b|[A-Za-z][A-Za-z0-9-]*:\d{2,5}\b)`)

// labels are words before email addresses that are not user names.
var labels = strings.Fields("mailto to cc bcc from by author email e-mail mail contact user owner reviewer " +
	"assignee sender reply-to sip sips xmpp acct npm workspace")

// findHostPasswords adds the password in user:password@host.
func findHostPasswords(text string, spans []span) []span {
	if !strings.Contains(text, "@") {
		return spans
	}
	for _, at := range hostPassword.FindAllStringSubmatchIndex(text, -1) {
		user, password := strings.ToLower(text[at[2]:at[3]]), text[at[4]:at[5]]
		if !slices.Contains(labels, user) && !strings.HasSuffix(user, "-by") &&
			strings.ContainsAny(password, "0123456789!$%&*#?+-_ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			spans = append(spans, span{at[4], at[5]})
		}
	}
	return spans
}
