package tools

import (
	"context"

	"nomograph/decisions/audit"
	"nomograph/decisions/evidence"
)

var evidenceOperations = inToolset("evidence",
	define(Operation{
		Name:       "ingest_evidence",
		Title:      "Ingest evidence",
		Use:        "Store observations of other systems as evidence. Adds events such as reviews and merges to a hash chain for auditors.",
		Permission: Decide,
		Ours:       "counts and a hash",
		Command:    "evidence ingest",
		REST:       "POST /v1/evidence",
		CSTP:       "cstp.ingestEvidence",
	}, method((*evidence.Store).Observe)),
	define(Operation{
		Name:       "link_evidence",
		Title:      "Link evidence",
		Use:        "Attest which decision observed evidence belongs to.",
		Permission: Decide,
		Command:    "evidence link DECISION_ID EVENT_SEQS",
		Names:      "decision",
		REST:       "POST /v1/evidence/links",
		CSTP:       "cstp.linkEvidence",
	}, method((*evidence.Store).Link)),
	define(Operation{
		Name:       "map_controls",
		Title:      "Controls",
		Use:        "Map evidence to controls of SR 11-7 and the NIST AI RMF. Lists gaps. Observed and attested evidence are separate.",
		Permission: Read,
		Command:    "evidence controls",
		REST:       "GET /v1/evidence/controls",
		CSTP:       "cstp.mapControls",
	}, func(ctx context.Context, app *App, _ struct{}) (evidence.Controls, error) {
		return app.Evidence.Map(ctx)
	}),
	define(Operation{
		Name:       "export_audit",
		Title:      "Export an audit bundle",
		Use:        "Export a signed bundle for auditors. Holds sessions with events, verdicts, rules in force, decisions, reviews and approvals. Choose a session, a project or a start.",
		Kind:       Job,
		Permission: Query,
		Command:    "audit export",
		CLI:        CommandLine{Document: "document"},
		REST:       "GET /v1/audit/bundle",
		CSTP:       "cstp.exportEvidenceBundle",
	}, method((*audit.Store).Export)),
	define(Operation{
		Name:       "verify_evidence",
		Title:      "Verify evidence",
		Use:        "Verify the hash chain of evidence.",
		Permission: Read,
		Ours:       "hashes and fixed words",
		Hints:      readOnly,
		Command:    "evidence verify",
		REST:       "POST /v1/evidence/verify",
		CSTP:       "cstp.verifyEvidenceChain",
	}, method((*evidence.Store).Verify)),
)
