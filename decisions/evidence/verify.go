package evidence

import (
	"context"

	"nomograph/internal/apperr"
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
			out.BrokenAtSeq, out.Problem = new(p.Seq), p.Message
		}
		if r.ExpectedHead != "" && (p.Problem == "anchor_mismatch" || p.Problem == "missing_tail") {
			out.TailCheck = "failed"
		}
	}
	return out, nil
}
