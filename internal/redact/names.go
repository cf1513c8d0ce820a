package redact

import "strings"

// kind says what a word tells of the thing that it names.
type kind byte

const (
	plain kind = iota
	secretKind
	innocentKind
	carrierKind
)

// kinds knows words, and pairs of words run together: client_secret, clientSecret and CLIENTSECRET are all one.
var kinds = kindsOf(map[kind]string{
	// The plain word "key" is not among them, because most keys are not secret.
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
	// They end in a secret word and yet name no secret: cursors, places in long work, the marks of language models.
	// Tokens are counted more often than kept secret; access_tokens are another thing.
	innocentKind: `
	nexttoken pagetoken continuationtoken progresstoken synctoken cancellationtoken
	eostoken bostoken padtoken unktoken masktoken septoken clstoken stoptoken specialtoken tokens`,
	// They say how a value is kept and nothing about what it is: private_key_pem, password_base64, new and old ones.
	carrierKind: `
	value string data text plain plaintext raw base b encoded pem header v new old current previous confirm confirmation`,
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

// secretName tells whether what stands under this name is secret. The words of the name decide, whatever its spelling:
// the last two together, or the last one, once words that only say how the value is kept are put aside.
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

// kindOf also takes the plurals of secrets. Some words are written without a gap to what goes before them, as in
// PGPASSWORD; no English words but those for secrets end like these.
func kindOf(word string) kind {
	if found := kinds[word]; found != plain {
		return found
	}
	one := strings.TrimSuffix(word, "s")
	if len(one) < len(word) && kinds[one] == secretKind ||
		strings.HasSuffix(one, "password") || strings.HasSuffix(one, "passwd") || strings.HasSuffix(one, "apikey") {
		return secretKind
	}
	return plain
}

// workingFolder knows the shell's variable PWD from a password.
func workingFolder(name, value string) bool {
	return name == "PWD" && strings.HasPrefix(value, "/")
}

// cutLastWord gives the last word of a name in lower case and what goes before it. Words end at anything that is not a
// letter and where the case changes: dbPassword, APIKey, set-cookie, token_2.
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

// wordStarts tells whether the capital at i follows a small letter, or ends a run of capitals.
func wordStarts(name string, i int) bool {
	before := name[i-1]
	if !isUpper(name[i]) || !isLetter(before) {
		return false
	}
	return !isUpper(before) || i+1 < len(name) && !isUpper(name[i+1])
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter takes every byte of a letter beyond ASCII for one.
func isLetter(c byte) bool { return isUpper(c) || 'a' <= c && c <= 'z' || c >= 0x80 }

func isLetterOrDigit(c byte) bool { return isLetter(c) || isDigit(c) }
func isBlank(c byte) bool         { return c == ' ' || c == '\t' }
func isSpace(c byte) bool         { return isBlank(c) || c == '\n' || c == '\r' }
func isQuote(c byte) bool         { return c == '"' || c == '\'' || c == '`' }

// isNameByte tells what the names of settings, flags and variables in a text consist of.
func isNameByte(c byte) bool {
	return isUpper(c) || 'a' <= c && c <= 'z' || isDigit(c) || c == '_' || c == '-' || c == '.'
}
