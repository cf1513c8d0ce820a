package redact

import "strings"

// findSecrets returns the spans of all secrets in a text, unordered.
func findSecrets(text string) []span {
	scans.Add(1)
	spans := findShapes(text, nil)
	spans = findPrivateKeys(text, spans)
	spans = findURLPasswords(text, spans)
	spans = findHostPasswords(text, spans)
	spans = findLeaks(text, spans)
	spans = findOpaqueKeys(text, spans)
	spans = findInProse(text, spans)
	return findAssignments(text, spans)
}

// findAssignments adds values assigned to a secret name: name=value, name: value, --name value, <name>value</name>.
func findAssignments(text string, spans []span) []span {
	for i := 0; i < len(text); i++ {
		var found span
		switch text[i] {
		case '=', ':':
			found = assignedValue(text, i)
		case '-':
			found = flagValue(text, i)
		case '>':
			found = elementContent(text, i)
		}
		if found.end > found.start {
			spans = append(spans, found)
			i = max(i, found.end-1)
		}
	}
	return spans
}

// assignedValue returns the value that the separator at sep assigns to a secret name, or an empty span.
func assignedValue(text string, sep int) span {
	name, ok := nameBefore(text, sep)
	if !ok {
		return span{}
	}
	at, comparison := sep+1, false
	if next := text[at:]; text[sep] == ':' {
		if strings.HasPrefix(next, ":") || strings.HasPrefix(next, "//") || inPath(text, name) {
			return span{}
		}
		at += len(next) - len(strings.TrimPrefix(next, "="))
	} else {
		comparison = strings.HasPrefix(next, "=")
		at += len(next) - len(strings.TrimLeft(next, "=>"))
	}
	blank := isBlank
	if name.end < sep && isQuote(text[sep-1]) {
		blank = isSpace // JSON allows a line break here
	}
	for at < len(text) && blank(text[at]) {
		at++
	}
	recordWork(at - sep)
	if comparison && (at == len(text) || !isQuote(text[at])) {
		return span{}
	}
	at = afterScheme(text, name, at)
	if text[sep] == ':' {
		if whole, ok := wholeLine(text, name, at); ok {
			return whole
		}
	}
	return valueAt(text, at, text[name.start:name.end])
}

// nameBefore returns the span of the secret name before a separator: "password", config["password"], API key.
func nameBefore(text string, sep int) (span, bool) {
	end := sep
	for end > 0 && isBlank(text[end-1]) {
		end--
	}
	end = beforeIndex(text, end)
	for end > 0 && strings.IndexByte("\"'`\\]", text[end-1]) >= 0 {
		end--
	}
	start := end
	for start > 0 && isNameByte(text[start-1]) {
		start--
	}
	recordWork(sep - start)
	if start == end {
		return span{}, false
	}
	if start > 0 && text[start-1] == '\\' && strings.IndexByte("ntr", text[start]) >= 0 {
		start++ // an escaped line break, not a letter of the name
	}
	if secretName(text[start:end]) {
		return span{start, end}, true
	}
	first := start
	if first > 0 && text[first-1] == ' ' {
		first--
		for first > 0 && isNameByte(text[first-1]) {
			first--
		}
	}
	recordWork(start - first)
	return span{start, end}, first < start && secretName(text[first:end])
}

// beforeIndex skips the index of an element backwards, as in token[0].
func beforeIndex(text string, end int) int {
	if end == 0 || text[end-1] != ']' {
		return end
	}
	start := end - 1
	for start > 0 && isDigit(text[start-1]) {
		start--
	}
	if start > 0 && start < end-1 && text[start-1] == '[' {
		return start - 1
	}
	return end
}

// inPath reports whether the text before a colon is part of a path (/run/secrets:/mnt) or of a cloud resource name.
func inPath(text string, name span) bool {
	if name.start == 0 {
		return false
	}
	switch text[name.start-1] {
	case '/':
		return true
	case '\\':
		return name.start > 1 && isLetterOrDigit(text[name.start-2])
	case ':':
		return name.start > 1 && isDigit(text[name.start-2]) && text[name.start:name.end] == "secret"
	}
	return false
}

// afterScheme skips the authentication scheme: "Bearer" in "Authorization: Bearer x".
func afterScheme(text string, name span, at int) int {
	if !strings.Contains(strings.ToLower(text[name.start:name.end]), "auth") {
		return at
	}
	end := at
	for end < len(text) && isNameByte(text[end]) {
		end++
	}
	switch strings.ToLower(text[at:end]) {
	case "bearer", "basic", "token", "apikey", "negotiate", "bot", "key":
	default:
		return at
	}
	value := end
	for value < len(text) && isBlank(text[value]) {
		value++
	}
	recordWork(value - at)
	if value == end || value == len(text) || isSpace(text[value]) {
		return at
	}
	return value
}

// isSecretFlag reports whether an argument is a flag such as --password, whose value is the next argument.
func isSecretFlag(argument string) bool {
	name := strings.TrimLeft(argument, "-")
	if name == "" || len(name) == len(argument) || !isLetter(name[0]) || strings.HasPrefix(name, "no-") {
		return false
	}
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return secretName(name)
}

// flagValue returns the value of the secret flag that starts at i, or an empty span.
func flagValue(text string, i int) span {
	if i > 0 && !isSpace(text[i-1]) && !isQuote(text[i-1]) {
		return span{}
	}
	end := i
	for end < len(text) && isNameByte(text[end]) {
		end++
	}
	at := end
	for at < len(text) && isBlank(text[at]) {
		at++
	}
	recordWork(at - i)
	if at == end || at == len(text) || strings.IndexByte("-|<>&;", text[at]) >= 0 {
		return span{}
	}
	switch flag := text[i:end]; {
	case flag == "-u", flag == "--user":
		return userFlag(text, at)
	case isSecretFlag(flag):
		return valueAt(text, at, flag)
	}
	return span{}
}

// userFlag returns the password in "-u user:password". Numbers are user and group ids, and URLs are not users.
func userFlag(text string, at int) span {
	colon := at
	for colon < len(text) && text[colon] != ':' && !isSpace(text[colon]) {
		colon++
	}
	recordWork(colon - at)
	if colon == len(text) || text[colon] != ':' {
		return span{}
	}
	end := valueEnd(text, colon+1)
	if isQuote(text[at]) {
		if behind, closed := quoteEnd(text, at); closed {
			end = behind - 1
		}
	}
	if end <= colon || strings.Trim(text[colon+1:end], "0123456789") == "" || strings.HasPrefix(text[colon+1:], "//") {
		return span{}
	}
	return span{colon + 1, end}
}

// elementContent returns the content of the XML element whose start tag ends at i, if its name is secret.
func elementContent(text string, i int) span {
	start := i
	for start > 0 && isNameByte(text[start-1]) {
		start--
	}
	recordWork(i - start)
	if start == 0 || text[start-1] != '<' || !secretName(text[start:i]) {
		return span{}
	}
	length := strings.IndexByte(text[i+1:], '<')
	if length < 0 {
		recordWork(len(text) - i)
	} else {
		recordWork(length)
	}
	if length < 0 || !strings.HasPrefix(text[i+1+length:], "</") {
		return span{}
	}
	return span{i + 1, i + 1 + length}
}
