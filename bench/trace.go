package main

import (
	"context"
	"fmt"

	"nomograph/internal/uid"
	"nomograph/trace"
)

const (
	thought = "The registry answers twice as fast as the cache in front of it, so the cache only costs us what it gets wrong."
	writers = 64
	servers = 4
)

// trace measures events of one session, from one process and from several, and verifies the chain.
func (b *bench) trace(ctx context.Context) ([]row, error) {
	who := trace.SessionSelector{Agent: "bench-thinker", Workspace: "bench", SessionID: "bench-" + uid.Random()}
	event := trace.Event{Type: "thought", Payload: map[string]any{"text": thought}}
	several := make([]*client, servers)
	for i := range several {
		var err error
		if several[i], err = b.stdio(); err != nil {
			return nil, err
		}
	}
	shared := map[string]any{"text": thought, "agent_id": "bench-thinker", "session_id": "bench-" + uid.Random()}
	return []row{
		{name: "append to one session, in process", workers: writers, floor: b.oneWrite(ctx),
			work: timed(func(int) error { _, err := b.app.Trace.Append(ctx, who, event); return err })},
		{name: fmt.Sprintf("record_thought in one session over %d servers", servers), workers: servers,
			floor: b.oneWrite(ctx),
			work: timed(func(i int) error {
				_, err := several[i%servers].call("record_thought", shared)
				return err
			})},
		{name: "verify both sessions", times: 5, work: timed(func(int) error {
			found, err := b.app.Trace.Verify(ctx, trace.VerifyRequest{Sessions: []string{who.SessionID,
				shared["session_id"].(string)}})
			if err == nil && (!found.Intact || found.Events == 0) {
				err = fmt.Errorf("broken chain: %+v", found)
			}
			return err
		})},
	}, nil
}
