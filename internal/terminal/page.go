// Package terminal formats text for a terminal: tables and lines of its width, times with zone, colors for allowed and
// denied. Domain packages do not import it; package tools/views formats their answers.
package terminal

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Page describes the output device. The zero Page is for scripts: nothing is truncated or colored, and times are RFC
// 3339.
type Page struct {
	Width int       // columns of the terminal; 0 means unlimited
	Now   time.Time // reference for relative times such as "3 days ago"; the zero time means RFC 3339
	Color bool
	Wide  bool // tables keep all columns, however wide
}

// Time formats a time.
func (p Page) Time(at time.Time) string {
	if p.Now.IsZero() || at.IsZero() {
		return at.Format(time.RFC3339)
	}
	return humanize.RelTime(at, p.Now, "ago", "from now")
}

// Day formats a time of which only the day matters.
func (p Page) Day(at time.Time) string {
	if p.Now.IsZero() || at.IsZero() {
		return at.Format(time.DateOnly)
	}
	return p.Time(at)
}

// tones are colors with their words.
var tones = [...][2]string{
	{good, "allowed, success, ok, closed, approved"},
	{bad, "denied, failure, blocks, block, fail, failed, error, open, rejected"},
	{fair, "warns, warn, warning, partial, half_open, abandoned, on trial, shadow, off, approving"},
}

// Marks around colored words until Finish replaces them.
var good, bad, fair, plain = colorMarker(), colorMarker(), colorMarker(), colorMarker()

// colorMarker returns random Unicode noncharacters, new in each process, so that no recorded text can contain a mark
// and set colors.
func colorMarker() string {
	const first, last, length = '\ufdd0', '\ufdef', 12
	signs := make([]rune, length)
	for i := range signs {
		signs[i] = first + rand.N(last-first+1)
	}
	return string(signs)
}

// ColorWord colors a word with a meaning, such as denied or success. Other texts remain unchanged.
func (p Page) ColorWord(word string) string { return p.Colorize(word, word) }

// Colorize colors a text like the given word.
func (p Page) Colorize(like, text string) string {
	for _, tone := range tones {
		if p.Color && slices.Contains(strings.Split(tone[1], ", "), like) {
			return tone[0] + text + plain
		}
	}
	return text
}

// More returns how to get the next page. A wrapped cursor could not be copied, so a long one is not printed.
func (p Page) More(cursor string) string {
	if more := "more: --cursor " + cursor; p.Width == 0 || len(more) <= p.Width {
		return more
	}
	return "more: --limit, or --cursor with what --field next_cursor prints"
}
