package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nomograph/internal/uid"
)

// imports measures the import of records and of conversations. The floor writes as many decisions, whose
// vectors were computed before.
func (b *bench) imports(ctx context.Context) ([]row, error) {
	c, err := readCorpus(*data)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "nomograph-records-")
	if err != nil {
		return nil, err
	}
	b.atEnd(func() { _ = os.RemoveAll(folder) })
	records, folders := filepath.Join(folder, "records.jsonl"), filepath.Join(folder, "talks")
	if err := writeConversations(folders, int64(*talks)<<20); err != nil {
		return nil, err
	}
	again := func(int) error { return b.command(ctx, "import", "sessions", folders) }
	return []row{
		{name: fmt.Sprintf("`import jsonl` of %d records", *imported), times: 2,
			floor: floor{"bare writes", b.bareDecisions(ctx, c, 0, *imported)},
			work: func(i int) (float64, error) {
				if err := c.writeJSONL(records, "bench/"+uid.Random(), *imported); err != nil {
					return 0, err
				}
				return timed(func(int) error { return b.command(ctx, "import", "jsonl", records) })(i)
			}, settle: func() error { return b.run(ctx, upToDate, nil) }},
		{name: fmt.Sprintf("`import sessions` of %d MB", *talks), times: 1, work: timed(again)},
		{name: "`import sessions` without anything new", times: 1, work: timed(again)},
		{name: "`import sessions`, peak memory", unit: "MB", times: 1, work: b.peak(ctx, "import", "sessions", folders),
			prepare: func() error { return b.run(ctx, emptyGraph, nil) }},
	}, nil
}

// writeJSONL writes records in the exchange format with new ids.
func (c corpus) writeJSONL(path, name string, records int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	out := bufio.NewWriter(file)
	for i := range records {
		s, generation := c.sources[i%len(c.sources)], i/len(c.sources)
		line := maps.Clone(s.whole)
		line["source"], line["id"] = name, fmt.Sprintf("%s-%d", s.ID, generation)
		line["title"], line["description"], line["abstract"] = c.texts(i)
		links := []any{}
		for _, other := range s.requires {
			links = append(links, map[string]any{"type": "requires",
				"target": fmt.Sprintf("%s-%d", c.sources[other].ID, generation)})
		}
		line["links"] = links
		if err := json.NewEncoder(out).Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// writeConversations writes session files with the given number of bytes: questions, answers with code, and tools with
// long output.
func writeConversations(folder string, bytes int64) error {
	written := int64(0)
	draw := rand.New(rand.NewPCG(1, 2))
	some := strings.Fields("the import of orders waits for a lock that another session holds while it writes vectors into an index which is made anew so we look at the query plan and see that it reads every node of the label because no hint names the index and the planner knows nothing of its size therefore a retry with a smaller batch helps until the deadlock is found in the log of the server")
	sentence := func(words int) string {
		var text strings.Builder
		for range words {
			text.WriteString(some[draw.IntN(len(some))])
			text.WriteString([]string{" ", " ", " ", ", ", ".\n"}[draw.IntN(5)])
		}
		return text.String()
	}
	at := time.Date(2025, 6, 1, 8, 0, 0, 0, time.UTC)
	for session := 0; written < bytes; session++ {
		id := fmt.Sprintf("%08x-bench", session)
		project := filepath.Join(folder, fmt.Sprintf("-work-project%d", session%12))
		if err := os.MkdirAll(project, 0o755); err != nil {
			return err
		}
		file, err := os.Create(filepath.Join(project, id+".jsonl"))
		if err != nil {
			return err
		}
		lines := 0
		line := func(kind string, content any) {
			lines++
			at = at.Add(20 * time.Second)
			text, _ := json.Marshal(map[string]any{"type": kind, "sessionId": id,
				"cwd": fmt.Sprintf("/project%d", session%12), "uuid": fmt.Sprintf("%s-%d", id, lines),
				"timestamp": at.Format(time.RFC3339Nano),
				"version":   "2.1.0", "gitBranch": "main", "message": map[string]any{"role": kind, "content": content}})
			n, _ := file.Write(append(text, '\n'))
			written += int64(n)
		}
		for range 20 + draw.IntN(80) {
			line("user", sentence(10+draw.IntN(60)))
			line("assistant", []any{map[string]any{"type": "text", "text": sentence(60+draw.IntN(200)) + "\n```go\n" +
				sentence(120) + "\n```\n"},
				map[string]any{"type": "tool_use", "id": "t", "name": "Bash",
					"input": map[string]any{"command": "grep -rn " + sentence(2)}}})
			line("user", []any{map[string]any{"type": "tool_result", "tool_use_id": "t",
				"content": sentence(100 + draw.IntN(900))}})
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}
