package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/internal/render"
	"nomograph/memory"
	"nomograph/memory/claims"
	"nomograph/search"
)

// Superseded describes a statement of a chunk that a later one replaced.
type Superseded struct {
	At        time.Time `json:"at" jsonschema:"time of the superseding statement"`
	SessionID string    `json:"session_id,omitempty" jsonschema:"session of the statement"`
	Said      string    `json:"said,omitempty" jsonschema:"superseded statement"`
	By        string    `json:"by,omitempty" jsonschema:"superseding statement"`
}

// Change is one of several successive statements on a subject.
type Change struct {
	At        time.Time `json:"at"`
	SessionID string    `json:"session_id,omitempty"`
	InForce   bool      `json:"in_force"`
	Text      string    `json:"text"`
}

const (
	maxCompared    = 40  // best chunks whose statements are compared
	maxChanges     = 6   // statements shown per subject
	maxClaimLength = 300 // bytes of a statement in an answer
	expired        = 0.5 // score factor of a fact that is no longer valid
)

// factState is the current state of a fact. By is the uid of the superseding fact, if it is visible to the caller.
type factState struct {
	Subject, By                         string
	ValidFrom, ValidUntil, SupersededAt time.Time
}

// subject returns the subject of a fact, "" for other kinds.
func (r row) subject() string {
	if r.Fact == nil {
		return ""
	}
	return r.Fact.Subject
}

// statement is a claim in a chunk.
type statement struct {
	claims.Claim
	chunk int
	at    time.Time
	order int // index within the chunk
}

// rankNewestStatements marks the statements of chunks that others supersede and ranks the newest statement above the
// older ones. It also reads superseding facts that were not found, and returns the changes on the question's subject,
// newest first.
func (s *Store) rankNewestStatements(ctx context.Context, chunks []foundChunk, question string) ([]foundChunk,
	[][]Change, error) {
	chunks, err := s.addSuccessors(ctx, chunks)
	if err != nil {
		return nil, nil, err
	}
	now, place := s.now(), map[string]int{}
	for i := range chunks {
		place[chunks[i].UID] = i
		if f := chunks[i].Fact; f != nil && !f.ValidUntil.IsZero() && f.ValidUntil.Before(now) {
			chunks[i].score *= expired
		}
	}
	var newer [][2]int // pairs of newer and older chunk
	for i := range chunks {
		for _, uid := range chunks[i].successors() {
			if j, ok := place[uid]; ok {
				newer = append(newer, [2]int{j, i})
			}
		}
		f := chunks[i].Fact
		if f == nil || f.SupersededAt.IsZero() {
			continue
		}
		by := Superseded{At: f.SupersededAt.UTC()}
		if j, ok := place[f.By]; ok {
			by.By = oneClaim(chunks[j].Text)
		}
		chunks[i].superseded = append(chunks[i].superseded, by)
	}
	groups := statementsOf(chunks, question)
	for _, group := range groups {
		for i, older := range group[1:] {
			next := group[i]
			if f := chunks[older.chunk].Fact; f != nil && !f.SupersededAt.IsZero() || older.chunk == next.chunk ||
				older.Repeats(group[0].Claim) || older.Repeats(next.Claim) {
				continue
			}
			chunks[older.chunk].superseded = append(chunks[older.chunk].superseded,
				Superseded{At: next.at.UTC(), SessionID: chunks[next.chunk].sessionOf(), Said: oneClaim(older.Text),
					By: oneClaim(next.Text)})
			newer = append(newer, [2]int{group[0].chunk, older.chunk})
		}
	}
	liftNewer(chunks, newer)
	var changes [][]Change
	for _, group := range groups {
		changes = append(changes, changesOf(group, chunks))
	}
	inOrder(chunks)
	return chunks, changes, nil
}

const justBelow = 0.99

// liftNewer ranks the newer chunk of each pair of newer and older chunk above the older one.
func liftNewer(chunks []foundChunk, pairs [][2]int) {
	for range maxChanges { // in a chain, each swap can undo another
		for _, pair := range pairs {
			a, b := &chunks[pair[0]], &chunks[pair[1]]
			if pair[0] == pair[1] || a.asked || b.asked {
				continue
			}
			if b.newer = append(b.newer, a.UID); a.score <= b.score {
				b.score, a.score = min(a.score, b.score*justBelow), b.score
			}
		}
	}
}

// sessionOf returns the session of a chunk, or "" for a fact.
func (c *foundChunk) sessionOf() string {
	if c.Kind == memory.FactKind {
		return ""
	}
	return c.SessionID
}

func oneClaim(text string) string {
	return render.Cut(render.OneLine(render.Clean(text)), maxClaimLength)
}

// successors returns the uids of the chunks with the fact or decisions that superseded a chunk.
func (r row) successors() (uids []string) {
	if r.Fact != nil && r.Fact.By != "" {
		return []string{r.Fact.By}
	}
	for _, d := range r.Decisions {
		for _, by := range d.SupersededBy {
			if by.Chunk != "" {
				uids = append(uids, by.Chunk)
			}
		}
	}
	return uids
}

// addSuccessors adds the facts and decisions that supersede a fact or decision and are not yet included.
func (s *Store) addSuccessors(ctx context.Context, chunks []foundChunk) ([]foundChunk, error) {
	had := map[string]bool{}
	for i := range chunks {
		had[chunks[i].UID] = true
	}
	for range maxChanges { // follow chains
		scores := map[string]float64{}
		var missing []string
		for i := range chunks {
			if kind := chunks[i].Kind; kind != memory.FactKind &&
				kind != memory.Decision { // a session that mentions many
				continue
			}
			for _, uid := range chunks[i].successors() {
				if !had[uid] {
					missing, had[uid], scores[uid] = append(missing, uid), true, chunks[i].score
				}
			}
		}
		if len(missing) == 0 {
			break
		}
		rows, err := s.readChunks(ctx, missing)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			c := readChunk(r)
			c.score, c.because, c.relevant = scores[r.UID], "after", true
			chunks = append(chunks, c)
		}
	}
	return chunks, nil
}

// statementsOf groups statements on the same subject that differ, newest first. Only statements that share a word with
// the question are included.
func statementsOf(chunks []foundChunk, question string) (groups [][]statement) {
	asked := map[string]bool{}
	for word := range wordsOf(content(question)) {
		asked[search.Stem(word)] = true
	}
	var all []statement
	for i := range chunks[:min(len(chunks), maxCompared)] {
		for n, c := range chunks[i].claims() {
			if len(asked) == 0 || slices.ContainsFunc(c.Key, func(stem string) bool { return asked[stem] }) {
				at := chunks[i].At
				if f := chunks[i].Fact; f != nil {
					at = f.ValidFrom
				}
				all = append(all, statement{c, i, at, n})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b statement) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(chunks[b.chunk].Position, chunks[a.chunk].Position),
			cmp.Compare(b.order, a.order))
	})
	taken := make([]bool, len(all))
	for i, newest := range all {
		if taken[i] {
			continue
		}
		group, differs := []statement{newest}, false
		for j := i + 1; j < len(all); j++ {
			replaces := newest.Replaces(all[j].Claim)
			if taken[j] || !replaces && !newest.Repeats(all[j].Claim) {
				continue
			}
			taken[j], differs = true, differs || replaces
			group = append(group, all[j])
		}
		if differs {
			groups = append(groups, group)
		}
	}
	return groups
}

// claims returns the statements of a chunk that a later one can replace. Decisions, actions and questions are excluded,
// because they remain true.
func (c *foundChunk) claims() (all []claims.Claim) {
	switch c.Kind {
	case memory.Conversation, memory.Summary, memory.FactKind:
		for _, m := range c.messages {
			if len(m.text) <= maxStatementLength {
				all = append(all, claims.In(m.text)...)
			}
		}
	case memory.Events:
		for line := range strings.Lines(c.Text) {
			if slices.ContainsFunc(statingLines, func(begins string) bool { return strings.HasPrefix(line, begins) }) {
				all = append(all, claims.In(line)...)
			}
		}
	}
	return all
}

const maxStatementLength = 8000 // bytes; longer messages are not searched for statements

var statingLines = []string{"Thought: ", "Input: ", "Conclusion: "}

// changesOf returns the statements of a group, without consecutive repetitions.
func changesOf(group []statement, chunks []foundChunk) (changes []Change) {
	for i, one := range group {
		if i+1 < len(group) && one.Repeats(group[i+1].Claim) { // an older statement says the same
			continue
		}
		changes = append(changes, Change{At: one.at.UTC(), SessionID: chunks[one.chunk].sessionOf(),
			InForce: len(changes) == 0, Text: oneClaim(one.Text)})
	}
	return changes[:min(len(changes), maxChanges)]
}
