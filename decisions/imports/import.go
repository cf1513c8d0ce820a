package imports

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/records"
	"nomograph/internal/apperr"
)

// Options configure an import.
type Options struct {
	Project  string   // default project
	Outcomes []string // STATUS=OUTCOME, besides Final, Living, Stagnant and Withdrawn
	Strict   bool     // stop at the first invalid record
	DryRun   bool     // write nothing
}

// Imported counts the results.
type Imported struct {
	Read      int `json:"read"`
	Created   int `json:"created"`
	Updated   int `json:"updated" jsonschema:"number of updated records; earlier text is in the history"`
	Unchanged int `json:"unchanged"`

	LinksCreated    int              `json:"links_created"`
	UnresolvedCount int              `json:"unresolved_count" jsonschema:"number of links to missing records"`
	UnresolvedLinks []UnresolvedLink `json:"unresolved_links" jsonschema:"the first 20"`
	Cycles          []UnresolvedLink `json:"cycles" jsonschema:"supersede links left out because they would form a cycle"`

	SkippedCount int               `json:"skipped_count"`
	Skipped      []records.Problem `json:"skipped" jsonschema:"first 100 unreadable records, with reasons"`
	Notes        []string          `json:"notes"`
	DryRun       bool              `json:"dry_run,omitempty"`

	broken int // number of skipped files that should have been records
}

// UnresolvedLink is a link without a target.
type UnresolvedLink struct {
	From   string `json:"from"`
	Type   string `json:"type"`
	Target string `json:"target"`
}

// Failed reports whether nothing could be read.
func (i Imported) Failed() bool { return i.Read == 0 }

// Nothing reports whether there was no record at all, valid or invalid.
func (i Imported) Nothing() bool { return i.Read == 0 && i.broken == 0 }

const (
	importBatch   = 500 // records or links of one write
	maxUnresolved = 20  // maximum number of listed links
	maxSkipped    = 100
)

// Import imports records as decisions: the records in batches, each in one transaction, then their links. A record is
// identified by its source and external id: an unchanged one is skipped, a changed one is updated with a Revision by
// "import" that preserves the previous content. An interrupted import is completed by running it again, and a second
// run writes nothing.
//
// Records are history: no rule is evaluated, and no verdict is written. A record without a confidence is not part of
// calibration. An invalid record is skipped and reported; with Strict it is a validation_error, and nothing of its
// batch is written. It returns an error for an unreadable file and for a database that does not answer.
func (s *Store) Import(ctx context.Context, sequence records.Sequence, o Options) (Imported, error) {
	outcomes, err := outcomesOf(o.Outcomes)
	if err != nil {
		return Imported{}, err
	}
	if _, err := s.graph.Connect(ctx); err != nil {
		return Imported{}, err
	}
	i := &importing{Store: s, options: o, outcomes: outcomes, seen: map[recordKey]imported{}, extra: map[string]int{},
		out: Imported{DryRun: o.DryRun}}
	if err := i.records(ctx, sequence); err != nil {
		return i.out, err
	}
	if err := i.link(ctx); err != nil {
		return i.out, err
	}
	i.reportExtra()
	return i.out, i.index(ctx)
}

// importing is the state of an import.
type importing struct {
	*Store
	options  Options
	outcomes map[string]string
	batch    []records.Entry
	seen     map[recordKey]imported
	links    []statedLink
	extra    map[string]int // number of records by field without a counterpart
	out      Imported
}

// recordKey identifies a record.
type recordKey struct{ source, externalID string }

// imported is the part of a record that links need.
type imported struct {
	uid, place string
	at         time.Time
}

func (i *importing) records(ctx context.Context, sequence records.Sequence) error {
	for e, err := range sequence {
		var problem *records.Problem
		switch {
		case errors.As(err, &problem):
		case err != nil:
			return apperr.New(apperr.Validation, "Cannot read the records").
				WithHint("Check that the file exists and its permissions").Because(err)
		default:
			problem = i.add(e)
		}
		if problem != nil {
			if i.options.Strict && !problem.NoRecord {
				return apperr.Newf(apperr.Validation, "%s", problem).
					WithHint("Correct it and import again, or leave out `strict` to skip it").
					With("place", problem.Place).With("written", i.out.Created+i.out.Updated)
			}
			if !problem.NoRecord {
				i.out.broken++
			}
			if i.out.SkippedCount++; len(i.out.Skipped) < maxSkipped {
				i.out.Skipped = append(i.out.Skipped, *problem)
			}
		}
		if len(i.batch) == importBatch {
			if err := i.flush(ctx); err != nil {
				return err
			}
		}
	}
	return i.flush(ctx)
}

// add adds a record to the batch, or returns why it is invalid.
func (i *importing) add(e records.Entry) *records.Problem {
	key := recordKey{e.Source, e.ExternalID}
	if first, ok := i.seen[key]; ok {
		return &records.Problem{Place: e.Place, Why: "the same id as at " + first.place}
	}
	e.Project = cmp.Or(e.Project, i.options.Project)
	if outcome := i.outcomes[statusKey(e.Status)]; outcome != "" && e.Review == nil {
		e.Review = &decisions.Review{Outcome: outcome, Notes: "The status in the source is " + e.Status, At: e.Date}
	}
	for name := range e.Extra {
		i.extra[name]++
	}
	i.out.Read++
	i.seen[key] = imported{place: e.Place, at: e.Date}
	i.batch = append(i.batch, e)
	return nil
}

// statusOutcomes maps statuses to outcomes.
var statusOutcomes = map[string]string{"final": "success", "living": "success", "stagnant": "abandoned",
	"withdrawn": "abandoned"}

func statusKey(status string) string { return strings.ToLower(strings.TrimSpace(status)) }

func outcomesOf(given []string) (map[string]string, error) {
	outcomes := maps.Clone(statusOutcomes)
	for _, pair := range given {
		status, outcome, both := strings.Cut(pair, "=")
		outcome = statusKey(outcome)
		if !both || !slices.Contains(append([]string{"open"}, decisions.OutcomeValues...), outcome) {
			return nil, apperr.Newf(apperr.Validation, "'%s' in outcomes is not STATUS=OUTCOME", pair).
				WithHint("Write for example Implemented=success. Outcomes are %s; open is no outcome",
					strings.Join(decisions.OutcomeValues, ", "))
		}
		if outcomes[statusKey(status)] = outcome; outcome == "open" {
			delete(outcomes, statusKey(status))
		}
	}
	return outcomes, nil
}

// reportExtra reports fields without a counterpart.
func (i *importing) reportExtra() {
	names := slices.SortedFunc(maps.Keys(i.extra),
		func(a, b string) int { return cmp.Or(i.extra[b]-i.extra[a], strings.Compare(a, b)) })
	if len(names) > 0 {
		more := ""
		if len(names) > maxUnresolved {
			names, more = names[:maxUnresolved], " and others"
		}
		i.out.Notes = append(i.out.Notes, "Unknown fields are stored as JSON in imported_extra: "+
			strings.Join(names, ", ")+more)
	}
}

// index computes vectors. If that fails, the marks remain, and a note says so.
func (i *importing) index(ctx context.Context) error {
	if i.options.DryRun || i.out.Created+i.out.Updated == 0 {
		return nil
	}
	note, err := i.search.CatchUp(ctx)
	if note != "" {
		i.out.Notes = append(i.out.Notes, note)
	}
	return err
}
