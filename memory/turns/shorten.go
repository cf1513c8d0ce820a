package turns

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
)

// Limits for shortening code and tool output. A code block keeps 40 lines: the first 28 and the last 12. Tool output
// keeps 16 lines and 1,600 bytes: the first 12 lines and the last 4. Tool input keeps 400 bytes. No line has more than
// 400 bytes. A note replaces the omitted part.
const (
	codeHead, codeTail     = 28, 12
	outputHead, outputTail = 12, 4
	outputBytes            = 1600
	toolInputBytes         = 400
	lineBytes              = 400
)

// ShortenCode shortens the fenced code blocks of a text: blocks between lines that start with three backticks or
// tildes.
func ShortenCode(text string) string {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") {
		return text
	}
	var out strings.Builder
	var block []string
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t>")
		switch mark := trimmed[:min(3, len(trimmed))]; {
		case fence == "" && (mark == "```" || mark == "~~~"):
			fence = mark
			out.WriteString(line)
		case fence != "" && mark == fence && strings.Trim(trimmed, "`~ \t\r\n") == "":
			writeLines(&out, block, codeHead, codeTail)
			block, fence = nil, ""
			out.WriteString(line)
		case fence != "":
			block = append(block, line)
		default:
			out.WriteString(line)
		}
	}
	writeLines(&out, block, codeHead, codeTail) // a block without a closing fence
	return out.String()
}

// ShortenOutput shortens the output of a tool.
func ShortenOutput(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 64<<10 { // only the ends of a very long text are needed
		text = render.Prefix(text, 32<<10) + "\n" + strings.ToValidUTF8(text[len(text)-(16<<10):], "")
	}
	var out strings.Builder
	lines := strings.SplitAfter(text, "\n")
	writeLines(&out, lines, outputHead, outputTail)
	return cut(out.String(), outputBytes)
}

// ToolInput shortens the input of a tool.
func ToolInput(text string) string { return cut(strings.TrimSpace(text), toolInputBytes) }

func writeLines(out *strings.Builder, lines []string, head, tail int) {
	left := len(lines) - head - tail
	for i, line := range lines {
		switch {
		case left > 1 && i == head:
			fmt.Fprintf(out, "[%d lines left out]\n", left)
		case left > 1 && i > head && i < head+left:
		case len(line) > lineBytes:
			out.WriteString(cut(strings.TrimRight(line, "\r\n"), lineBytes))
			out.WriteString(line[len(strings.TrimRight(line, "\r\n")):])
		default:
			out.WriteString(line)
		}
	}
}

func cut(text string, limit int) string {
	head := render.Prefix(text, limit)
	if head == text {
		return text
	}
	return fmt.Sprintf("%s [%d bytes left out]", head, len(text)-len(head))
}
