package redact

import (
	"bytes"
	"encoding/base64"
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
	dotted      = urlLetters + "."
)

// shape is a kind of token with a fixed prefix.
type shape struct {
	prefix   string
	alphabet string                 // characters after the prefix
	min, max int                    // length after the prefix; max 0 means no limit
	accept   func(body string) bool // additional check; nil accepts all
	keep     bool                   // the prefix is not secret
}

var shapes = []shape{
	{prefix: "AKIA", alphabet: letters, min: 16, max: 16, accept: upperOnly},
	{prefix: "ASIA", alphabet: letters, min: 16, max: 16, accept: upperOnly},
	{prefix: "ghp_", alphabet: urlLetters, min: 16},
	{prefix: "gho_", alphabet: urlLetters, min: 16},
	{prefix: "ghu_", alphabet: urlLetters, min: 16},
	{prefix: "ghs_", alphabet: dotted, min: 16},
	{prefix: "ghr_", alphabet: urlLetters, min: 16},
	{prefix: "github_pat_", alphabet: urlLetters, min: 16},
	{prefix: "glpat-", alphabet: dotted, min: 16},
	{prefix: "xoxa-", alphabet: urlLetters, min: 10},
	{prefix: "xoxb-", alphabet: urlLetters, min: 10},
	{prefix: "xoxp-", alphabet: urlLetters, min: 10},
	{prefix: "xoxr-", alphabet: urlLetters, min: 10},
	{prefix: "xoxs-", alphabet: urlLetters, min: 10},
	{prefix: "xoxe-", alphabet: urlLetters, min: 10},
	{prefix: "xapp-", alphabet: urlLetters, min: 10, accept: opaque},
	{prefix: "hooks.slack.com/services/", alphabet: letters + "/", min: 20, keep: true},
	{prefix: "sk-", alphabet: urlLetters, min: 20, accept: opaque},
	{prefix: "sk_live_", alphabet: letters, min: 10},
	{prefix: "sk_test_", alphabet: letters, min: 10},
	{prefix: "rk_live_", alphabet: letters, min: 10},
	{prefix: "rk_test_", alphabet: letters, min: 10},
	{prefix: "whsec_", alphabet: letters + "+/=", min: 16},
	{prefix: "AIza", alphabet: urlLetters, min: 30},
	{prefix: "GOCSPX-", alphabet: urlLetters, min: 16},
	{prefix: "ya29.", alphabet: dotted, min: 20},
	{prefix: "npm_", alphabet: letters, min: 30},
	{prefix: "pypi-", alphabet: urlLetters, min: 30, accept: opaque},
	{prefix: "hf_", alphabet: letters, min: 30},
	{prefix: "hvs.", alphabet: urlLetters, min: 20},
	{prefix: "dop_v1_", alphabet: letters, min: 30},
	{prefix: "dckr_pat_", alphabet: urlLetters, min: 16},
	{prefix: "shpat_", alphabet: letters, min: 20},
	{prefix: "SG.", alphabet: dotted, min: 30, accept: opaque},
	{prefix: "gldt-", alphabet: dotted, min: 16},
	{prefix: "glrt-", alphabet: dotted, min: 16},
	{prefix: "glrtr-", alphabet: dotted, min: 16},
	{prefix: "glcbt-", alphabet: dotted, min: 16},
	{prefix: "glptt-", alphabet: dotted, min: 16},
	{prefix: "glft-", alphabet: dotted, min: 16},
	{prefix: "glimt-", alphabet: dotted, min: 16},
	{prefix: "glagent-", alphabet: dotted, min: 16},
	{prefix: "gloas-", alphabet: dotted, min: 16},
	{prefix: "glsoat-", alphabet: dotted, min: 16},
	{prefix: "glffct-", alphabet: dotted, min: 16},
	{prefix: "ATATT3", alphabet: urlLetters + "=", min: 20},
	{prefix: "ATCTT3", alphabet: urlLetters + "=", min: 20},
	{prefix: "ATBB", alphabet: letters, min: 24, accept: random},
	{prefix: "cio", alphabet: letters, min: 32, max: 32, accept: random},
	{prefix: "dp.st.", alphabet: dotted, min: 30},
	{prefix: "dp.sa.", alphabet: dotted, min: 30},
	{prefix: "dp.ct.", alphabet: dotted, min: 30},
	{prefix: "dp.scim.", alphabet: dotted, min: 30},
	{prefix: "dp.audit.", alphabet: dotted, min: 30},
	{prefix: "figd_", alphabet: urlLetters, min: 20},
	{prefix: "figdr_", alphabet: urlLetters, min: 20},
	{prefix: "figu_", alphabet: urlLetters, min: 20},
	{prefix: "fm1r_", alphabet: letters + "+/=,_", min: 30},
	{prefix: "fm1a_", alphabet: letters + "+/=,_", min: 30},
	{prefix: "fm2_", alphabet: letters + "+/=,_", min: 30},
	{prefix: "fo1_", alphabet: urlLetters, min: 30},
	{prefix: "gsk_", alphabet: letters, min: 32},
	{prefix: "glsa_", alphabet: letters + "_", min: 24},
	{prefix: "glc_", alphabet: letters + "+/=", min: 24},
	{prefix: "lin_api_", alphabet: letters, min: 20},
	{prefix: "lin_oauth_", alphabet: letters, min: 20},
	{prefix: "lin_wh_", alphabet: letters, min: 20},
	{prefix: "key-", alphabet: "abcdef0123456789", min: 32, max: 32, accept: random},
	{prefix: "NRAK-", alphabet: letters, min: 20},
	{prefix: "NRII-", alphabet: urlLetters, min: 20},
	{prefix: "NRJS-", alphabet: letters, min: 16},
	{prefix: "NRAA-", alphabet: letters, min: 20},
	{prefix: "secret_", alphabet: letters, min: 40, max: 50, accept: random},
	{prefix: "ntn_", alphabet: letters, min: 40},
	{prefix: "dapi", alphabet: "abcdef0123456789-", min: 32, max: 40},
	{prefix: "1//", alphabet: urlLetters, min: 30, accept: random},
	{prefix: "xai-", alphabet: letters, min: 40},
	{prefix: "r8_", alphabet: letters, min: 30},
	{prefix: "nvapi-", alphabet: urlLetters, min: 30},
	{prefix: "tvly-", alphabet: urlLetters, min: 24, accept: random},
	{prefix: "pplx-", alphabet: letters, min: 30},
	{prefix: "lsv2_", alphabet: letters + "_", min: 30},
	{prefix: "sbp_", alphabet: letters, min: 30},
	{prefix: "rnd_", alphabet: letters, min: 24, accept: random},
	{prefix: "phx_", alphabet: letters, min: 30},
	{prefix: "jina_", alphabet: letters, min: 30},
	{prefix: "CFPAT-", alphabet: urlLetters, min: 30},
	{prefix: "sntrys_", alphabet: letters + "+/=_", min: 30},
	{prefix: "sntryu_", alphabet: letters, min: 30},
	{prefix: "sq0csp-", alphabet: urlLetters, min: 30},
	{prefix: "sq0atp-", alphabet: urlLetters, min: 20},
	{prefix: "tskey-", alphabet: urlLetters, min: 20, accept: opaque},
	{prefix: "dckr_oat_", alphabet: urlLetters, min: 16},
	{prefix: "ory_at_", alphabet: dotted, min: 24},
	{prefix: "ory_rt_", alphabet: dotted, min: 24},
	{prefix: "cal_live_", alphabet: letters, min: 20},
	{prefix: "M", alphabet: dotted, min: 55, accept: discordBot},
	{prefix: "N", alphabet: dotted, min: 55, accept: discordBot},
	{prefix: "O", alphabet: dotted, min: 55, accept: discordBot},
	{prefix: "AGE-SECRET-KEY-1", alphabet: upperDigits, min: 30},
	{prefix: "amzn.mws.", alphabet: urlLetters, min: 30},
	{prefix: "mfa.", alphabet: urlLetters, min: 60},
	{prefix: "pubkey-", alphabet: letters, min: 32},
	{prefix: "oy2", alphabet: letters, min: 43},
	{prefix: "sk_", alphabet: letters, min: 40, accept: hexOnly},
	{prefix: "pcsk_", alphabet: letters + "_", min: 40},
	{prefix: "AQE", alphabet: letters + "+/=_-", min: 58},
	{prefix: "rzp_live_", alphabet: letters, min: 14},
	{prefix: "rzp_test_", alphabet: letters, min: 14},
	{prefix: "FLWSECK-", alphabet: letters + "-_", min: 30},
	{prefix: "xoxd-", alphabet: urlLetters + "%+/=", min: 20},
	{prefix: "xsmtpsib-", alphabet: letters + "-", min: 60},
	{prefix: "re_", alphabet: letters + "_", min: 30, accept: looksGenerated},
	{prefix: "DO00", alphabet: letters, min: 16, accept: upperOnly},
	{prefix: "vercel_blob_rw_", alphabet: letters + "_", min: 30},
	{prefix: "sb_secret_", alphabet: urlLetters, min: 20},
	{prefix: "napi_", alphabet: letters, min: 40},
	{prefix: "hcaik_", alphabet: letters, min: 40},
	{prefix: "sgp_", alphabet: letters + "_", min: 40},
	{prefix: "squ_", alphabet: letters, min: 40},
	{prefix: "sqp_", alphabet: letters, min: 40},
	{prefix: "bkua_", alphabet: letters, min: 40},
	{prefix: "CCIPAT_", alphabet: letters + "_", min: 40},
	{prefix: "tfp_", alphabet: urlLetters, min: 40},
	{prefix: "sk.eyJ", alphabet: dotted, min: 60},
	{prefix: "live_", alphabet: letters, min: 35, accept: hexOnly},
	{prefix: "IGQV", alphabet: urlLetters, min: 100},
	{prefix: "AAAAAAAAAAAAAAAAAAAAA", alphabet: letters + "%", min: 60},
	{prefix: "sl.", alphabet: urlLetters, min: 120},
	{prefix: "SSWS ", alphabet: urlLetters, min: 30, keep: true},
	{prefix: "Splunk ", alphabet: urlLetters, min: 30, keep: true},
	{prefix: "eyJ", alphabet: dotted, min: 16, accept: threeParts},
	{prefix: "Bearer ", alphabet: dotted + "~+/=", min: 8, accept: bearer, keep: true},
	{prefix: "bearer ", alphabet: dotted + "~+/=", min: 8, accept: bearer, keep: true},
	{prefix: "BEARER ", alphabet: dotted + "~+/=", min: 8, accept: bearer, keep: true},
	{prefix: "Basic ", alphabet: urlLetters + "+/=", min: 6, accept: userAndPassword, keep: true},
	{prefix: "basic ", alphabet: urlLetters + "+/=", min: 6, accept: userAndPassword, keep: true},
	{prefix: "BASIC ", alphabet: urlLetters + "+/=", min: 6, accept: userAndPassword, keep: true},
}

// shapesByFirst indexes shapes by first byte, so that scans skip all other bytes.
var shapesByFirst = sync.OnceValue(func() *[256][]shape {
	var index [256][]shape
	for _, s := range shapes {
		index[s.prefix[0]] = append(index[s.prefix[0]], s)
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
	return len(parts) == 3 && len(parts[0]) >= 22 && len(parts[0]) <= 27 && len(parts[1]) == 6 && len(parts[2]) >= 27 && random(body)
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
	return err == nil && utf8.Valid(plain) && bytes.ContainsRune(plain, ':') && !bytes.ContainsFunc(plain, unprintable) ||
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

// urlPassword searches the text after "://". A slash ends the host, unless the text before it is not a valid port; then the
// password contains the slash.
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
var hostPassword = pattern.New(`(?:^|[\s"'` + "`" + `(=,])([\w.-]+):([^\s:@/"'<>]{4,})@(?:localhost\b|\d{1,3}(?:\.\d{1,3}){3}\b|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b|[A-Za-z][A-Za-z0-9-]*:\d{2,5}\b)`)

// labels are words before email addresses that are not user names.
var labels = map[string]bool{"mailto": true, "to": true, "cc": true, "bcc": true, "from": true, "by": true, "author": true, "email": true, "e-mail": true, "mail": true,
	"contact": true, "user": true, "owner": true, "reviewer": true, "assignee": true, "sender": true, "reply-to": true, "sip": true, "sips": true, "xmpp": true, "acct": true, "npm": true, "workspace": true}

// findHostPasswords adds the password in user:password@host.
func findHostPasswords(text string, spans []span) []span {
	if !strings.Contains(text, "@") {
		return spans
	}
	for _, at := range hostPassword.FindAllStringSubmatchIndex(text, -1) {
		user, password := strings.ToLower(text[at[2]:at[3]]), text[at[4]:at[5]]
		if !labels[user] && !strings.HasSuffix(user, "-by") && strings.ContainsAny(password, "0123456789!$%&*#?+-_ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			spans = append(spans, span{at[4], at[5]})
		}
	}
	return spans
}
