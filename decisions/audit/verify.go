package audit

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nomograph/internal/redact"
	"nomograph/policies"
	"nomograph/trace"
)

// Problem is an error at one place of a bundle.
type Problem struct {
	Place   string `json:"place" jsonschema:"such as signatures[0], session[0] invoices-42 event 3, or verdict[2] 0190..."`
	Problem string `json:"problem"`
	Message string `json:"message"`
}

// Verification is the result of verifying a bundle.
type Verification struct {
	Intact    bool           `json:"intact"`
	SignedBy  string         `json:"signed_by,omitempty" jsonschema:"public key whose signature is valid"`
	CreatedAt time.Time      `json:"created_at"`
	CreatedBy string         `json:"created_by"`
	Scope     Scope          `json:"scope"`
	Counts    map[string]int `json:"counts" jsonschema:"number of records of each kind, and of events"`
	Absent    int            `json:"absent" jsonschema:"number of things that records refer to and the bundle declares absent"`
	Heads     []Head         `json:"heads"`
	Problems  []Problem      `json:"problems"`
	Omitted   int            `json:"omitted,omitempty" jsonschema:"number of further problems"`
}

// Failed reports whether a problem was found; the command line then exits with an error.
func (v Verification) Failed() bool { return !v.Intact }

const maxProblems = 100

// Verify checks a bundle without the graph: its signature by one of the keys, all hash chains, the contents of
// versions, and that each reference has its target. report renders the bundle for people. It returns a
// validation_error for a text that is no bundle.
func Verify(ctx context.Context, text []byte, keys []ed25519.PublicKey) (v Verification, report func() string,
	err error) {
	v, c, err := verify(ctx, text, keys)
	return v, func() string { return c.report(v) }, err
}

func verify(ctx context.Context, text []byte, keys []ed25519.PublicKey) (Verification, *checking, error) {
	payload, by, wrong, err := unseal(ctx, text, keys)
	if err != nil {
		return Verification{}, nil, err
	}
	var b Bundle
	if err := decode(ctx, payload, &b); err != nil {
		return Verification{}, nil, notABundle("The payload is not an audit bundle: %v", err)
	}
	if b.Format != form {
		return Verification{}, nil, notABundle("The bundle has the form '%.100s', not '%s'", b.Format, form)
	}
	c := check(b)
	c.problems = append(wrong, c.problems...)
	c.resolve()
	v := Verification{Intact: len(c.problems) == 0, SignedBy: by, CreatedAt: b.CreatedAt, CreatedBy: b.CreatedBy,
		Scope: b.Scope, Counts: map[string]int{"event": c.events}, Absent: len(b.Absent), Heads: b.Heads,
		Problems: append([]Problem{}, c.problems[:min(len(c.problems), maxProblems)]...)}
	v.Omitted = len(c.problems) - len(v.Problems)
	for _, s := range b.Sections {
		v.Counts[s.Kind] += len(s.Records)
	}
	return v, c, nil
}

// checking is the state of verifying the contents of a bundle.
type checking struct {
	bundle   Bundle
	contents contents
	events   int
	known    map[string]bool // "kind id" of all records and events
	verdicts map[string]Verdict
	decided  map[string]Decision
	reviewed map[string]Review // by decision and number
	open     []reference
	problems []Problem
}

// reference is what a record refers to, as "kind id".
type reference struct{ place, target string }

func (c *checking) found(place, problem, format string, args ...any) {
	c.problems = append(c.problems, Problem{place, problem, fmt.Sprintf(format, args...)})
}

// refer notes a reference; resolve looks for its target when all records are known.
func (c *checking) refer(place, kind, id string) {
	if id != "" {
		c.open = append(c.open, reference{place, kind + " " + id})
	}
}

// check decodes and compares all records of a bundle.
func check(b Bundle) *checking {
	c := &checking{bundle: b, known: map[string]bool{}, verdicts: map[string]Verdict{}, decided: map[string]Decision{},
		reviewed: map[string]Review{}}
	for i, kind := range kinds {
		if i >= len(b.Sections) || b.Sections[i].Kind != kind {
			c.found(fmt.Sprintf("sections[%d]", i), "section_missing", "The section of kind %s is not here", kind)
		}
	}
	for i, s := range b.Sections {
		if !slices.Contains(kinds[min(i, len(kinds)):], s.Kind) {
			c.found(fmt.Sprintf("sections[%d]", i), "section_added", "The section of kind %.50s does not belong here",
				s.Kind)
		}
		c.section(s)
	}
	c.heads()
	c.rules()
	c.acts()
	for i, r := range c.contents.Sessions {
		c.session(place("session", i, r.SessionID), r)
	}
	return c
}

func place(kind string, i int, id string) string { return fmt.Sprintf("%s[%d] %.100s", kind, i, id) }

// section compares the records of one kind with their chain, and decodes them.
func (c *checking) section(s section) {
	before := ""
	for i, e := range s.Records {
		id, err := c.contents.add(s.Kind, e.Record)
		at := place(s.Kind, i, id)
		if err != nil {
			c.found(at, "invalid_record", "The record cannot be read: %v", err)
		}
		if chained(s.Kind, before, e.Record) != e.Hash {
			c.found(at, "record_mismatch", "The record was changed, or does not follow the one before it")
		}
		if before = e.Hash; c.known[s.Kind+" "+id] {
			c.found(at, "duplicate_record", "The bundle has this %s twice", s.Kind)
		}
		c.known[s.Kind+" "+id] = true
	}
	if s.Count != len(s.Records) {
		c.found(s.Kind, "count_mismatch", "The bundle declares %d records of this kind, and has %d", s.Count,
			len(s.Records))
	}
	if s.Head != before {
		c.found(s.Kind, "head_mismatch", "The head is not the hash of the last record")
	}
}

// add decodes a record and returns its id.
func (c *contents) add(kind string, text []byte) (id string, err error) {
	switch kind {
	case "session":
		var r trace.SessionRecord
		err = decode(context.Background(), text, &r)
		c.Sessions, id = append(c.Sessions, r), r.UID
	case "verdict":
		id, err = put(&c.Verdicts, text, func(v Verdict) string { return v.UID })
	case "decision":
		id, err = put(&c.Decisions, text, func(d Decision) string { return d.UID })
	case "review":
		id, err = put(&c.Reviews, text, func(r Review) string { return r.UID })
	case "approval":
		id, err = put(&c.Approvals, text, func(a Approval) string { return a.UID })
	case "revision":
		id, err = put(&c.Revisions, text, func(r Revision) string { return r.Hash })
	case "version":
		id, err = put(&c.Versions, text, func(v Version) string { return v.Hash })
	}
	return id, err
}

func put[T any](list *[]T, text []byte, id func(T) string) (string, error) {
	var record T
	err := json.Unmarshal(text, &record)
	*list = append(*list, record)
	return id(record), err
}

// session verifies a session's chain, and compares its events with the records that they are about.
func (c *checking) session(at string, r trace.SessionRecord) {
	c.events += len(r.Chain)
	for _, p := range r.Verify() {
		c.found(fmt.Sprintf("%s event %d", at, p.Seq), p.Problem, "%s", p.Message)
	}
	for _, e := range r.Chain {
		at := fmt.Sprintf("%s event %d", at, e.Seq)
		c.known["event "+e.UID] = true
		var p said
		if json.Unmarshal(e.Payload, &p) != nil {
			continue // its own chain covers it, and some payloads have other types in these fields
		}
		p.Type = e.Type
		c.event(at, p)
	}
}

// said is what an event says about other records. What it does not say is empty.
type said struct {
	Type       string
	UID        string   `json:"uid"`
	VerdictID  string   `json:"verdict_id"`
	ApprovalID string   `json:"approval_id"`
	Allowed    *bool    `json:"allowed"`
	Decision   string   `json:"decision"`
	Category   string   `json:"category"`
	Stakes     string   `json:"stakes"`
	Confidence *float64 `json:"confidence"`
	Outcome    string   `json:"outcome"`
	Number     int64    `json:"review_number"`
}

func (c *checking) event(at string, p said) {
	c.refer(at, "verdict", p.VerdictID)
	c.refer(at, "approval", p.ApprovalID)
	switch p.Type {
	case "check":
		if v, ok := c.verdicts[p.VerdictID]; ok && p.Allowed != nil && v.Allowed != *p.Allowed {
			c.found(at, "verdict_mismatch", "The event says allowed=%t, and the verdict says %t", *p.Allowed, v.Allowed)
		}
	case "decision", "update":
		c.refer(at, "decision", p.UID)
		if d, ok := c.decided[p.UID]; ok && p.Type == "decision" && d.Revisions == 0 && !d.as(p) {
			c.found(at, "decision_mismatch", "The decision %s differs from its event, and no revision says why", d.ID)
		}
	case "review":
		c.refer(at, "decision", p.UID)
		if p.Number == 0 {
			return
		}
		number := fmt.Sprintf("%s number %d", p.UID, p.Number)
		c.refer(at, "review of decision", number)
		if r, ok := c.reviewed[number]; ok && p.Outcome != "" && r.Outcome != p.Outcome {
			c.found(at, "review_mismatch", "The event says %s, and the review says %s", p.Outcome, r.Outcome)
		}
	}
}

// as reports whether the decision is as its event says. Masks may have become stricter since, and long texts are cut.
func (d Decision) as(p said) bool {
	same := func(said, is string) bool {
		return said == "" || strings.Contains(said, "[cut: ") || redact.Mask(said) == redact.Mask(is)
	}
	return same(p.Decision, d.Decision) && same(p.Category, d.Category) && same(p.Stakes, d.Stakes) &&
		(p.Confidence == nil || math.Abs(*p.Confidence-d.Confidence) < 1e-9)
}

// heads compares the declared heads with the sessions.
func (c *checking) heads() {
	for i := range max(len(c.bundle.Heads), len(c.contents.Sessions)) {
		var declared, is Head
		if i < len(c.bundle.Heads) {
			declared = c.bundle.Heads[i]
		}
		if i < len(c.contents.Sessions) {
			r := c.contents.Sessions[i]
			is = Head{r.UID, r.Events, r.Head}
		}
		if declared != is {
			c.found(fmt.Sprintf("heads[%d]", i), "head_mismatch", "The declared head is not that of session[%d]", i)
		}
	}
}

// rules recomputes the hashes of versions and revisions.
func (c *checking) rules() {
	for i, v := range c.contents.Versions {
		if policies.Hash(v.Content) != v.Hash {
			c.found(place("version", i, v.Hash), "version_mismatch", "The content of %s %.100s does not have this hash",
				v.Of, v.Name)
		}
	}
	for i, r := range c.contents.Revisions {
		at := place("revision", i, r.Hash)
		if !r.Partial && r.computed() != r.Hash {
			c.found(at, "revision_mismatch", "The versions of the rule set do not have this hash")
		}
		for _, version := range r.Versions {
			c.refer(at, "version", version)
		}
	}
}

func (r Revision) computed() string {
	return policies.Hash(strings.Join(slices.Sorted(slices.Values(r.Versions)), "\n"))
}

// acts compares verdicts, decisions, reviews and approvals with what they refer to.
func (c *checking) acts() {
	for i, v := range c.contents.Verdicts {
		at := place("verdict", i, v.UID)
		c.verdicts[v.UID] = v
		c.refer(at, "revision", v.Revision)
		inForce := slices.IndexFunc(c.contents.Revisions, func(r Revision) bool { return r.Hash == v.Revision })
		for _, o := range v.Versions {
			c.refer(at, "version", o.Version)
			if inForce >= 0 && !c.contents.Revisions[inForce].Partial &&
				!slices.Contains(c.contents.Revisions[inForce].Versions, o.Version) {
				c.found(at, "rule_not_in_force", "The version %s is not part of the verdict's revision", o.Version)
			}
		}
		if r := v.Results; r != nil && (r.Allowed != nil && *r.Allowed != v.Allowed ||
			cmp.Or(r.Revision, v.Revision) != v.Revision || cmp.Or(r.VerdictID, v.UID) != v.UID) {
			c.found(at, "results_mismatch", "The verdict and its results differ in id, answer or revision")
		}
		for _, decision := range v.Decisions {
			c.refer(at, "decision", decision)
		}
	}
	for i, d := range c.contents.Decisions {
		c.decided[d.UID] = d
		for _, event := range d.Events {
			c.refer(place("decision", i, cmp.Or(d.ID, d.UID)), "event", event)
		}
	}
	for i, r := range c.contents.Reviews {
		c.refer(place("review", i, r.UID), "decision", r.Decision)
		number := fmt.Sprintf("%s number %d", r.Decision, r.Number)
		c.reviewed[number], c.known["review of decision "+number] = r, true
	}
	for i, a := range c.contents.Approvals {
		at := place("approval", i, a.UID)
		c.refer(at, "verdict", a.Verdict)
		for _, version := range a.Versions {
			c.refer(at, "version", version)
		}
	}
}

// absent returns what the records refer to and the bundle does not have, in order.
func (c *checking) absent() []string {
	targets := []string{}
	for _, r := range c.open {
		if !c.known[r.target] {
			targets = append(targets, r.target)
		}
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

// resolve reports references without a target that the bundle does not declare absent, and the reverse.
func (c *checking) resolve() {
	missing, declared := c.absent(), map[string]bool{}
	for _, target := range c.bundle.Absent {
		declared[target] = true
	}
	for _, r := range c.open {
		if !c.known[r.target] && !declared[r.target] {
			c.found(r.place, "reference_missing", "The %s is not in the bundle", r.target)
		}
	}
	for i, target := range c.bundle.Absent {
		if _, found := slices.BinarySearch(missing, target); !found {
			c.found(fmt.Sprintf("absent[%d]", i), "not_absent", "%.100s is in the bundle, or nothing refers to it",
				target)
		}
	}
}
