package transcripts

import (
	"bufio"
	"cmp"
	"strings"
	"time"

	bounds "nomograph/internal/document"
	"nomograph/internal/pattern"
	"nomograph/memory/turns"
)

var (
	heading  = pattern.New(`^#{1,6}\s+(.+?)\s*#*$`)
	exported = pattern.New(`^_Exported on (\d{1,2}/\d{1,2}/\d{4}) at (\d{1,2}:\d{2}:\d{2}).*from Cursor`)
	bold     = pattern.New(`^(?:#{1,6}\s+)?(?:\*\*|__)([^*_:]{1,40}):?(?:\*\*|__):?\s*(.*)$`)
	colon    = pattern.New(`^([A-Za-z][A-Za-z .]{0,38}):(?:\s+(.*))?$`)
)

// markdown reads a conversation in Markdown. A heading (## User), bold text (**User**) or a prefix (User: ...) names
// the speaker. In a text without speakers, each section is a turn.
func (r *reading) markdown(in *bufio.Reader) error {
	m := &markdown{r: r, asks: true}
	err := eachTextLine(in, m.line, func(number int, why string) { r.problem(r.place(number), why) })
	m.flush()
	return err
}

// markdown is the state of reading a Markdown text.
type markdown struct {
	r       *reading
	c       *Conversation
	title   string
	source  string
	at      time.Time
	fenced  string
	speaker string
	asks    bool
	role    string
	spoken  bool // a speaker was named
	cut     bool // the current message was truncated
	text    strings.Builder
}

func (m *markdown) line(line string) {
	trimmed := strings.TrimSpace(line)
	if mark := trimmed[:min(3, len(trimmed))]; mark == "```" || mark == "~~~" {
		switch m.fenced {
		case "":
			m.fenced = mark
		case mark:
			m.fenced = ""
		}
	}
	if m.fenced == "" && m.begins(trimmed) {
		return
	}
	if m.text.Len()+len(line) > maxLineLength {
		if !m.cut {
			m.r.problem(m.r.file.Path, "a message has more than 32 MB; the rest of it was left out")
		}
		m.cut = true
		return
	}
	m.text.WriteString(line + "\n")
}

// begins reports whether a line starts a message or section, and starts it.
func (m *markdown) begins(trimmed string) bool {
	if found := exported.FindStringSubmatch(trimmed); found != nil {
		m.source = Cursor
		m.at, _ = time.Parse("1/2/2006 15:04:05", found[1]+" "+found[2])
		return true
	}
	if strings.HasPrefix(trimmed, "_Exported on ") && strings.Contains(trimmed, "from Cursor") {
		m.source = Cursor
		return true
	}
	if trimmed == "---" && m.source == Cursor {
		return true
	}
	speaker, rest, titled := speakerIn(trimmed)
	var at time.Time
	if found := timeInLine.FindStringSubmatchIndex(trimmed); found != nil && roles[strings.ToLower(speaker)] == "" {
		if other, said, _ := speakerIn(strings.TrimSpace(trimmed[:found[0]] + trimmed[found[1]:])); roles[strings.ToLower(other)] != "" {
			speaker, rest, at = other, said, stamp(trimmed[found[2]:found[3]])
		}
	}
	if name, role := roleOf(speaker); role != "" {
		m.flush()
		if found := timeInLine.FindStringSubmatchIndex(rest); found != nil && found[0] == 0 &&
			strings.ContainsAny(rest[:1], "[(") {
			at, rest = stamp(rest[found[2]:found[3]]), rest[found[1]:]
		}
		if !at.IsZero() {
			m.at = at
		}
		m.speaker, m.role, m.asks, m.spoken = name, role, role == "user", true
		m.text.WriteString(rest + "\n")
		return true
	}
	if titled == "" || m.source == Cursor && m.spoken {
		return false
	}
	if m.title == "" && m.c == nil && strings.TrimSpace(m.text.String()) == "" {
		m.title = titled
		if found := timeInLine.FindStringSubmatch(titled); found != nil {
			m.at = stamp(found[1])
		}
		return true
	}
	if m.spoken {
		return false
	}
	m.flush()
	m.speaker, m.role, m.asks = "", "", true
	m.text.WriteString(trimmed + "\n")
	return true
}

// timeInLine is a time next to the name of a speaker, as in "## User (2026-05-01 10:00)" or "[2026-05-01 10:00] User:
// Why?".
var timeInLine = pattern.New(`[\s,–—-]*[\[(]?` + dateInText + `[\])]?\s*`)

// speakerIn returns the name at the beginning of a line, the text after it, and the heading if the line is one.
func speakerIn(line string) (speaker, rest, titled string) {
	if found := heading.FindStringSubmatch(line); found != nil {
		titled = found[1]
		speaker = strings.Trim(titled, "*_: ")
	}
	if found := bold.FindStringSubmatch(line); found != nil {
		speaker, rest = found[1], found[2]
	} else if found := colon.FindStringSubmatch(line); found != nil {
		speaker, rest = found[1], found[2]
	}
	return speaker, rest, titled
}

// flush yields the collected message.
func (m *markdown) flush() {
	text := strings.Trim(m.text.String(), "\n")
	m.text.Reset()
	m.cut = false
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "\n---"))
	if text == "" || text == "---" {
		return
	}
	if m.role == "system" {
		m.r.skip(strings.ToLower(m.speaker) + " message")
		return
	}
	if m.c == nil {
		source := cmp.Or(m.source, Markdown)
		m.c = m.r.conversation(source, contentID(m.title, text))
		m.c.Title = clean(m.title)
		if source == Cursor {
			m.c.Agent = "cursor"
		}
	}
	m.r.yieldMessage(m.c, turns.Message{Speaker: m.speaker, Asks: m.asks, At: m.at,
		Text: turns.ShortenCode(clean(text))})
}

// eachTextLine is eachLine with strings. It also visits blank lines.
func eachTextLine(in *bufio.Reader, visit func(line string), refuse func(number int, why string)) error {
	last := 0
	return eachLine(in, func(number int, line []byte, _ bool) {
		if _, err := bounds.Decode(line); err != nil {
			refuse(number, reasonOf(err))
			line = nil
		}
		for ; last < number-1; last++ { // blank lines separate paragraphs
			visit("")
		}
		last = number
		visit(strings.TrimRight(string(line), "\r\n"))
	}, func(number int) { refuse(number, "the line is longer than 32 MB, and was left out") })
}
