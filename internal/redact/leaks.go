package redact

import (
	_ "embed"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	ahocorasick "github.com/BobuSumisu/aho-corasick"

	"nomograph/internal/pattern"
)

// leak is a rule for tokens that are recognized by their shape or by the name of a service nearby.
type leak struct {
	ID       string
	Regex    string
	Keywords []string // in lower case; each match contains one of them
	Entropy  float64  // minimum entropy in bits per character

	named bool // only a service name distinguishes the token from a word
	drawn bool // such a match also occurs in prose, so the token must mix capitals, small letters and digits
	find  func() *regexp.Regexp
}

// skippedLeaks matches the gitleaks rules that are skipped: they match public values, or field names (names.go) are
// more precise.
var skippedLeaks = pattern.New(`^(generic-api-key|curl-auth-.*|kubernetes-secret-yaml|hashicorp-tf-password|pkcs12-file|private-key|microsoft-teams-webhook|.*-(client|access)-id|.*-pub(lic)?-(api-)?key)$`)

// ownLeaks holds the rules that gitleaks does not have. Tokens with fixed prefixes are in tokens.tsv.
//
//go:embed leaks.tsv
var ownLeaks string

// gitleaks holds the rules of gitleaks (NOTICE).
//
//go:embed gitleaks.json
var gitleaks string

// leaks holds the rules of both sets, made on first use.
var leaks = sync.OnceValue(func() (set struct {
	rules    []leak
	keywords []string
	of       [][]int // numbers of rules by number of keyword
},
) {
	var all, theirs []leak
	for row := range rowsOf(ownLeaks) {
		all = append(all, leak{ID: row[0], Keywords: strings.Split(row[1], ","), Regex: row[3],
			drawn: row[2] == "drawn"})
	}
	if err := json.Unmarshal([]byte(gitleaks), &theirs); err != nil {
		panic(err) // the file is embedded, and TestText_CorpusOfSecrets_IsMasked reads it
	}
	numbers := map[string]int{}
	for _, rule := range append(all, theirs...) {
		if skippedLeaks.MatchString(rule.ID) || rule.Regex == "" || len(rule.Keywords) == 0 {
			continue
		}
		// The rules of gitleaks end where a value ends in code. In prose, a comma or a bracket also ends it.
		text, ended := strings.CutSuffix(rule.Regex, "(?:[\\x60'\"\\s;]|\\\\[nr]|$)")
		if ended {
			text += `(?:[^A-Za-z0-9_-]|\\[nr]|$)`
		}
		rule.named = strings.Contains(rule.Regex, `(?:[ \t\w.-]{0,20})`)
		rule.find = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
		set.rules = append(set.rules, rule)
		for _, keyword := range rule.Keywords {
			n, ok := numbers[keyword]
			if !ok {
				n = len(set.keywords)
				numbers[keyword] = n
				set.keywords, set.of = append(set.keywords, keyword), append(set.of, nil)
			}
			set.of[n] = append(set.of[n], len(set.rules)-1)
		}
	}
	return set
})

// keywordTrie finds all keywords in one pass. Building it takes as long as looking for each keyword in many short
// texts.
var keywordTrie = sync.OnceValue(func() *ahocorasick.Trie {
	return ahocorasick.NewTrieBuilder().AddStrings(leaks().keywords).Build()
})

// A command reads little text and ends, so the trie is built after maxWithoutTrie bytes.
const maxWithoutTrie = 16 << 10

var bytesRead atomic.Int64

// keywordsIn calls found with the number of each keyword in a text in lower case, sometimes more than once.
func keywordsIn(text string, found func(keyword int)) {
	if bytesRead.Load() < maxWithoutTrie && bytesRead.Add(int64(len(text))) < maxWithoutTrie {
		eachKeyword(text, found)
		return
	}
	keywordTrie().Walk([]byte(text), func(_, _, keyword int64) bool {
		found(int(keyword))
		return true
	})
}

func eachKeyword(text string, found func(keyword int)) {
	for n, keyword := range leaks().keywords {
		if strings.Contains(text, keyword) {
			found(n)
		}
	}
}

// minTokenLength is less than the length of any token with its keyword.
const minTokenLength = 15

// findLeaks adds the matches of both rule sets.
func findLeaks(text string, spans []span) []span {
	if len(text) < minTokenLength {
		return spans
	}
	set := leaks()
	asked := map[int]bool{}
	keywordsIn(strings.ToLower(text), func(keyword int) {
		for _, n := range set.of[keyword] {
			if !asked[n] {
				asked[n] = true
				spans = set.rules[n].match(text, spans)
			}
		}
	})
	return spans
}

// match adds the secret of each match: the first participating group, or the whole match.
func (l *leak) match(text string, spans []span) []span {
	recordWork(len(text))
	for _, at := range l.find().FindAllStringSubmatchIndex(text, -1) {
		found := span{at[0], at[1]}
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 && at[group+1] > at[group] {
				found = span{at[group], at[group+1]}
				break
			}
		}
		secret := text[found.start:found.end]
		if entropy(secret) < l.Entropy || l.named && !random(secret) || l.drawn && !looksGenerated(secret) {
			continue
		}
		// The rules expect exact lengths, but newer tokens of the same kind are longer.
		for found.end < len(text) && strings.IndexByte(urlLetters, text[found.end]) >= 0 {
			found.end++
		}
		spans = append(spans, found)
	}
	return spans
}

// opaqueKeyLength is the length of an AWS secret key, which has no prefix.
const opaqueKeyLength = 40

// findOpaqueKeys adds runs of exactly forty base64 characters that look random: capitals, small letters and digits with
// few repetitions. Hexadecimal hashes have no capitals, and paths and names have less entropy.
func findOpaqueKeys(text string, spans []span) []span {
	start := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (isLetterOrDigit(text[i]) && text[i] < 0x80 || text[i] == '+' || text[i] == '/') {
			continue
		}
		if i-start == opaqueKeyLength && (i == len(text) || text[i] != '=') && opaqueKey(text[start:i]) {
			spans = append(spans, span{start, i})
		}
		start = i + 1
	}
	return spans
}

func opaqueKey(run string) bool {
	var upper, lower, digits, slashes int
	for i := range len(run) {
		switch c := run[i]; {
		case isUpper(c):
			upper++
		case isDigit(c):
			digits++
		case isLetter(c):
			lower++
		default:
			slashes++
		}
	}
	return upper >= 6 && lower >= 6 && digits >= 2 && slashes <= 6 && entropy(run) >= 4.2
}

// looksGenerated reports whether a text looks machine-generated: alternating capitals, small letters and digits, and
// no path, address or version.
func looksGenerated(secret string) bool {
	turns := 0
	for i := 1; i < len(secret); i++ {
		if classOf(secret[i]) != classOf(secret[i-1]) {
			turns++
		}
	}
	return random(secret) && turns*3 >= len(secret) && strings.ToLower(secret) != secret &&
		strings.ToUpper(secret) != secret &&
		strings.Count(secret, ".")+strings.Count(secret, "/")+strings.Count(secret, "-") <= len(secret)/8
}

func classOf(c byte) int {
	switch {
	case isUpper(c):
		return 1
	case isDigit(c):
		return 2
	case isLetter(c):
		return 3
	}
	return 4
}

// entropy returns the Shannon entropy in bits per byte, H = -sum(p * log2(p)), over the byte frequencies in the text.
func entropy(text string) float64 {
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
