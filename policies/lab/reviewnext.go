package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/internal/reviewsample"
	"nomograph/internal/statistics"
	"nomograph/policies"
	"nomograph/policies/check"
)

// ReviewNextRequest asks which decisions to review.
type ReviewNextRequest struct {
	Rule  string `json:"rule,omitempty" jsonschema:"only decisions whose review is evidence about this rule" rule:"maxLength=200"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=100,default=20"`
	Filter
}

// ReviewNext lists the decisions whose reviews would say most about rules.
type ReviewNext struct {
	Reviews    []NextReview       `json:"reviews" jsonschema:"most useful first"`
	Unreviewed int                `json:"unreviewed" jsonschema:"decisions with a verdict that went ahead and have no review"`
	Rules      []RuleQuestion     `json:"rules" jsonschema:"rules with unreviewed acts in spite of them, and how many reviews would show whether they are too strict"`
	Proposals  []ProposalQuestion `json:"proposals" jsonschema:"open proposals with unreviewed acts that they would deny or allow, and how many reviews would show whether these denials cost less than the failures"`
	Drawn      DrawnReviews       `json:"drawn"`
	Criterion  string             `json:"criterion" jsonschema:"costs by which questions are answered"`
	Notes      []string           `json:"notes"`
	Summary    string             `json:"summary" jsonschema:"the same as Markdown"`
}

// NextReview is an unreviewed decision with the reasons for its rank.
type NextReview struct {
	ID       string    `json:"id"`
	Title    string    `json:"title,omitempty"`
	At       time.Time `json:"at"`
	AgentID  string    `json:"agent_id,omitempty"`
	Category string    `json:"category,omitempty"`
	Stakes   string    `json:"stakes,omitempty"`
	Drawn    bool      `json:"drawn,omitempty" jsonschema:"true if it was drawn at random"`
	Reasons  []string  `json:"reasons" jsonschema:"rules and findings that a review of the decision informs"`

	Worth statistics.Case `json:"-"` // its group and cost
	value float64
}

// Question asks whether failures cost more than blocking the acts that violate a rule, or that a proposal would deny.
type Question struct {
	Failures   int `json:"failures" jsonschema:"reviewed acts that went ahead"`
	Successes  int `json:"successes"`
	Unreviewed int `json:"unreviewed" jsonschema:"decisions without a review"`
	// ToSettle is nil if even reviews of all decisions would not answer the question.
	ToSettle *int `json:"reviews_to_settle,omitempty" jsonschema:"minimum number of further reviews, at the same failure rate, of other sessions, until an anytime-valid 95 % sequence answers; 0 if it already does"`

	open     []*NextReview
	reviewed []statistics.Case
}

// RuleQuestion asks whether a rule is too strict: whether blocking the acts that violated it costs more than their
// failures.
type RuleQuestion struct {
	Rule string `json:"rule"`
	Question
	Answer string `json:"answer" jsonschema:"open, too_strict (blocking these acts costs more than their failures) or confirmed (it costs less)"`
}

// ProposalQuestion asks whether the denials of an open or approved proposal cost less than the failures that they stop.
type ProposalQuestion struct {
	ProposalID string   `json:"proposal_id"`
	Change     []string `json:"change" jsonschema:"the change in words"`
	Question
	Freed  int    `json:"unreviewed_unblocked" jsonschema:"decisions that were forced or approved, that it would allow, without a review"`
	Answer string `json:"answer" jsonschema:"open, stops_successes (its denials cost more than the failures) or stops_failures (they cost less)"`

	allowed []*NextReview
}

// add counts an act, whose review is given if it has none yet.
func (q *Question) add(act *act, outcome string, review *NextReview) {
	switch {
	case review != nil:
		q.open = append(q.open, review)
	case outcome == "failure":
		q.Failures++
		q.reviewed = append(q.reviewed, act.caseOf(true))
	case outcome == "success":
		q.Successes++
		q.reviewed = append(q.reviewed, act.caseOf(false))
	}
}

// settle sets how many further reviews would answer the question, and returns the answer so far. It may be computed
// after each review.
func (q *Question) settle(ifMore, ifLess string) (answer string) {
	waiting := lists.Map(q.open, func(review *NextReview) statistics.Case { return review.Worth })
	side, more := statistics.Settle(q.reviewed, waiting)
	if more >= 0 {
		q.ToSettle = &more
	}
	q.Unreviewed = len(q.open)
	return []string{ifLess, "open", ifMore}[side+1]
}

// DrawnReviews counts the decisions that were drawn at random, a tenth of all. Rates of the drawn decisions are
// unbiased once all of them are reviewed.
type DrawnReviews struct {
	Probability float64           `json:"probability" jsonschema:"probability with which each decision is drawn"`
	Decisions   int               `json:"decisions"`
	Reviewed    int               `json:"reviewed"`
	Failures    *statistics.Share `json:"failures,omitempty" jsonschema:"failures among drawn decisions with success or failure; absent below 10"`
}

const (
	defaultNext = 20
	nearestActs = 5   // number of acts on each side of a threshold
	edge        = 0.1 // maximum relative distance from a threshold
)

// ReviewNext ranks unreviewed decisions by how much their reviews tell about rules. A tenth of the list is drawn at
// random. Nothing is stored. It returns a validation_error for an invalid time, and the errors of reading the graph.
func (s *Store) ReviewNext(ctx context.Context, q ReviewNextRequest) (ReviewNext, error) {
	now := time.Now().UTC()
	w, err := q.window(now)
	if err != nil {
		return ReviewNext{}, err
	}
	nodes, err := s.checks.RuleNodes(ctx, nil)
	if err != nil {
		return ReviewNext{}, err
	}
	n := &reviewSelection{rules: map[string]*RuleQuestion{}, edges: edgesOf(nodes, now),
		denied: map[string][]*ProposalQuestion{}, allowed: map[string][]*ProposalQuestion{}}
	if err := s.readProposals(ctx, n); err != nil {
		return ReviewNext{}, err
	}
	n.out = ReviewNext{Criterion: criterion(stakesCosts), Drawn: DrawnReviews{Probability: reviewsample.Probability}}
	if err := eachAct(ctx, s.source(q.Filter, w), func(*record) {}, n.take); err != nil {
		return ReviewNext{}, err
	}
	n.finish(q.Rule, cmp.Or(q.Limit, defaultNext))
	return n.out, nil
}

// reviewSelection is the state of one call.
type reviewSelection struct {
	out       ReviewNext
	rules     map[string]*RuleQuestion
	proposals []*ProposalQuestion
	// denied and allowed are the proposals that would deny or allow the act of a decision, by its id.
	denied, allowed map[string][]*ProposalQuestion
	edges           []*thresholdEdge
	next            []*NextReview // unreviewed, oldest first
	drawn           sample
}

// maxProposals is the maximum number of open proposals that are considered.
const maxProposals = 20

// readProposals reads which decisions' acts open proposals flip, according to their last replay.
func (s *Store) readProposals(ctx context.Context, n *reviewSelection) error {
	rows, err := graph.All[struct {
		UID                   string
		Words, Blocked, Freed []string
	}](ctx, s.graph, cypher.ProposedFlips, graph.Params{"limit": maxProposals})
	if err != nil {
		return err
	}
	for _, row := range rows {
		q := &ProposalQuestion{ProposalID: row.UID, Change: row.Words}
		n.proposals = append(n.proposals, q)
		for _, id := range row.Blocked {
			n.denied[id] = append(n.denied[id], q)
		}
		for _, id := range row.Freed {
			n.allowed[id] = append(n.allowed[id], q)
		}
	}
	return nil
}

// thresholdEdge collects unreviewed acts close to a threshold.
type thresholdEdge struct {
	name    string
	value   float64
	readers []check.Rule
	near    []nearAct
}

type nearAct struct {
	distance float64 // negative below the threshold
	review   *NextReview
}

// edgesOf returns the numeric thresholds that active rules read, with the facts of these rules.
func edgesOf(nodes check.RuleNodes, now time.Time) []*thresholdEdge {
	var edges []*thresholdEdge
	rules := check.NewCompiler(nil).Compile(nodes, now).Rules()
	for _, node := range nodes.Thresholds {
		value, ok := policies.ToFloat(node.Properties["value"])
		if !ok {
			continue
		}
		readers := lists.Filter(rules, func(r check.Rule) bool {
			return r.Mode != "off" && r.ReadsThreshold(node.Name())
		})
		if len(readers) > 0 {
			edges = append(edges, &thresholdEdge{name: node.Name(), value: value, readers: readers})
		}
	}
	return edges
}

// take counts a recorded decision.
func (n *reviewSelection) take(act *act) {
	outcome, drawn := act.record.outcome(), reviewsample.Drawn(act.DecisionUID)
	if act.Decision == "" || outcome == notDone || act.Retracted { // only decisions can be reviewed
		return
	}
	var review *NextReview
	if drawn {
		n.out.Drawn.Decisions++
	}
	if outcome == "unreviewed" {
		review = &NextReview{ID: act.Decision, Title: act.Description, At: act.At, AgentID: act.Agent,
			Category: act.Category, Stakes: act.Stakes, Drawn: drawn, Worth: act.caseOf(false)}
		n.next = append(n.next, review)
		if drawn {
			review.Reasons = append(review.Reasons, "drawn at random")
		}
	} else if drawn {
		n.out.Drawn.Reviewed++
		n.drawn.add(&act.record, outcome, false)
	}
	applied, seen := map[string]bool{}, map[string]bool{}
	act.results(func(name, result string) {
		applied[name] = true
		if result == "passed" || seen[name] {
			return
		}
		seen[name] = true
		rule := n.rules[name]
		if rule == nil {
			rule = &RuleQuestion{Rule: name}
			n.rules[name] = rule
		}
		rule.add(act, outcome, review)
	})
	for _, proposal := range n.denied[act.Decision] {
		proposal.add(act, outcome, review)
	}
	if review != nil {
		for _, proposal := range n.allowed[act.Decision] {
			proposal.allowed = append(proposal.allowed, review)
		}
		n.measure(&act.record, review, applied)
	}
}

// measure records how close the facts of an act are to thresholds of rules that applied.
func (n *reviewSelection) measure(act *record, review *NextReview, applied map[string]bool) {
	var facts map[string]any
	for _, e := range n.edges {
		if !slices.ContainsFunc(e.readers, func(r check.Rule) bool { return applied[r.Name] }) {
			continue
		}
		if facts == nil {
			if facts = act.facts(); facts == nil {
				return // the action was not stored
			}
		}
		nearest, ok := math.Inf(1), false
		for path, fact := range facts {
			number, isNumber := fact.(float64)
			if isNumber && slices.ContainsFunc(e.readers, func(r check.Rule) bool { return r.ReadsFact(path) }) &&
				math.Abs(number-e.value) < math.Abs(nearest) {
				nearest, ok = number-e.value, true
			}
		}
		if ok && math.Abs(nearest) <= edge*math.Abs(e.value) {
			e.near = append(e.near, nearAct{nearest, review})
		}
	}
}

// finish sets the reasons and the rank of each decision.
func (n *reviewSelection) finish(rule string, limit int) {
	out := &n.out
	out.Unreviewed = len(n.next)
	for _, r := range n.rules {
		if len(r.open) == 0 || rule != "" && r.Rule != rule {
			continue
		}
		r.Answer = r.settle("confirmed", "too_strict")
		out.Rules = append(out.Rules, *r)
		addReason(r.open, r.ToSettle, "rule "+r.Rule)
	}
	for _, p := range n.proposals {
		if p.Freed = len(p.allowed); len(p.open)+p.Freed == 0 || rule != "" {
			continue
		}
		p.Answer = p.settle("stops_failures", "stops_successes")
		out.Proposals = append(out.Proposals, *p)
		addReason(p.open, p.ToSettle, "proposal "+p.ProposalID+" would deny it")
		addReason(p.allowed, nil, "proposal "+p.ProposalID+" would allow it")
	}
	slices.SortFunc(out.Rules, func(a, b RuleQuestion) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.Unreviewed, a.Unreviewed),
			cmp.Compare(a.Rule, b.Rule))
	})
	for _, e := range n.edges {
		if rule != "" && !slices.ContainsFunc(e.readers, func(r check.Rule) bool { return r.Name == rule }) {
			continue
		}
		slices.SortStableFunc(e.near, func(a, b nearAct) int {
			return cmp.Compare(math.Abs(a.distance), math.Abs(b.distance))
		})
		for _, near := range e.near[:min(len(e.near), 2*nearestActs)] {
			near.review.value += 1.0 / (2 * nearestActs)
			near.review.Reasons = append(near.review.Reasons, fmt.Sprintf("threshold %s, close to its value", e.name))
		}
	}
	n.list(rule, limit)
	out.Drawn.Failures = n.drawn.share()
	out.note()
	out.Summary = out.markdown()
}

// addReason adds the reason to reviews, unless the question is settled. The fewer reviews a question needs, the more
// each review is worth.
func addReason(reviews []*NextReview, toReview *int, reason string) {
	for _, review := range reviews {
		switch {
		case toReview == nil:
			review.value += 0.5 / float64(len(reviews)+1)
		case *toReview == 0:
			return
		default:
			review.value += 1 / float64(*toReview)
		}
		review.Reasons = append(review.Reasons, reason)
	}
}

// list takes a tenth of the limit, but at least one, from the drawn decisions, oldest first; the rest by value.
func (n *reviewSelection) list(rule string, limit int) {
	ranked := slices.Clone(n.next)
	slices.SortStableFunc(ranked, func(a, b *NextReview) int { return cmp.Compare(b.value, a.value) })
	taken, random := map[*NextReview]bool{}, max(1, limit/10)
	if rule == "" {
		for _, review := range n.next {
			if review.Drawn && len(taken) < random {
				taken[review] = true
			}
		}
	}
	for _, review := range ranked {
		if len(taken) < limit && len(review.Reasons) > 0 && (rule == "" || review.value > 0) {
			taken[review] = true
		}
	}
	for _, review := range ranked {
		if taken[review] {
			n.out.Reviews = append(n.out.Reviews, *review)
		}
	}
}

// rank sorts open questions first, those that need the fewest reviews before others.
func (q RuleQuestion) rank() int {
	switch {
	case q.ToSettle == nil:
		return math.MaxInt - 1
	case *q.ToSettle == 0:
		return math.MaxInt
	}
	return *q.ToSettle
}

// note adds the limitations of the answer.
func (r *ReviewNext) note() {
	if r.Unreviewed == 0 {
		r.Notes = append(r.Notes, "No decision with a verdict waits for a review in this window")
	} else if len(r.Reviews) == 0 {
		r.Notes = append(r.Notes, "No unreviewed decision violated a rule, would flip by a proposal, is close to a threshold or was drawn at random. Review the overdue ones (`ready`)")
	}
	if len(r.Rules) > 0 {
		r.Notes = append(r.Notes, "Acts that went ahead in spite of an enforced rule were forced or approved by people. They may differ from the acts that it stopped")
	}
	if r.Drawn.Reviewed < r.Drawn.Decisions {
		r.Notes = append(r.Notes, "Rates of drawn decisions are unbiased once all of them are reviewed")
	}
}

// words describes what reviews would settle about something called name. settled has its words by answer.
func (q Question) words(name, about string, settled string) string {
	so := fmt.Sprintf(" (%s, %s so far)", render.Plural(q.Failures, "failure"),
		render.PluralOf(q.Successes, "success", "successes"))
	switch {
	case settled != "":
		return settled + so
	case q.ToSettle == nil:
		return fmt.Sprintf("All %s would not settle whether %s %s%s", render.Plural(q.Unreviewed, "review"), name,
			about, so)
	}
	return fmt.Sprintf("%s would show whether %s %s%s", render.Plural(*q.ToSettle, "review"), name, about, so)
}

func (q RuleQuestion) words() string {
	name := "`" + escapeText(q.Rule) + "`"
	return q.Question.words(name, "is too strict",
		map[string]string{"confirmed": "Failures in spite of " + name +
			" cost more than blocks, so no further review is needed",
			"too_strict": "Failures in spite of " + name + " cost less than blocks, so it may be too strict"}[q.Answer])
}

func (q ProposalQuestion) words() string {
	name := "the proposal `" + q.ProposalID + "` (" + escapeText(strings.Join(q.Change, "; ")) + ")"
	if q.Unreviewed == 0 {
		return fmt.Sprintf("%s would show the outcomes of what %s allows", render.Plural(q.Freed, "review"), name)
	}
	return q.Question.words(name, "stops failures that cost more than its denials",
		map[string]string{"stops_failures": "The denials of " + name +
			" cost less than the failures, so no further review is needed",
			"stops_successes": "The denials of " + name + " cost more than the failures"}[q.Answer])
}

// Questions describes what reviews would settle about rules and proposals.
func (r *ReviewNext) Questions() []string {
	return slices.Concat(lists.Map(r.Rules, RuleQuestion.words), lists.Map(r.Proposals, ProposalQuestion.words))
}

// markdown formats the answer for people.
func (r *ReviewNext) markdown() string {
	var b page
	b.line("## Review next\n")
	for _, words := range r.Questions() {
		b.line("- %s", words)
	}
	drawn := fmt.Sprintf("- Drawn at random, 1 in 10: %s, %d reviewed", render.Plural(r.Drawn.Decisions, "decision"),
		r.Drawn.Reviewed)
	if f := r.Drawn.Failures; f != nil {
		drawn += fmt.Sprintf("; %s failed (%s to %s)", percent(f.Share), percent(f.Low), percent(f.High))
	}
	b.line("%s\n", drawn)
	b.line("%s.\n", r.Criterion)
	writeTable(&b, "| decision | title | stakes | informs |\n|---|---|---|---|", r.Reviews,
		func(next NextReview) string {
			return fmt.Sprintf("| %s | %s | %s | %s |", next.ID, escapeText(next.Title), next.Stakes,
				escapeText(strings.Join(next.Reasons, "; ")))
		})
	return b.notes(r.Notes)
}
