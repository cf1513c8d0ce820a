package cypher

// Statements of sessions.
var (
	AtlasesList     = reads("sessions/atlases_list")
	AtlasWhole      = reads("sessions/atlas_whole")
	ContextOwners   = reads("sessions/context_owners")
	SessionGoverned = reads("sessions/session_governed")
	SessionGovern   = writes("sessions/session_govern")
	SessionEnd      = writes("sessions/session_end")
	ContextsMeant   = reads("sessions/contexts_meant")
	ContextsGave    = writes("sessions/contexts_gave")
	ApprovalClaim   = writes("sessions/approval_claim")
	ApprovalAnswer  = writes("sessions/approval_answer")
	ApprovalLink    = writes("sessions/approval_link")
	ApprovalWhole   = reads("sessions/approval_whole")
	ApprovalsFound  = reads("sessions/approvals_found")
	FeedbackGive    = writes("sessions/feedback_give")
	FeedbackSummary = reads("sessions/feedback_summary")
)
