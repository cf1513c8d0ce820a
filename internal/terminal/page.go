// Package terminal formats text for a terminal: tables and lines of its width, times with zone, colors for allowed and
// denied. Domain packages do not import it; package tools/views formats their answers.
package terminal

import (
	"math/rand/v2"
	"time"

	"github.com/dustin/go-humanize"
)

// Page is what a text is set for. The zero Page is for whoever greps: nothing is cut or colored, and times are as in RFC 3339.
type Page struct {
	Width int       // columns of the terminal; 0: no end
	Now   time.Time // times are told from here, as "3 days ago"; the zero time: RFC 3339
	Color bool
	Wide  bool // tables keep all their columns, however wide
}

// Time tells a moment.
func (p Page) Time(at time.Time) string {
	if p.Now.IsZero() || at.IsZero() {
		return at.Format(time.RFC3339)
	}
	return humanize.RelTime(at, p.Now, "ago", "from now")
}

// Day tells a moment of which only the day matters.
func (p Page) Day(at time.Time) string {
	if p.Now.IsZero() || at.IsZero() {
		return at.Format(time.DateOnly)
	}
	return p.Time(at)
}

// tones are the words that have a color.
var tones = map[string]string{
	"allowed": good, "success": good, "ok": good, "closed": good,
	"denied": bad, "failure": bad, "blocks": bad, "block": bad, "fail": bad, "failed": bad, "error": bad, "open": bad,
	"warns": fair, "warn": fair, "warning": fair, "partial": fair, "half_open": fair, "abandoned": fair, "on trial": fair, "shadow": fair, "off": fair,
}

// What stands around a word that has a color, until Finish.
var good, bad, fair, plain = mark(), mark(), mark(), mark()

// mark is made of what Unicode keeps for such a use, which are no characters, and anew in each process: no recorded text can hold it,
// and so have a color of its own.
func mark() string {
	const first, last, length = '\ufdd0', '\ufdef', 12
	signs := make([]rune, length)
	for i := range signs {
		signs[i] = first + rand.N(last-first+1)
	}
	return string(signs)
}

// ColorWord gives a word of judgment, such as denied or success, the color of its meaning. Any other text stays as it is.
func (p Page) ColorWord(word string) string { return p.Colorize(word, word) }

// Colorize gives a text the color of a word of judgment.
func (p Page) Colorize(like, text string) string {
	if tone := tones[like]; p.Color && tone != "" {
		return tone + text + plain
	}
	return text
}

// More says how to get the page after, where there is one. A cursor that is broken into lines could not be copied.
func (p Page) More(cursor string) string {
	if more := "more: --cursor " + cursor; p.Width == 0 || len(more) <= p.Width {
		return more
	}
	return "more: --limit, or --cursor with what --field next_cursor prints"
}
