package evidence

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/trace"
)

// VerifyRequest asks to verify the chain of evidence.
type VerifyRequest struct {
	ExpectedHead string `json:"expected_head_hash,omitempty" jsonschema:"earlier head hash that must be in the chain" rule:"maxLength=64"`
}

// Verified is the result of Verify.
type Verified struct {
	Intact       bool   `json:"intact"`
	BrokenAtSeq  *int64 `json:"broken_at_seq" jsonschema:"first invalid position; null if valid"`
	Problem      string `json:"problem,omitempty"`
	HeadHash     string `json:"head_hash"`
	ExpectedHash string `json:"expected_hash,omitempty"`
	TailCheck    string `json:"tail_check" jsonschema:"passed, failed or not_checked; only an externally stored head detects a truncated chain"`
}

// Failed reports whether the chain is broken.
func (v Verified) Failed() bool { return !v.Intact }

// Verify recomputes every hash of the chain. An empty chain is intact.
func (s *Store) Verify(ctx context.Context, r VerifyRequest) (Verified, error) {
	out := Verified{Intact: true, ExpectedHash: r.ExpectedHead, TailCheck: "not_checked"}
	v, err := s.trace.Verify(ctx, trace.VerifyRequest{Sessions: []string{session}, ExpectedHead: r.ExpectedHead})
	if apperr.Is(err, apperr.NotFound) && r.ExpectedHead == "" {
		return out, nil
	}
	if apperr.Is(err, apperr.NotFound) { // the whole chain is missing
		out.Intact, out.Problem, out.TailCheck, out.BrokenAtSeq = false, "The evidence is missing", "failed", new(int64)
		return out, nil
	}
	if err != nil {
		return Verified{}, err
	}
	out.Intact, out.HeadHash = v.Intact, v.Head
	if r.ExpectedHead != "" {
		out.TailCheck = "passed"
	}
	for i, p := range v.Problems {
		if i == 0 {
			seq := p.Seq
			out.BrokenAtSeq, out.Problem = &seq, p.Message
		}
		if r.ExpectedHead != "" && (p.Problem == "anchor_mismatch" || p.Problem == "missing_tail") {
			out.TailCheck = "failed"
		}
	}
	return out, nil
}

// ExportRequest asks for a bundle of evidence.
type ExportRequest struct {
	Format       string `json:"format,omitempty" jsonschema:"format; both is json and pdf" rule:"enum=json|markdown|pdf|both,default=\"json\""`
	ExpectedHead string `json:"expected_head_hash,omitempty" jsonschema:"earlier head hash that must be in the chain" rule:"maxLength=64"`
}

// Bundle is a document for an auditor.
type Bundle struct {
	Document          string    `json:"document" jsonschema:"the bundle itself; empty if only a PDF was requested" recorded:"exact"`
	PDF               []byte    `json:"pdf,omitempty" jsonschema:"the bundle as a PDF, in base64"`
	ChainHeadHash     string    `json:"chain_head_hash" jsonschema:"head hash; store it externally and pass it as expected_head_hash later"`
	ChainIntact       bool      `json:"chain_intact"`
	Coverage          Coverages `json:"coverage"`
	InsufficientCount int       `json:"insufficient_evidence_count"`
	AttestedOnly      []string  `json:"attested_only_controls"`
}

// content is the content of a bundle.
type content struct {
	Version       string    `json:"version"`
	GeneratedAt   time.Time `json:"generated_at"`
	ChainHeadHash string    `json:"chain_head_hash"`
	ChainIntact   bool      `json:"chain_intact"`
	TailCheck     string    `json:"tail_check"`
	TotalEvents   int       `json:"total_events"`
	Controls
	Events []Event `json:"events"`
}

// Export returns all evidence with its mappings, and whether the chain is intact.
func (s *Store) Export(ctx context.Context, r ExportRequest) (Bundle, error) {
	verified, err := s.Verify(ctx, VerifyRequest{ExpectedHead: r.ExpectedHead})
	if err != nil {
		return Bundle{}, err
	}
	events, err := s.events(ctx)
	if err != nil {
		return Bundle{}, err
	}
	c := content{Version: "1.0", GeneratedAt: time.Now().UTC(), ChainHeadHash: verified.HeadHash,
		ChainIntact: verified.Intact, TailCheck: verified.TailCheck, TotalEvents: len(events),
		Controls: mapEvidence(events, controls()), Events: append([]Event{}, events...)}
	out := Bundle{ChainHeadHash: c.ChainHeadHash, ChainIntact: c.ChainIntact, Coverage: c.Coverage,
		InsufficientCount: c.InsufficientCount, AttestedOnly: c.AttestedOnly}
	if r.Format == "pdf" || r.Format == "both" {
		if out.PDF, err = c.pdf(); err != nil {
			return Bundle{}, err
		}
	}
	switch r.Format {
	case "markdown":
		out.Document = c.markdown()
		return out, nil
	case "pdf":
		return out, nil
	}
	text, err := json.MarshalIndent(c, "", "  ")
	out.Document = string(text) + "\n"
	return out, err
}

// markdown renders the bundle as Markdown.
func (c content) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Evidence\n\nCreated at %s. Pieces of evidence: %d. The hash chain is %s; its head is %s.\n\n",
		c.GeneratedAt.Format(time.RFC3339), c.TotalEvents,
		map[bool]string{true: "intact", false: "BROKEN, so do not rely on this bundle"}[c.ChainIntact],
		render.OrDash(c.ChainHeadHash))
	for _, class := range []struct {
		name string
		of   Coverage
	}{{"Observed by other systems", c.Coverage.Observed}, {"Attested here", c.Coverage.Attested}} {
		fmt.Fprintf(&b, "- %s: %d pieces, of which %d are mapped to a control (%.1f %%)\n", class.name, class.of.Total,
			class.of.Mapped, class.of.Percent)
	}
	for _, part := range []struct {
		title string
		rows  []Mapping
	}{{"Controls", c.Mappings}, {"Missing evidence", c.Insufficient}} {
		fmt.Fprintf(&b, "\n## %s\n\n", part.title)
		for _, m := range part.rows {
			fmt.Fprintf(&b, "- %s %s, %s: %s (%s %d%s)\n", m.Framework, m.FunctionID, m.ControlName,
				render.OneLine(m.Description+m.Reason), m.Class, m.Seq, moment(m.At))
		}
		if len(part.rows) == 0 {
			b.WriteString("none\n")
		}
	}
	if len(c.AttestedOnly) > 0 {
		fmt.Fprintf(&b, "\nControls with only attested evidence: %s.\n", strings.Join(c.AttestedOnly, ", "))
	}
	return b.String()
}
