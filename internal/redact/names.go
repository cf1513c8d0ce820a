package redact

import (
	"strings"
	"sync"
)

// kind is what a word says about the named value.
type kind byte

const (
	plain kind = iota
	secretKind
	innocentKind
	carrierKind
)

// kinds classifies words and joined pairs of words: client_secret, clientSecret and CLIENTSECRET are equal.
var kinds = sync.OnceValue(func() map[string]kind {
	return kindsOf(map[kind]string{
		// The word "key" alone is missing, because most keys are not secret.
		secretKind: `
	password passwd passphrase passcode passwordhash pwd pw psk presharedkey secret
	passwort kennwort passwoerter zugangsdaten motdepasse contrasena contraseña senha wachtwoord token credential cred authorization authheader cookie
	dsn connectionstring connstring connstr connectionuri bearer jwt basicauth seedphrase recoveryphrase githubpat gitlabpat
	clientsecret appsecret sharedsecret
	accesstoken authtoken refreshtoken idtoken sessiontoken bearertoken apitoken bottoken securitytoken servicetoken
	deploytoken usertoken csrftoken xsrftoken pushtoken
	apikey accesskey secretkey privatekey privkey encryptionkey decryptionkey signingkey masterkey sshkey authkey
	accountkey storagekey sharedkey clientkey servicekey deploykey sessionkey consumerkey appkey applicationkey
	subscriptionkey licensekey hmackey aeskey rsakey pgpkey gpgkey tlskey sslkey jwtkey webhookkey
	dbpass userpass smtppass mailpass emailpass adminpass rootpass mysqlpass pgpass redispass ftppass sshpass ldappass
	databasepass keypass storepass extpat devopspat parola clavesecreta`,
		// Words that end like secrets but are none: cursors, progress markers, special tokens of language models.
		// "tokens" usually is a count; access_tokens is another word.
		innocentKind: `
	nexttoken pagetoken continuationtoken progresstoken synctoken cancellationtoken
	eostoken bostoken padtoken unktoken masktoken septoken clstoken stoptoken specialtoken tokens`,
		// Words that describe the form of a value only: private_key_pem, password_base64, new and old values.
		carrierKind: `
	value string data text plain plaintext raw base b encoded pem header v new old current previous confirm confirmation`,
	})
})

func kindsOf(lists map[kind]string) map[string]kind {
	all := map[string]kind{}
	for k, words := range lists {
		for _, word := range strings.Fields(words) {
			all[word] = k
		}
	}
	return all
}

// secretName reports whether the value with this name is secret. The last two words together, or the last one, decide
// in any spelling. Words that only describe the form of the value are skipped.
func secretName(name string) bool {
	name, last := cutLastWord(name)
	for last != "" {
		rest, before := cutLastWord(name)
		found := plain
		if before != "" {
			found = kindOf(before + last)
		}
		if found == plain {
			found = kindOf(last)
		}
		if found != carrierKind {
			return found == secretKind
		}
		name, last = rest, before
	}
	return false
}

// kindOf also accepts plurals of secret words, and words joined to a prefix as in PGPASSWORD. No other English words
// end like these.
func kindOf(word string) kind {
	if found := kinds()[word]; found != plain {
		return found
	}
	one := strings.TrimSuffix(word, "s")
	if len(one) < len(word) && kinds()[one] == secretKind ||
		strings.HasSuffix(one, "password") || strings.HasSuffix(one, "passwd") || strings.HasSuffix(one, "apikey") {
		return secretKind
	}
	return plain
}

// workingFolder reports whether the value is the shell variable PWD and not a password.
func workingFolder(name, value string) bool {
	return name == "PWD" && strings.HasPrefix(value, "/")
}

// cutLastWord returns the last word of a name in lower case, and the rest. Words are separated by non-letters and by
// changes of case: dbPassword, APIKey, set-cookie, token_2.
func cutLastWord(name string) (rest, word string) {
	end := len(name)
	for end > 0 && !isLetter(name[end-1]) {
		end--
	}
	start := end
	for start > 0 && isLetter(name[start-1]) {
		start--
		if start > 0 && wordStarts(name[:end], start) {
			break
		}
	}
	return name[:start], strings.ToLower(name[start:end])
}

// wordStarts reports whether the capital at i follows a small letter or ends a run of capitals.
func wordStarts(name string, i int) bool {
	before := name[i-1]
	if !isUpper(name[i]) || !isLetter(before) {
		return false
	}
	return !isUpper(before) || i+1 < len(name) && !isUpper(name[i+1])
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter accepts all bytes of non-ASCII letters.
func isLetter(c byte) bool { return isUpper(c) || 'a' <= c && c <= 'z' || c >= 0x80 }

func isLetterOrDigit(c byte) bool { return isLetter(c) || isDigit(c) }
func isBlank(c byte) bool         { return c == ' ' || c == '\t' }
func isSpace(c byte) bool         { return isBlank(c) || c == '\n' || c == '\r' }
func isQuote(c byte) bool         { return c == '"' || c == '\'' || c == '`' }

// isNameByte reports whether a byte can be part of the name of a setting, flag or variable.
func isNameByte(c byte) bool {
	return isUpper(c) || 'a' <= c && c <= 'z' || isDigit(c) || c == '_' || c == '-' || c == '.'
}
