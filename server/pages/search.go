package pages

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/memory/recall"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/live"
	"nomograph/search"
	"nomograph/sessions"
)

// results is the data of the search page.
type results struct {
	Asked  search.Subject
	Kinds  []foundKind
	Notes  []string
	Kind   string // "" is all kinds
	Filled bool   // the request has a query
	Total  int
	More   bool // a kind has more results than are shown
	// Outcomes are those of all decisions that were found, also of those that the page does not list.
	Outcomes foundOutcomes
}

// foundKind holds the results of one kind.
type foundKind struct {
	kindOf
	Hits []hit
	More bool // the kind has more than are shown
}

// kindOf is a kind of node that the page searches.
type kindOf struct {
	Name, Title string
	filters     []string // filters that the kind supports; a search with any other filter leaves the kind out
	find        func(*Visit, search.Subject, int) ([]hit, []string, error)
}

// kindsFound lists the kinds in the order of the page.
func kindsFound() []kindOf {
	return []kindOf{
		{"decision", "Decisions", searchFilters, findDecisionHits},
		{policyKind, "Policies", nil, findPolicyHits},
		{thresholdKind, "Thresholds", nil, findThresholdHits},
		{"verdict", "Verdicts", strings.Fields("agent_id project stakes date_after date_before"),
			findVerdictHits},
		{"agent", "Agents", nil, findNamed("agent")},
		{"project", "Projects", nil, findNamed("project")},
		{"conversation", "Conversations", strings.Fields("agent_id project"), findConversationHits},
		{"atlas", "Atlases", nil, findAtlasHits},
	}
}

// searchFilters are the parameters that filter results.
var searchFilters = strings.Fields("project agent_id category stakes outcome tag date_after date_before")

// hit is one result, and a row of a file of results.
type hit struct {
	Kind       string    `json:"kind"`
	ID         string    `json:"id"`
	Title      pieces    `json:"title"`
	Snippet    pieces    `json:"snippet,omitempty"`
	Words      []string  `json:"words,omitempty"`             // words of the search that the text contains
	Meaning    *float64  `json:"cosine_similarity,omitempty"` // nil if unknown
	Linked     bool      `json:"-"`                           // found only over a link of a better result
	Link       string    `json:"path,omitempty"`              // its own page; "" if it has none
	Graph      bool      `json:"-"`                           // can be the center of the graph page
	Outcome    string    `json:"outcome,omitempty"`
	Agent      string    `json:"agent_id,omitempty"`
	Project    string    `json:"project,omitempty"`
	Category   string    `json:"category,omitempty"`
	Stakes     string    `json:"stakes,omitempty"`
	Confidence *float64  `json:"confidence,omitempty"`
	Date       time.Time `json:"date,omitzero"`
	Whole      string    `json:"-"` // the text, of conversations only

	text string // of which Snippet is a part
}

// Node returns the id of the node on the graph page.
func (h hit) Node() string { return strings.TrimPrefix(h.Kind+":"+h.ID, "decision:") }

// Why says why a result matches.
func (h hit) Why() string {
	if h.Linked {
		return "Linked to a better result · "
	}
	var parts []string
	if len(h.Words) > 0 {
		parts = append(parts, strings.TrimPrefix(render.Plural(len(h.Words), "word"), "1 ")+" "+
			strings.Join(h.Words, ", "))
	}
	if h.Meaning != nil {
		parts = append(parts, "meaning "+number(*h.Meaning))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Matches: " + strings.Join(parts, "; ") + " · "
}

// piece is a part of a text. Marked pieces are words of the search.
type piece struct {
	Text   string
	Marked bool
}

type pieces []piece

// String joins the pieces.
func (p pieces) String() string {
	var b strings.Builder
	for _, piece := range p {
		b.WriteString(piece.Text)
	}
	return b.String()
}

// MarshalText returns the text without marks, for files.
func (p pieces) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

const (
	shownPerKind = 8  // hits of each kind in a list of all kinds
	maxPerKind   = 50 // hits in a list of one kind
	snippetSize  = 220
)

func showSearch(v *Visit) (any, error) {
	out := results{Kind: v.Query("kind"), Asked: search.SubjectOf(v.asked())}
	kinds := kindsFound()
	if out.Kind != "" && !slices.ContainsFunc(kinds, func(k kindOf) bool { return k.Name == out.Kind }) {
		return nil, apperr.Newf(apperr.Validation, "Unknown kind %q", out.Kind).
			WithHint("Use decision, policy, threshold, verdict, agent, project, conversation or atlas")
	}
	if out.Filled = v.asked() != ""; !out.Filled {
		return out, nil
	}
	used := slices.DeleteFunc(slices.Clone(searchFilters), func(name string) bool { return v.Query(name) == "" })
	if _, _, err := v.times().Times(time.Time{}, time.Time{}); err != nil { // the errors of single kinds are not shown
		return out, err
	}
	out.Kinds = make([]foundKind, len(kinds))
	notes, reads := make([][]string, len(kinds)), []func() error{}
	for i, kind := range kinds {
		out.Kinds[i].kindOf = kind
		if len(out.Asked.Words) == 0 || slices.ContainsFunc(used,
			func(name string) bool { return !slices.Contains(kind.filters, name) }) {
			continue
		}
		reads = append(reads, func() (err error) {
			out.Kinds[i].Hits, notes[i], err = kind.find(v, out.Asked, maxPerKind)
			if expected(err) {
				return nil
			}
			return err
		})
	}
	if err := concurrently(reads...); err != nil {
		return out, err
	}
	for i := range out.Kinds {
		k := &out.Kinds[i]
		if out.Kind == "" && k.Name == "conversation" { // decisions are the first kind, so they are already cut
			k.Hits = withoutDecisions(k.Hits, out.Kinds[0].Hits)
		}
		if k.Name == "decision" {
			out.Outcomes = outcomesFound(k.Hits)
		}
		if out.Kind == "" && len(k.Hits) > shownPerKind {
			k.Hits, k.More = k.Hits[:shownPerKind], true
		}
		if out.Kind == "" || out.Kind == k.Name {
			out.Notes = append(out.Notes, notes[i]...)
			out.Total += len(k.Hits)
			out.More = out.More || k.More
			for n := range k.Hits {
				k.Hits[n].Snippet = snippet(k.Hits[n].text, out.Asked)
			}
		}
	}
	return out, nil
}

// expected reports whether an error only means that a kind has no results: the text has no words, the graph has no such
// node, or the caller may not read the kind.
func expected(err error) bool {
	return apperr.Is(err, apperr.NotFound) || apperr.Is(err, apperr.Conflict) || apperr.Is(err, apperr.Validation) ||
		apperr.Is(err, apperr.PermissionDenied)
}

// times returns the range of times that the address selects.
func (v *Visit) times() timeparse.Range {
	return timeparse.Range{DateAfter: v.Query("date_after"), DateBefore: v.Query("date_before")}
}

// asked returns the text of the search.
func (v *Visit) asked() string { return strings.TrimSpace(v.Query("q")) }

// Shown reports whether the page lists a kind.
func (r results) Shown(k foundKind) bool { return len(k.Hits) > 0 && r.Lists(k.Name) }

// Lists reports whether the page was asked for a kind.
func (r results) Lists(kind string) bool { return r.Kind == "" || r.Kind == kind }

// marked splits a text into pieces, with the words of the search marked.
func marked(text string, asked search.Subject) (all pieces) {
	spans, _ := asked.In(text)
	at := 0
	for _, span := range spans {
		if span[0] > at {
			all = append(all, piece{Text: text[at:span[0]]})
		}
		all = append(all, piece{text[span[0]:span[1]], true})
		at = span[1]
	}
	if at < len(text) {
		all = append(all, piece{Text: text[at:]})
	}
	return all
}

// snippet returns the part of a text from a little before the first word of the search.
func snippet(text string, asked search.Subject) pieces {
	text = render.OneLine(plainLines(text))
	const before = 60 // bytes
	spans, _ := asked.In(text)
	from := ""
	if len(spans) > 0 && spans[0][0] > before {
		at := spans[0][0] - before
		at += 1 + strings.IndexByte(text[at:spans[0][0]], ' ') // after a part of a word
		from, text = "… ", strings.ToValidUTF8(text[at:], "")
	}
	return marked(from+render.Shorten(text, snippetSize), asked)
}

// joined joins the texts of one result, with a mark between them.
func joined(texts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts),
		func(text string) bool { return strings.TrimSpace(text) == "" }), "\n· ")
}

// plainLines removes the Markdown of each line.
func plainLines(text string) string {
	lines := strings.Split(render.Cut(text, 20_000), "\n")
	for i, line := range lines {
		lines[i] = plain(line)
	}
	return strings.Join(lines, " ")
}

// wordsIn returns the words of the search that a text contains.
func wordsIn(text string, asked search.Subject) (words []string) {
	_, contained := asked.In(text)
	for i, word := range asked.Words {
		if contained[i] {
			words = append(words, word)
		}
	}
	return words
}

func findDecisionHits(v *Visit, asked search.Subject, limit int) ([]hit, []string, error) {
	filters := precedents.Filters{Category: v.Query("category"), Project: v.Query("project"),
		AgentID: v.Query("agent_id"), Stakes: v.All("stakes"), Tags: v.All("tag"), Outcome: v.All("outcome"),
		Range: v.times()}
	if decisionID.MatchString(v.asked()) {
		if details, err := callIfMay[decisions.Details](v, "get_decision",
			decisions.GetQuery{ID: v.asked()}); err == nil && details.Found {
			text, _ := details.Decision["decision"].(string)
			h := decisionHit(decisions.SummaryOf(details.Decision), asked)
			h.text = text
			return []hit{h}, nil, nil
		}
	}
	found, err := callIfMay[precedents.Matches](v, "query_decisions",
		precedents.Query{Query: v.asked(), Limit: limit, NoLinks: true, Filters: &filters})
	hits := make([]hit, len(found.Decisions))
	for i, match := range found.Decisions {
		h := decisionHit(match.Summary, asked)
		h.Linked = match.Linked
		if match.Distance != nil {
			alike := math.Round((1-*match.Distance)*100) / 100
			h.Meaning = &alike
		}
		var texts []string
		for _, r := range match.Reasons {
			texts = append(texts, r.Text)
		}
		texts = append(texts, match.Lessons, match.ActualResult)
		if match.Whole != nil {
			own, _ := match.Whole["decision"].(string)
			about, _ := match.Whole["context"].(string)
			texts = append([]string{strings.TrimPrefix(own, strings.TrimSuffix(match.Title, "…")), about}, texts...)
		}
		h.text, h.Words = joined(texts), wordsIn(match.Title+"\n"+strings.Join(texts, "\n"), asked)
		hits[i] = h
	}
	return hits, found.Notes, err
}

// decisionID matches ids of decisions and their beginnings.
var decisionID = pattern.New(`^[0-9a-f-]{4,36}$`)

func decisionHit(d decisions.Summary, asked search.Subject) hit {
	h := hit{Kind: "decision", ID: d.ID, Title: marked(plain(d.Title), asked), Link: "/decisions/" + d.ID, Graph: true,
		Outcome: cmp.Or(d.Outcome, "pending"), Agent: d.AgentID, Project: d.Project, Category: d.Category,
		Stakes: d.Stakes, Confidence: d.Confidence, Date: d.Date}
	if d.Retracted {
		h.Outcome = "retracted"
	}
	return h
}

func findPolicyHits(v *Visit, asked search.Subject, limit int) ([]hit, []string, error) {
	list, err := callIfMay[live.PolicyList](v, "list_policies",
		live.PolicyFilter{Text: longest(asked), Page: policies.Page{Limit: nodesRead}})
	return findRules(v, policyKind, asked, limit, list.Policies, func(r live.PolicyRow) (any, string, map[string]any) {
		return r.Name, "", r.Properties
	}), notesOf(list.NextCursor, "first", "policies"), err
}

func findThresholdHits(v *Visit, asked search.Subject, limit int) ([]hit, []string, error) {
	list, err := callIfMay[live.ThresholdList](v, "list_thresholds",
		live.ThresholdFilter{Text: longest(asked), Page: policies.Page{Limit: nodesRead}})
	return findRules(v, thresholdKind, asked, limit, list.Thresholds,
		func(r live.ThresholdRow) (any, string, map[string]any) {
			return r.Name, shownValue(r.Value) + " " + shownValue(r.Unit), r.Properties
		}), notesOf(list.NextCursor, "first", "thresholds"), err
}

// longest returns the beginning of the longest word of a search, which the rules that are read must contain.
func longest(asked search.Subject) (beginning string) {
	length := 0
	for i, word := range asked.Words {
		if len(word) > length {
			length, beginning = len(word), asked.Beginning(i)
		}
	}
	return beginning
}

// findRules searches policies or thresholds, of which several can have one name.
func findRules[Row any](v *Visit, kind string, asked search.Subject, limit int, rows []Row,
	read func(Row) (named any, value string, properties map[string]any)) (hits []hit) {
	for _, row := range rows {
		named, value, properties := read(row)
		name, texts := shownValue(named), []string{value}
		for _, field := range []string{"message", "description", "rationale", "applies_when", "requires",
			"forbids_pattern"} {
			texts = append(texts, shownValue(properties[field]))
		}
		h, ok := v.matching(hit{Kind: kind, ID: name, Link: link("/"+kind, "name", name), Graph: true}, name,
			joined(texts), asked)
		if ok && !slices.ContainsFunc(hits, func(other hit) bool { return other.ID == name }) {
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(len(b.Words)-len(a.Words), len(wordsIn(b.ID, asked))-len(wordsIn(a.ID, asked)))
	})
	return hits[:min(len(hits), limit)]
}

// nodesRead is the number of nodes of a kind whose texts are searched here, because no index has them.
const nodesRead = 500

// notesOf says that a list has more nodes than are searched.
func notesOf(next, which, nodes string) []string {
	if next == "" {
		return nil
	}
	return []string{fmt.Sprintf("Only the %s %d %s are searched", which, nodesRead, nodes)}
}

// matching completes the hit of a node by its title and text. ok is true if these have two thirds of the words of the
// search, or the title has its text.
func (v *Visit) matching(h hit, title, text string, asked search.Subject) (_ hit, ok bool) {
	h.Title, h.text, h.Words = marked(title, asked), text, wordsIn(title+"\n"+text, asked)
	return h, 3*len(h.Words) >= 2*len(asked.Words) ||
		strings.Contains(strings.ToLower(title), strings.ToLower(v.asked()))
}

// findVerdictHits searches the newest verdicts, because verdicts have no index of their texts.
func findVerdictHits(v *Visit, asked search.Subject, limit int) ([]hit, []string, error) {
	if wholeID.MatchString(v.asked()) {
		if e, err := callIfMay[check.Explanation](v, "explain_verdict",
			check.VerdictQuery{ID: v.asked()}); err == nil && e.VerdictID != "" {
			return []hit{{Kind: "verdict", ID: e.VerdictID,
				Title: pieces{{Text: e.Answer() + ", requested by " + cmp.Or(e.AgentID, "an unknown agent")}},
				Link:  "/verdicts/" + e.VerdictID, Outcome: e.Answer(), Agent: e.AgentID}}, nil, nil
		}
	}
	list, err := callIfMay[check.VerdictList](v, "list_verdicts",
		check.VerdictFilter{AgentID: v.Query("agent_id"), Project: v.Query("project"),
			Range: v.times(),
			Page:  policies.Page{Limit: nodesRead}})
	var hits []hit
	for _, row := range list.Verdicts {
		rules := strings.Join(graph.Texts(row.Rules), ", ")
		if rules != "" {
			rules = "Violated: " + rules
		}
		h, ok := v.matching(hit{Kind: "verdict", ID: row.VerdictID, Link: "/verdicts/" + row.VerdictID,
			Outcome: row.Answer(), Agent: row.AgentID, Project: row.Project, Stakes: row.Stakes, Date: row.At},
			cmp.Or(render.Shorten(render.OneLine(row.Description), 120), "(no description)"), rules, asked)
		if ok && len(hits) < limit && (v.Query("stakes") == "" || slices.Contains(v.All("stakes"), row.Stakes)) {
			hits = append(hits, h)
		}
	}
	return hits, notesOf(list.NextCursor, "newest", "verdicts"), err
}

// findNamed returns a search of agents or projects by name: the one with exactly this name, which may not be counted
// yet, then those with the most decisions.
func findNamed(kind string) func(*Visit, search.Subject, int) ([]hit, []string, error) {
	return func(v *Visit, asked search.Subject, _ int) (hits []hit, _ []string, err error) {
		groups, err := v.namesOf(kind)
		if err != nil {
			return nil, nil, err
		}
		names := make([]string, len(groups))
		for i, g := range groups {
			names[i] = g.Value
		}
		q := precedents.ListQuery{AgentID: v.asked(), Limit: 1}
		if kind == "project" {
			q = precedents.ListQuery{Project: v.asked(), Limit: 1}
		}
		if list, err := callIfMay[precedents.List](v, "list_decisions", q); err == nil && len(list.Decisions) > 0 {
			name := list.Decisions[0].AgentID
			if kind == "project" {
				name = list.Decisions[0].Project
			}
			names = append([]string{name}, slices.DeleteFunc(names,
				func(other string) bool { return other == name })...)
		}
		for _, name := range names {
			h, ok := v.matching(hit{Kind: kind, ID: name, Link: link("/"+kind, "name", name)}, name, "", asked)
			if ok {
				hits = append(hits, h)
			}
		}
		return hits, nil, nil
	}
}

func findConversationHits(v *Visit, asked search.Subject, limit int) ([]hit, []string, error) {
	found, err := callIfMay[recall.Searched](v, "search",
		recall.SearchQuery{Query: v.asked(), Limits: recall.Limits{Project: v.Query("project"),
			Agent: v.Query("agent_id")}})
	var hits []hit
	for _, chunk := range found.Chunks[:min(len(found.Chunks), limit)] {
		h := hit{Kind: "conversation", ID: cmp.Or(chunk.SessionID, chunk.ID),
			Title: pieces{{Text: "Conversation" + inProject(chunk.Project)}}, text: chunk.Text,
			Words: wordsIn(chunk.Text, asked), Project: chunk.Project,
			Date: chunk.At, Whole: chunk.Text}
		if of := factOfDecision.FindStringSubmatch(chunk.Text); of != nil && chunk.SessionID == "" {
			h.ID, h.Title, h.Link = of[1], marked(plain(render.Title(of[2])), asked), "/decisions/"+of[1]
		} else if chunk.SessionID == "" {
			h.Title = pieces{{Text: "Fact" + inProject(chunk.Project)}}
		} else if chunk.Project != "" {
			h.Link = link(conversationsPath, "project", chunk.Project, "session", chunk.SessionID)
		}
		hits = append(hits, h)
	}
	return hits, nil, err // notes are about memory in general
}

// factOfDecision matches the beginning of memory's copy of a decision.
var factOfDecision = pattern.New(`^Decision ([0-9a-f]{8}): (.*)`)

// withoutDecisions removes what memory stores of decisions that the page lists.
func withoutDecisions(conversations, decisions []hit) []hit {
	return slices.DeleteFunc(conversations, func(c hit) bool {
		return slices.ContainsFunc(decisions, func(d hit) bool { return d.ID == c.ID })
	})
}

func inProject(project string) string {
	if project == "" {
		return ""
	}
	return " in " + project
}

// findAtlasHits searches the contexts of atlases, and atlases by name.
func findAtlasHits(v *Visit, asked search.Subject, limit int) ([]hit, []string, error) {
	list, err := callIfMay[sessions.AtlasList](v, "cra_list_atlases", sessions.AtlasesQuery{})
	if err != nil || list.Total == 0 {
		return nil, nil, err
	}
	var hits []hit
	for _, a := range list.Atlases {
		h, ok := v.matching(hit{Kind: "atlas", ID: a.AtlasID, Link: objectPath("/atlases", a.AtlasID),
			Project: a.Project}, cmp.Or(a.Name, a.AtlasID)+" "+a.Version,
			joined([]string{a.Description, strings.Join(a.Domains, ", ")}), asked)
		if ok {
			hits = append(hits, h)
		}
	}
	found, err := callIfMay[sessions.ContextsFound](v, "cra_search_contexts",
		sessions.SearchQuery{Query: v.asked(), Limit: min(limit, 20)})
	for _, c := range found.Contexts {
		hits = append(hits, hit{Kind: "atlas", ID: c.ContextID, Title: marked(c.Name+" ("+c.AtlasID+")", asked),
			text: c.Content, Words: wordsIn(c.Name+"\n"+c.Content, asked), Link: objectPath("/atlases", c.AtlasID),
			Whole: c.Content})
	}
	return hits, nil, err
}

// hitColumns are the columns of a file of results.
var hitColumns = strings.Fields("kind id title outcome words cosine_similarity snippet agent_id project category stakes " +
	"confidence date path")

// searchExport returns the listed results as CSV or JSON.
func searchExport(v *Visit) (Answer, error) {
	shown, err := showSearch(v)
	if err != nil {
		return Answer{}, err
	}
	found, hits, table := shown.(results), []hit{}, [][]string{hitColumns}
	for _, kind := range found.Kinds {
		if found.Shown(kind) {
			hits = append(hits, kind.Hits...)
		}
	}
	for _, h := range hits {
		of, row := fieldsOf(h), make([]string, len(hitColumns))
		for i, name := range hitColumns {
			row[i] = cmp.Or(strings.Join(items(of[name]), " "), shownValue(of[name]))
		}
		table = append(table, row)
	}
	return v.download("search", hits, table)
}

// Export returns the address of the page's list as a file.
func (s *shown) Export(format string) string {
	return s.Page.Path + "/export?" + string(s.Parameters("format", format))
}
