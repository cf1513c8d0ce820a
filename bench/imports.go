package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	exchanges = 60 // of an imported session
	// exchange is a question with an answer and the output of a tool, as a coding agent writes them.
	exchange = `{"type":"user","sessionId":"%[1]s","uuid":"%[1]s-%[2]d-1","timestamp":"%[3]s","cwd":"/bench","message":{"role":"user","content":%[4]s}}
{"type":"assistant","sessionId":"%[1]s","uuid":"%[1]s-%[2]d-2","timestamp":"%[3]s","cwd":"/bench","message":{"role":"assistant","content":[{"type":"text","text":%[5]s},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"make test"}}]}}
{"type":"user","sessionId":"%[1]s","uuid":"%[1]s-%[2]d-3","timestamp":"%[3]s","cwd":"/bench","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":%[6]s}]}}
`
)

// imports measures the import of sessions.
func (b *bench) imports(ctx context.Context) ([]row, error) {
	c, err := readCorpus(*data)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(b.folder(), "sessions")
	if err := c.writeSessions(folder, *talks); err != nil {
		return nil, err
	}
	again := timed(func(int) error { return b.command(ctx, "import", "sessions", folder) })
	return []row{
		once(fmt.Sprintf("`import sessions` of %d sessions", *talks), "", again),
		once("`import sessions` without anything new", "", again),
		{name: "`import sessions`, peak memory", unit: "MB", times: 1, work: b.peak(ctx, "import", "sessions", folder),
			prepare: func() error { return b.run(ctx, emptyGraph, nil) }},
	}, nil
}

// writeSessions writes session files of a coding agent about the records.
func (c corpus) writeSessions(folder string, sessions int) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for session := range sessions {
		var text bytes.Buffer
		id := fmt.Sprintf("%08x-bench", session)
		for n := range exchanges {
			i := session*exchanges + n
			title, description, abstract := c.texts(i)
			fmt.Fprintf(&text, exchange, id, n, began.Add(time.Duration(i)*time.Minute).Format(time.RFC3339),
				asJSON(title+"\n"+description), asJSON(abstract+"\n```go\n"+description+"\n```\n"), asJSON(abstract))
		}
		if err := os.WriteFile(filepath.Join(folder, id+".jsonl"), text.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}
