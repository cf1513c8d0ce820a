package audit

import (
	"context"
	"crypto/ed25519"
	"slices"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/disk"
	"nomograph/policies"
	"nomograph/policies/pack"
	"nomograph/trace"
)

// Store exports bundles of one graph.
type Store struct {
	graph *graph.DB
	trace *trace.Log
	key   string
}

// NewStore returns the store of a graph. key is the path of the private key that signs bundles; it is read for each
// bundle.
func NewStore(db *graph.DB, log *trace.Log, key string) *Store { return &Store{db, log, key} }

// Request selects what is exported, and how.
type Request struct {
	SessionID string `json:"session_id,omitempty" jsonschema:"one session: id or uid" rule:"maxLength=200"`
	Project   string `json:"project,omitempty" jsonschema:"a project: its sessions, verdicts and decisions" rule:"maxLength=200"`
	DateAfter string `json:"date_after,omitempty" jsonschema:"start: time, day, or age such as 2w; sessions are exported whole" rule:"maxLength=40"`
	Format    string `json:"format,omitempty" jsonschema:"format; html is a report, ocsf has the verdicts and executions as events for a SIEM; both are unsigned" rule:"enum=json|html|ocsf,default=\"json\""`
	Unsigned  bool   `json:"unsigned,omitempty" jsonschema:"leave the bundle unsigned if no key is configured"`
	By        string `json:"-"`
}

// Exported is an exported bundle.
type Exported struct {
	Document string `json:"document" jsonschema:"the bundle: a DSSE envelope in JSON, the report, or JSON lines of OCSF" recorded:"exact"`
	Verification
	Notes []string `json:"notes,omitempty"`
}

const (
	maxRecords = 50_000
	maxTries   = 3
)

// Export returns a bundle and its verification, without which a problem in the graph would look like one of the file.
// It returns not_found for an unknown session, and a validation_error for a request without a selection, for too many
// records, and without a key.
func (s *Store) Export(ctx context.Context, r Request) (Exported, error) {
	if r.SessionID == "" && r.Project == "" && r.DateAfter == "" {
		return Exported{}, apperr.New(apperr.Validation, "Nothing is selected for the bundle").
			WithHint("Pass `session_id`, `project` or `date_after`")
	}
	if r.SessionID != "" && r.Project+r.DateAfter != "" {
		return Exported{}, apperr.New(apperr.Validation,
			"A session is exported whole, so `session_id` excludes the others").
			WithHint("Pass either `session_id`, or `project` and `date_after`")
	}
	key, err := s.signingKey(r)
	for try := 1; err == nil; try++ { // a transaction that commits meanwhile can be seen in parts
		var out Exported
		if out, err = s.export(ctx, r, key); err == nil && (out.Intact || try == maxTries) {
			return out, nil
		}
	}
	return Exported{}, err
}

func (s *Store) export(ctx context.Context, r Request, key ed25519.PrivateKey) (Exported, error) {
	b, err := s.bundle(ctx, r)
	if err != nil {
		return Exported{}, err
	}
	payload, err := exact(b)
	if err == nil && len(payload) > MaxBytes/2 {
		err = tooMuch()
	}
	if err != nil {
		return Exported{}, err
	}
	text, err := seal(payload, key)
	if err != nil {
		return Exported{}, err
	}
	var keys []ed25519.PublicKey
	if key != nil {
		public, _ := key.Public().(ed25519.PublicKey)
		keys = append(keys, public)
	}
	v, c, err := verify(ctx, text, keys)
	if err != nil {
		return Exported{}, err
	}
	if key == nil { // as requested
		v.Problems = slices.DeleteFunc(v.Problems, func(p Problem) bool { return p.Problem == "not_signed" })
		v.Intact = len(v.Problems) == 0
	}
	out := Exported{Document: string(text), Verification: v}
	switch r.Format {
	case "html":
		out.Document = c.report(v)
	case "ocsf":
		if out.Document, err = c.ocsf(); err != nil {
			return Exported{}, err
		}
	}
	if !v.Intact {
		out.Notes = []string{"The records do not match; verify the bundle and the trace to see where"}
	}
	return out, nil
}

func tooMuch() error {
	return apperr.New(apperr.Validation, "The bundle would be too large").
		WithHint("Export fewer sessions: pass `session_id`, or a later `date_after`")
}

// signingKey returns nil if the bundle stays unsigned.
func (s *Store) signingKey(r Request) (ed25519.PrivateKey, error) {
	switch {
	case r.Format == "html", r.Format == "ocsf", s.key == "" && r.Unsigned:
		return nil, nil
	case s.key == "":
		return nil, apperr.New(apperr.Validation, "No key is configured to sign audit bundles").
			WithHint("Create one with `create_pack_key`, and set audit.key (NOMOGRAPH_AUDIT_KEY) to the path of NAME.key; or pass `unsigned`")
	}
	text, err := disk.Read(s.key, 64<<10)
	if err != nil {
		return nil, apperr.New(apperr.Validation, "The key that signs audit bundles cannot be read").
			WithHint("Set audit.key (NOMOGRAPH_AUDIT_KEY) to the path of a readable file").Because(err)
	}
	return pack.SigningKey(text)
}

// bundle reads all records of a bundle.
func (s *Store) bundle(ctx context.Context, r Request) (Bundle, error) {
	b := Bundle{Format: form, CreatedAt: time.Now().UTC(), CreatedBy: r.By, Heads: []Head{}, Absent: []string{}}
	for _, kind := range kinds {
		b.Sections = append(b.Sections, section{Kind: kind, Records: []entry{}})
	}
	since, err := policies.ParseTime("date_after", r.DateAfter)
	if err != nil {
		return b, err
	}
	if b.Scope.Project = r.Project; since != nil {
		b.Scope.Since = since.(time.Time).UTC()
	}
	read := reading{Store: s, bundle: &b, wide: r.SessionID == "", project: graph.NullIfEmpty(caller.Key(r.Project)),
		since: since}
	if err := read.sessions(ctx, r.SessionID); err != nil {
		return b, err
	}
	for _, step := range []func(context.Context) error{read.decisions, read.verdicts, read.approvals, read.revisions,
		read.versions} {
		if err := step(ctx); err != nil {
			return b, err
		}
	}
	b.Absent = check(b).absent()
	return b, nil
}
