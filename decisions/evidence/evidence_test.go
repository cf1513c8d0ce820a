package evidence_test

import (
	"testing"

	"github.com/tidwall/gjson"

	"nomograph/tools/toolstest"
)

func TestEvidence_TamperedEntry_IsDetected(t *testing.T) {
	g, env := toolstest.Open(t)
	stage := toolstest.Stage{Graph: g, App: env}
	stage.Call(t, `ann verify_evidence {} => intact == true ; "broken_at_seq":null ; tail_check == not_checked`)
	in := stage.Call(t, `hook ingest_evidence {"source": "github", "events": [
		{"event_type": "pr_opened", "ts": "2026-02-04T21:00:00Z", "payload": {"pr_number": 42, "is_agent_authored": true}},
		{"event_type": "pr_review_approved", "payload": {"pr_number": 42}},
		{"event_type": "pr_merged", "payload": {"pr_number": 42, "human_approval_count": 1}},
		{"event_type": "meteor_seen"}]} => ingested == 4`)
	stage.Names = map[string]string{"head": gjson.Get(in, "head_hash").String()}
	stage.Play(t, "testdata/calls/evidence.txt")
}
