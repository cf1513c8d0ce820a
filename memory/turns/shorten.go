package turns

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The rule by which code and the output of tools are shortened. Of a block of code, 40 lines stay: the first 28 and the last 12. Of a tool's
// output, 16 lines and 1,600 bytes: the first 12 lines and the last 4. Of what a tool was asked, 400 bytes. No line is longer than 400 bytes.
// What is left out is said in its place.
const (
	codeHead, codeTail     = 28, 12
	outputHead, outputTail = 12, 4
	outputBytes            = 1600
	askedBytes             = 400
	lineBytes              = 400
)

// Code shortens the blocks of code in a text, which stand between lines that begin with three backticks or tildes.
func Code(text string) string {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") {
		return text
	}
	var out strings.Builder
	var block []string
	fence := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " \t>")
		switch mark := bare[:min(3, len(bare))]; {
		case fence == "" && (mark == "```" || mark == "~~~"):
			fence = mark
			out.WriteString(line)
		case fence != "" && mark == fence && strings.Trim(bare, "`~ \t\r\n") == "":
			writeLines(&out, block, codeHead, codeTail)
			block, fence = nil, ""
			out.WriteString(line)
		case fence != "":
			block = append(block, line)
		default:
			out.WriteString(line)
		}
	}
	writeLines(&out, block, codeHead, codeTail) // of a block that nobody closed
	return out.String()
}

// Output shortens what a tool answered.
func Output(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 64<<10 { // of a very long one, only its ends are looked at
		text = firstBytes(text, 32<<10) + "\n" + strings.ToValidUTF8(text[len(text)-(16<<10):], "")
	}
	var out strings.Builder
	lines := strings.SplitAfter(text, "\n")
	writeLines(&out, lines, outputHead, outputTail)
	if short := out.String(); len(short) <= outputBytes {
		return short
	}
	return cut(out.String(), outputBytes)
}

// Asked shortens what a tool was asked.
func Asked(text string) string { return cut(strings.TrimSpace(text), askedBytes) }

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

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head := firstBytes(text, most)
	return fmt.Sprintf("%s [%d bytes left out]", head, len(text)-len(head))
}

func firstBytes(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
