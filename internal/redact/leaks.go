package redact

import (
	_ "embed"
	"encoding/json"
	"math"
	"regexp"
	"slices"
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

// skippedLeaks matches the gitleaks rules that are skipped: they match public values, or field names (names.go) are more
// precise.
var skippedLeaks = pattern.New(`^(generic-api-key|curl-auth-.*|kubernetes-secret-yaml|hashicorp-tf-password|pkcs12-file|private-key|microsoft-teams-webhook|.*-(client|access)-id|.*-pub(lic)?-(api-)?key)$`)

// ownLeaks are rules that gitleaks does not have. Tokens with fixed prefixes are in shapes.go.
var ownLeaks = []leak{
	{ID: "airtable-token", Keywords: []string{"pat"}, Regex: `\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b`},
	{ID: "hubspot-token", Keywords: []string{"pat-"}, Regex: `\bpat-(?:na|eu|ap)\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`},
	{ID: "azure-signature", Keywords: []string{"sig="}, Regex: `(?i)[?&;]sig=([A-Za-z0-9%+/=_-]{20,})`},
	{ID: "signed-url", Keywords: []string{"signature=", "security-token="}, Regex: `(?i)[?&](?:X-(?:Amz|Goog)-(?:Signature|Security-Token)|Signature)=([A-Za-z0-9%+/=_-]{16,})`},
	{ID: "discord-webhook", Keywords: []string{"/api/webhooks/"}, Regex: `(?i)/api/webhooks/\d{15,21}/([A-Za-z0-9_-]{40,})`},
	{ID: "telegram-bot-token", Keywords: []string{":aa"}, Regex: `\b(?:bot)?(\d{8,10}:AA[A-Za-z0-9_-]{33})\b`},
	{ID: "new-relic-license-key", Keywords: []string{"nral"}, Regex: `\b[a-f0-9]{36}NRAL\b`},
	{ID: "teams-webhook", Keywords: []string{"/webhookb2/"}, Regex: `(?i)/webhookb2/([A-Za-z0-9@/-]{40,})`},
	{ID: "docker-auth", Keywords: []string{`"auth"`}, Regex: `"auth"\s*:\s*"([A-Za-z0-9+/=]{8,})"`},
	{ID: "password-argument", Keywords: []string{"sshpass", "docker login", "podman login", "registry login"}, Regex: `(?i)\b(?:sshpass|(?:docker|podman|registry) login)\b[^\n|;&]*?\s-p\s*["']?([^\s"']{4,})`},
	{ID: "mysql-argument", Keywords: []string{"mysql", "mariadb"}, Regex: `\b(?:mysql|mariadb)[a-z-]*\b[^\n|;&]*?\s-p["']?([^\s"']{4,})`},
	// Two rules, because in a combined one the first alternative would scan to the end of the line at each match of the
	// second.
	{ID: "password-on-stdin", Keywords: []string{"--password-stdin"}, Regex: `\becho\s+(?:-n\s+)?["']?([^\s"'|$]{4,})["']?\s*\|[^\n]*--password-stdin`},
	{ID: "password-for-sudo", Keywords: []string{"sudo"}, Regex: `\becho\s+(?:-n\s+)?["']?([^\s"'|$]{4,})["']?\s*\|\s*sudo\s+(?:-[a-z]+\s+)*-S\b`},
	{ID: "netrc", Keywords: []string{"machine "}, Regex: `\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S{4,})`},
	{ID: "powershell-secure-string", Keywords: []string{"convertto-securestring"}, Regex: `(?i)\bConvertTo-SecureString\s+(?:-String\s+)?["']([^"'\n$]{4,})["']`},
	{ID: "wifi-code", Keywords: []string{"wifi:"}, Regex: `\bWIFI:(?:[^\n]*?;)?P:([^;\n]{4,});`},
	{ID: "kubernetes-literal", Keywords: []string{"--from-literal"}, Regex: `\bcreate\s+secret\b[^\n]*?--from-literal[= ]["']?[\w.-]+=([^\s"'\[][^\s"']{3,})`},
	{ID: "openssl-argument", Keywords: []string{"openssl"}, Regex: `\bopenssl\s+enc\b[^\n|;&]*?\s-k\s+["']?([^\s"'$]{4,})`},
	{ID: "escaped-pair", Keywords: []string{"%3d"}, Regex: `(?i)(?:passwor[dt]|passwd|secret|token|api_?key)%3D([\w.~-]{8,}(?:%[0-9A-F]{2}[\w.~-]*)*)`},
	{ID: "image-environment", Keywords: []string{"env "}, Regex: `(?m)^\s*ENV\s+\w*(?:SECRET|TOKEN|PASSWORD|PASSWD|APIKEY|API_KEY|PRIVATE_KEY)\w*\s+["']?([^\s"'$]{6,})`},
	{ID: "user-of-address", Keywords: []string{"@"}, Regex: `://([A-Za-z0-9_-]{20,})@`, drawn: true},
	{ID: "firebase-messaging-key", Keywords: []string{":apa91b"}, Regex: `[\w-]+:APA91b[\w-]{100,}`},
	{ID: "braintree-token", Keywords: []string{"access_token$"}, Regex: `access_token\$(?:production|sandbox)\$\w{16}\$[0-9a-f]{32}`},
	{ID: "salesforce-session", Keywords: []string{"00d"}, Regex: `\b00D\w{12,15}![\w.]{60,}`},
	{ID: "mailchimp-key", Keywords: []string{"-us"}, Regex: `\b[0-9a-f]{32}-us\d{1,2}\b`},
	{ID: "plaid-token", Keywords: []string{"access-production-", "access-sandbox-"}, Regex: `\baccess-(?:production|sandbox)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`},
	{ID: "launchdarkly-key", Keywords: []string{"sdk-", "api-"}, Regex: `\b(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`},
	{ID: "infisical-token", Keywords: []string{"st."}, Regex: `\bst\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}\b`},
	{ID: "password-hash", Keywords: []string{"$apr1$", "$1$", "$5$", "$6$", "$2a$", "$2b$", "$2y$", "$y$", "$argon2"}, Regex: `\$(?:apr1|1|5|6|2[aby]|y|argon2(?:id|i|d))\$[^\s:'"]{20,}`},
	{ID: "putty-key", Keywords: []string{"private-lines"}, Regex: `Private-Lines: \d+\s+([A-Za-z0-9+/=\s]{20,})`},
	{ID: "jdbc-oracle", Keywords: []string{"jdbc:oracle"}, Regex: `jdbc:oracle:\w+:[^/\s]+/([^@\s]+)@`},
	{ID: "redis-argument", Keywords: []string{"redis-cli"}, Regex: `\bredis-cli\b[^\n|;&]*?\s-a\s+["']?([^\s"']{4,})`},
	{ID: "sql-password", Keywords: []string{"identified", "set password"}, Regex: `(?i)\b(?:identified\s+by|set\s+password\s+for\s+'[^'\n]*'\s*=)\s*'([^'\n]{4,})'`},
	{ID: "redis-password", Keywords: []string{"requirepass"}, Regex: `\brequirepass\s+([^\s"']{4,})`},
	{ID: "password-in-row", Keywords: []string{"password", "passwort"}, Regex: `(?i)\|\s*passwor[dt]\s*\|\s*([^\s|]*[0-9!$%&*+?#~^@][^\s|]*)\s*\|`},
	{ID: "password-constant", Keywords: []string{"define("}, Regex: `\bdefine\(\s*['"]\w*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_KEY)['"]\s*,\s*['"]([^'"\n]{4,})['"]`},
	{ID: "password-of-postgres", Keywords: []string{":5432:", ":*:"}, Regex: `(?m)^[^\s:]+:(?:\d{2,5}|\*):[^:\s]*:[^:\s]*:(\S+)$`},
	{ID: "password-abroad", Keywords: []string{"mot de passe", "hasło", "lösenord", "пароль", "密码", "パスワード"},
		Regex: `(?i)(?:mot de passe|hasło|lösenord|пароль|密码|パスワード)\s*[:=：]\s*["']?([^\s"']*[0-9!$%&*+?#~^@][^\s"']*)`},
	{ID: "pass-of-user", Keywords: []string{"pass=", "pass:"}, Regex: `(?:^|[\s,;{(&?])pass\s*[:=]\s*["']?([^\s"',;]*(?:[A-Za-z][0-9!$%&*+?#~^@]|[0-9!$%&*+?#~^@][A-Za-z])[^\s"',;]*)`},
	{ID: "one-time-code", Keywords: []string{"pin", "otp"}, Regex: `(?i)(?:^|[^\pL\d])(?:pin(?:[_ ]?code)?|otp)["']?\s*[:=]\s*["']?(\d{4,8})\b`},
	{ID: "key-of-address", Keywords: []string{"key=", "code="}, Regex: `(?i)[?&](?:key|code)=([A-Za-z0-9%+/=_-]{20,})`, drawn: true},
	{ID: "user-and-password-of-address", Keywords: []string{"@"}, Regex: `://([A-Za-z0-9_-]{20,}):[^@\s/]*@`, drawn: true},
	{ID: "terraform-token", Keywords: []string{".atlasv1."}, Regex: `\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{30,}`},
}

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
	var theirs []leak
	if err := json.Unmarshal([]byte(gitleaks), &theirs); err != nil {
		panic(err) // the file is embedded, and TestText_CorpusOfSecrets_IsMasked reads it
	}
	numbers := map[string]int{}
	for _, rule := range append(slices.Clone(ownLeaks), theirs...) {
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

// keywordTrie finds all keywords in one pass. Building it takes as long as looking for each keyword in many short texts.
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

// looksGenerated reports whether a text looks machine-generated: alternating capitals, small letters and digits, and no path,
// address or version.
func looksGenerated(secret string) bool {
	turns := 0
	for i := 1; i < len(secret); i++ {
		if classOf(secret[i]) != classOf(secret[i-1]) {
			turns++
		}
	}
	return random(secret) && turns*3 >= len(secret) && strings.ToLower(secret) != secret && strings.ToUpper(secret) != secret &&
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
