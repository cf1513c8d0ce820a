package briefing

import (
	"cmp"
	"context"
	"strings"

	"nomograph/memory/recall"
)

const (
	maxMemories     = 3
	maxMemoryLength = 300 // characters
)

// readMemories reads the memories that are most relevant to the task. It does nothing without a task.
func (r *reading) readMemories(ctx context.Context, c *Sections) error {
	if r.Memory == nil || r.asks.TaskDescription == "" {
		return nil
	}
	best, err := r.Memory.Best(ctx, recall.Question{Text: r.asks.TaskDescription, Project: r.asks.Project,
		Recent: true}, maxMemories)
	if err != nil {
		return err
	}
	for _, t := range best {
		m := Memory{SessionID: flatten(t.SessionID, maxReasonLength), At: t.At, Text: flatten(t.Text, maxMemoryLength)}
		for _, held := range t.Now {
			m.Now = append(m.Now, flatten(strings.TrimSpace(held.ID+" "+
				cmp.Or(held.Outcome, "superseded by "+strings.Join(held.SupersededBy, ", "))), maxResultLength))
		}
		for _, denial := range t.Outdated {
			m.Now = append(m.Now, flatten(denial, maxResultLength))
		}
		c.Memories = append(c.Memories, m)
	}
	return nil
}
