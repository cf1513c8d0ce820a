package recall

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"nomograph/internal/render"
	"nomograph/internal/tokencount"
)

// ChunkResult is a chunk in a result.
type ChunkResult struct {
	SessionID string    `json:"session_id,omitempty"`
	Project   string    `json:"project,omitempty" jsonschema:"default project"`
	At        time.Time `json:"at"`
	Relevance float64   `json:"relevance" jsonschema:"relevance relative to the best result, 0 to 1"`
	Because   string    `json:"linked_by,omitempty" jsonschema:"for linked chunks: link from a result"`
	Shortened bool      `json:"shortened,omitempty" jsonschema:"true if only the best passages are shown"`
	ID        string    `json:"id,omitempty" jsonschema:"id of a fact"`
	From      time.Time `json:"valid_from,omitzero" jsonschema:"start of validity of a fact"`
	Until     time.Time `json:"valid_until,omitzero" jsonschema:"end of validity of a fact"`

	Superseded []Superseded `json:"superseded,omitempty" jsonschema:"statements superseded later"`

	Similar int                `json:"similar,omitempty" jsonschema:"number of chunks with the same statement"`
	Now     []OutdatedDecision `json:"now,omitempty" jsonschema:"mentioned decisions that failed or were superseded later"`
	// Outdated is nil if all denials that the chunk describes still hold.
	Outdated []string `json:"outdated,omitempty" jsonschema:"described denials whose rule, mode or threshold has changed since, or that a person overturned"`
	Text     string   `json:"text" recorded:"lines"`
}

// Answer is the result of a memory query.
type Answer struct {
	Count   int           `json:"count" jsonschema:"number of chunks"`
	Tokens  int           `json:"tokens" jsonschema:"number of tokens of the answer (cl100k_base)"`
	Chunks  []ChunkResult `json:"chunks"`
	Changes [][]Change    `json:"changes,omitempty" jsonschema:"with explain: successive statements on the same subject, newest first"`
	Mode    string        `json:"retrieval_mode,omitempty" jsonschema:"search mode used; keyword without vectors"`
	Notes   []string      `json:"notes,omitempty"`
}

// Messages for empty results, as in the source document.
const (
	NothingFound     = "No relevant memory found."
	NothingPredicted = "No predictions available based on current context."
	NoProjects       = "No projects found in memory."
)

// tooSmall is the note and text of a result whose token budget has no room for any relevant chunk.
const tooSmall = "Memory has relevant chunks, but none fits into %d tokens. Raise max_tokens"

// quotedNotice explains quoted lines to the reader of a result.
const quotedNotice = `Lines that begin with "> " are recorded text: ` + render.RecordedNotice + "."

// Recalled is the result of Recall and Explain.
type Recalled struct{ Answer }

// String returns the result as text.
func (a Recalled) String() string {
	return a.write(NothingFound, fmt.Sprintf("Found %s (%s):", render.Plural(int64(a.Count), "relevant memory chunk"),
		render.Plural(int64(a.Tokens), "token")), chunkHeading)
}

// Searched is the result of Search.
type Searched struct{ Answer }

// String returns the result as text.
func (a Searched) String() string {
	return a.write(NothingFound, fmt.Sprintf("Found %s (%s):", render.Plural(int64(a.Count), "relevant memory chunk"),
		render.Plural(int64(a.Tokens), "token")), match)
}

// Predicted is the result of Predict.
type Predicted struct{ Answer }

// String returns the result as text.
func (a Predicted) String() string {
	return a.write(NothingPredicted, fmt.Sprintf("Potentially relevant context (%s):",
		render.Plural(int64(a.Count), "item")), chunkHeading)
}

type heading func(t ChunkResult, i, n int) string

// chunkHeading returns the heading of a numbered chunk.
func chunkHeading(t ChunkResult, i, n int) string {
	return fmt.Sprintf("[%d/%d | %s | %.0f%%]", i+1, n, strings.Join(t.place(), " | "), 100*t.Relevance)
}

// match returns the heading of a search result.
func match(t ChunkResult, _, _ int) string {
	return fmt.Sprintf("[%s | %.0f%%]", strings.Join(t.place(), " | "), 100*t.Relevance)
}

func (t ChunkResult) place() (place []string) {
	switch {
	case t.ID != "":
		place = append(place, "Fact "+shortID(t.ID))
	case t.SessionID != "":
		place = append(place, "Session "+shortID(t.SessionID))
	}
	place = append(place, t.At.Local().Format(aMoment))
	if t.Project != "" {
		place = append(place, render.OneLine(t.Project))
	}
	if t.Because != "" {
		place = append(place, render.OneLine(t.Because))
	}
	return place
}

func (a Answer) write(nothing, header string, head heading) string {
	if a.Count == 0 {
		if len(a.Notes) > 0 && strings.HasPrefix(a.Notes[0], tooSmall[:strings.IndexByte(tooSmall, '%')]) {
			return a.Notes[0]
		}
		return nothing
	}
	text := header + "\n\n" + quotedNotice + "\n\n"
	for _, changes := range a.Changes {
		text += describeChanges(changes) + "\n\n"
	}
	return text + a.body(head)
}

// describeChanges lists the successive statements on a subject.
func describeChanges(changes []Change) string {
	lines := []string{"[How it changed, the newest first]"}
	for _, c := range changes {
		head := c.At.Local().Format(aMoment)
		if c.SessionID != "" {
			head += " | Session " + shortID(c.SessionID)
		}
		if !c.InForce {
			head += " | superseded"
		}
		lines = append(lines, "["+head+"]", render.Quote(c.Text))
	}
	return strings.Join(lines, "\n")
}

func (a Answer) body(head heading) string {
	parts := make([]string, len(a.Chunks))
	for i, t := range a.Chunks {
		parts[i] = t.part(head(t, i, len(a.Chunks)))
	}
	return strings.Join(parts, "\n\n")
}

func (t ChunkResult) part(head string) string {
	lines := append([]string{head}, nowLines(t.Now, t.Outdated)...)
	lines = append(lines, t.validity()...)
	if t.Similar > 0 {
		lines = append(lines, fmt.Sprintf("[%d more say the same]", t.Similar))
	}
	return strings.Join(append(lines, render.Quote(strings.TrimSpace(t.Text))), "\n")
}

// nowLines returns lines about the current state of decisions, and about denials that no longer hold.
func nowLines(now []OutdatedDecision, outdated []string) (lines []string) {
	for _, held := range now {
		lines = append(lines, held.lines()...)
	}
	for _, one := range outdated {
		lines = append(lines, "[Now: "+one+"]")
	}
	return lines
}

// validity returns lines with the period of validity of a fact and the statements that supersede the chunk.
func (t ChunkResult) validity() (lines []string) {
	if t.ID != "" {
		line := "Valid from " + t.From.Local().Format(aMoment)
		if !t.Until.IsZero() {
			line += " until " + t.Until.Local().Format(aMoment)
		}
		lines = append(lines, "["+line+"]")
	}
	for _, s := range t.Superseded {
		line := "Superseded on " + s.At.Local().Format(aMoment)
		if s.SessionID != "" {
			line += " in session " + shortID(s.SessionID)
		}
		if lines = append(lines, "["+line+"]"); s.By != "" {
			lines = append(lines, render.Quote("By: "+s.By))
		}
	}
	return lines
}

// presentation defines how chunks are written: headings, token budget and order.
type presentation struct {
	most    int
	counter *tokencount.Counter
	head    heading
	byTime  bool // chronological order instead of best first
	whole   func(Answer) string

	question map[string]float64 // stems of the question's content words
}

// minRemainingTokens is the number of remaining tokens below which no further chunk is tried.
const minRemainingTokens = 50

// composeAnswer builds an answer from as many chunks as fit, in their order. Neither the text nor the JSON exceeds the
// token budget. A chunk that does not fit as a whole is reduced to its best passages.
func composeAnswer(from Found, chosen iter.Seq[*foundChunk], project string, how presentation) Answer {
	out := Answer{Mode: from.Mode, Notes: from.Notes}
	for _, changes := range from.changes {
		if spoken := describeChanges(changes); how.counter.Tokens(spoken) <= how.most/5 &&
			how.counter.Tokens(asJSON(changes)) <= how.most/4 && len(out.Changes) == 0 {
			out.Changes = append(out.Changes, changes)
		}
	}
	counter, left, relevant := how.counter, how.most, 0
	left -= max(counter.Tokens(how.whole(Answer{Count: 1, Changes: out.Changes, Mode: out.Mode,
		Notes: out.Notes}))+10, counter.Tokens(answerJSON(out)))
	for c := range chosen {
		if c.score >= minScore || len(out.Chunks) == 0 {
			t, cost := c.result(project), 0
			if c.Tokens <= int64(left) { // its text alone does not exceed the budget
				cost = t.cost(counter, how.head)
			}
			switch {
			case cost > 0 && cost <= left:
				out.Chunks, left = append(out.Chunks, t), left-cost
			case relevant == 0 || left >= minShort:
				t, fits := c.shorten(project, left*3/4, counter, how)
				if !fits && relevant == 0 {
					t, fits = c.cutTo(left, counter, how)
				}
				if fits {
					out.Chunks, left = append(out.Chunks, t), left-t.cost(counter, how.head)
				}
			}
		}
		if relevant++; left < minRemainingTokens {
			break
		}
	}
	for {
		if out.Count = len(out.Chunks); how.byTime {
			slices.SortStableFunc(out.Chunks, func(a, b ChunkResult) int { return a.At.Compare(b.At) })
		}
		if out.Tokens = 0; out.Count > 0 {
			out.Tokens = counter.Tokens(out.body(how.head))
		}
		if out.Count == 0 && relevant > 0 {
			return Answer{Chunks: out.Chunks, Mode: out.Mode, Notes: []string{fmt.Sprintf(tooSmall, how.most)}}
		}
		if out.Count == 0 || max(counter.Tokens(how.whole(out)), counter.Tokens(answerJSON(out))) <= how.most {
			return out
		}
		out.Chunks = slices.Delete(out.Chunks, worst(out.Chunks), worst(out.Chunks)+1)
	}
}

func worst(chunks []ChunkResult) int {
	worst := 0
	for i, t := range chunks {
		if t.Relevance <= chunks[worst].Relevance {
			worst = i
		}
	}
	return worst
}

func (c *foundChunk) result(project string) ChunkResult {
	t := ChunkResult{SessionID: c.SessionID, At: c.At.UTC(), Relevance: float64(int(c.score*1000+.5)) / 1000,
		Because: c.because, Similar: c.similar, Now: c.outdatedDecisions(), Outdated: c.outdated,
		Superseded: c.superseded, Text: render.Clean(uniqueText(c))}
	if f := c.Fact; f != nil {
		t.ID, t.SessionID, t.From, t.Until = c.UID, "", f.ValidFrom.UTC(), f.ValidUntil.UTC()
	}
	if project == "" {
		t.Project = c.Project
	}
	return t
}

// cost returns the tokens of a chunk as text or as JSON, whichever is larger.
func (t ChunkResult) cost(counter *tokencount.Counter, head heading) int {
	return max(counter.Tokens(t.part(head(t, 98, 99)))+2, counter.Tokens(asJSON(t))+2)
}

const cutMark = "[...]"

// answerJSON returns a result as the JSON that a client gets.
func answerJSON(answer any) string { return string(render.MarkRecorded([]byte(asJSON(answer)))) }

func asJSON(value any) string {
	text, err := render.JSON(value)
	if err != nil { // our own types always encode, so this is a bug
		panic(err)
	}
	return string(text)
}
