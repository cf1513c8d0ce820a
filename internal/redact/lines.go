package redact

import "strings"

// wholeLine returns a value that can contain spaces, because of the value's name or because the line is YAML or a
// header. The value ends at the end of the line, of the quotes around name and value, or of the YAML block that starts
// here.
func wholeLine(text string, name span, at int) (span, bool) {
	if at == len(text) {
		return span{}, false
	}
	if text[at] == '|' || text[at] == '>' {
		return yamlBlock(text, name, at)
	}
	if isQuote(text[at]) || text[at] == '\\' || text[at] == '[' || text[at] == '{' {
		return span{}, false
	}
	own := ownsLine(text, name)
	if !own && !holdsBlanks(text[name.start:name.end], text[at:]) {
		return span{}, false
	}
	end := lineEnd(text, at)
	if name.start > 0 && isQuote(text[name.start-1]) {
		if length := strings.IndexByte(text[at:end], text[name.start-1]); length >= 0 {
			end = at + length
		}
	}
	value := text[at:end]
	if own {
		value, _, _ = strings.Cut(value, " #") // a comment
	}
	value = strings.TrimRight(value, " \t\r\\")
	return span{at, at + len(value)}, value != "" && !isPlaceholder(value)
}

// ownsLine reports whether name starts a line of a multi-line text. A single line is treated as prose, which can
// continue after the value.
func ownsLine(text string, name span) bool {
	start := name.start
	for start > 0 && (isBlank(text[start-1]) || text[start-1] == '-') {
		start--
	}
	recordWork(name.start - start)
	return start > 0 && text[start-1] == '\n' || start == 0 && lineEnd(text, 0) < len(text)
}

func holdsBlanks(name, value string) bool {
	_, last := cutLastWord(name)
	switch last {
	case "cookie", "cookies", "passphrase", "string":
		return true
	case "authorization":
		return strings.HasPrefix(value, "Digest ") || strings.HasPrefix(value, "AWS4-")
	}
	return false
}

// yamlBlock returns the lines of the YAML block scalar whose header (| or > with indicators) starts at head: those
// indented more than the name.
func yamlBlock(text string, name span, head int) (span, bool) {
	end := head
	for end < len(text) && strings.IndexByte("|>+-0123456789 \t\r", text[end]) >= 0 {
		end++
	}
	if end == len(text) || text[end] != '\n' {
		return span{}, false
	}
	line := strings.LastIndexByte(text[:name.start], '\n') + 1
	recordWork(end - line)
	depth := indentOf(text[line:])
	block := span{}
	for end < len(text) {
		start := end + 1
		end = lineEnd(text, start)
		line := strings.TrimRight(text[start:end], " \t\r")
		indent := indentOf(line)
		if indent == len(line) {
			continue // an empty line belongs to the block if more lines follow
		}
		if indent <= depth {
			break
		}
		if block.end == 0 {
			block.start = start + indent
		}
		block.end = start + len(line)
	}
	return block, block.end > 0
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func lineEnd(text string, from int) int {
	if end := strings.IndexByte(text[from:], '\n'); end >= 0 {
		recordWork(end)
		return from + end
	}
	recordWork(len(text) - from)
	return len(text)
}
