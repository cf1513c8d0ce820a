package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"nomograph/trace"
)

// form identifies the form of a payload.
const form = "nomograph.audit.1"

// Bundle is the payload.
type Bundle struct {
	Format    string    `json:"format"`
	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by"`
	Scope     Scope     `json:"scope"`
	Heads     []Head    `json:"heads"`    // of the sessions' chains
	Sections  []section `json:"sections"` // one of each kind, in the order of kinds
	Absent    []string  `json:"absent"`   // what records refer to and the graph no longer has, or is outside the scope
}

// Scope says what was exported.
type Scope struct {
	Session string    `json:"session,omitempty"`
	Project string    `json:"project,omitempty"`
	Since   time.Time `json:"since,omitzero"`
}

// Head is the end of a session's chain.
type Head struct {
	Session string `json:"session"`
	Events  int64  `json:"events"`
	Head    string `json:"head"`
}

// kinds are the kinds of records, in the order of sections.
var kinds = []string{"session", "verdict", "decision", "review", "approval", "revision", "version"}

// section holds the records of one kind as a hash chain, so that a changed, removed or moved record has a place.
type section struct {
	Kind    string  `json:"kind"`
	Count   int     `json:"count"`
	Head    string  `json:"head"` // hash of the last record
	Records []entry `json:"records"`
}

// entry is a record with the hash of its kind, of the hash before it and of the record's text.
type entry struct {
	Hash   string          `json:"hash"`
	Record json.RawMessage `json:"record"`
}

func (s *section) add(record any) error {
	text, err := exact(record)
	if err == nil {
		s.Head = chained(s.Kind, s.Head, text)
		s.Records = append(s.Records, entry{s.Head, text})
		s.Count++
	}
	return err
}

// exact encodes a value as JSON in which payloads of events stay byte for byte.
func exact(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

func chained(kind, before string, record []byte) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s", form, kind, before, record))
	return hex.EncodeToString(sum[:])
}

// contents are the records of a bundle, decoded as far as verification and the report need them.
type contents struct {
	Sessions  []trace.SessionRecord
	Verdicts  []Verdict
	Decisions []Decision
	Reviews   []Review
	Approvals []Approval
	Revisions []Revision
	Versions  []Version
}

// Verdict is the verdict on an action. Versions are those of the rules that objected.
type Verdict struct {
	UID         string    `json:"uid"`
	At          time.Time `json:"at"`
	Allowed     bool      `json:"allowed"`
	Agent       string    `json:"agent"`
	Stakes      string    `json:"stakes"`
	Description string    `json:"description"`
	Name        string    `json:"name"`
	Revision    string    `json:"revision"`
	Forced      string    `json:"forced"`
	// Enforced is empty in older records.
	Enforced                 *bool `json:"enforced"`
	Client, Session, Project string
	ClientSession            string      `json:"client_session"`
	Actors                   []string    `json:"actors"`
	Executions               []Execution `json:"executions"`
	OverriddenBy             string      `json:"overridden_by"`
	Results                  *struct {
		Allowed    *bool  `json:"allowed"` // what older builds did not store is empty
		Revision   string `json:"revision"`
		VerdictID  string `json:"verdict_id"`
		Violations []struct {
			GuardrailID string `json:"guardrail_id"`
			Message     string `json:"message"`
		} `json:"violations"`
	} `json:"results"`
	Versions []struct {
		Version string `json:"version"`
		Result  string `json:"result"`
	} `json:"versions"`
	Decisions []string `json:"decisions"`
}

// Execution is a tool call that was executed under a verdict.
type Execution struct {
	UID     string    `json:"uid"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Tool    string    `json:"tool"`
	Client  string    `json:"client"`
	Agent   string    `json:"agent"`
	Project string    `json:"project"`
	Outcome string    `json:"outcome"`
}

// Decision is a recorded decision. Events led to it.
type Decision struct {
	UID        string    `json:"uid"`
	ID         string    `json:"id"`
	CreatedAt  time.Time `json:"created_at"`
	Agent      string    `json:"agent"`
	Decision   string    `json:"decision"`
	Category   string    `json:"category"`
	Stakes     string    `json:"stakes"`
	Confidence float64   `json:"confidence"`
	Outcome    string    `json:"outcome"`
	Revisions  int       `json:"revisions"`
	Events     []string  `json:"events"`
}

// Review is a reviewed outcome of a decision.
type Review struct {
	UID          string    `json:"uid"`
	Decision     string    `json:"decision"`
	Number       int64     `json:"number"`
	InForce      bool      `json:"in_force"`
	Outcome      string    `json:"outcome"`
	ActualResult string    `json:"actual_result"`
	By           string    `json:"by"`
	At           time.Time `json:"at"`
}

// Approval is a person's answer to a request.
type Approval struct {
	UID        string    `json:"uid"`
	Verdict    string    `json:"verdict"`
	Versions   []string  `json:"versions"`
	State      string    `json:"state"`
	Agent      string    `json:"agent"`
	Action     string    `json:"action"`
	AskedAt    time.Time `json:"asked_at"`
	AnsweredBy string    `json:"answered_by"`
	AnsweredAt time.Time `json:"answered_at"`
	Reason     string    `json:"reason"`
}

// Revision is a rule set: the versions of all rules, and of the thresholds and tables that they read. Partial is true
// if the graph does not have all of them, so that the hash cannot be computed.
type Revision struct {
	Hash     string    `json:"hash"`
	FirstAt  time.Time `json:"first_at"`
	Versions []string  `json:"versions"`
	Partial  bool      `json:"partial,omitempty"`
}

// Version is the content of a rule, threshold or table.
type Version struct {
	Hash    string    `json:"hash"`
	Of      string    `json:"of"`
	Name    string    `json:"name"`
	FirstAt time.Time `json:"first_at"`
	Content string    `json:"content"`
}
