package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/internal/uid"
)

var conversations = flag.Int("conversations", 100, "MB of conversations that are imported into memory")

const (
	chunksAtOnce = 400      // batch size of the import
	warmingBytes = 20 << 20 // size of other conversations imported before the measurement

	readChunks = `MATCH (c:Chunk) WHERE c.uid > $after AND c.bench IS NULL WITH c ORDER BY c.uid LIMIT $limit
	              RETURN properties(c) AS chunk, COLLECT { MATCH (c)<-[:OF]-(e:ChunkEmbedding) RETURN properties(e) } AS vectors`
	writeSession = `MERGE (s:Session {uid: $uid}) ON CREATE SET s.id = $uid, s.kind = 'imported', s.count = 0`
	writeChunks  = `UNWIND $rows AS row
	                CREATE (c:Chunk)
	                SET c = row.chunk
	                WITH c, row
	                MATCH (s:Session {uid: $session})
	                CREATE (c)-[:FROM]->(s)
	                WITH c, row
	                UNWIND row.vectors AS vector
	                CREATE (c)<-[:OF]-(e:ChunkEmbedding)
	                SET e = vector.properties
	                WITH e, vector
	                CALL db.create.setNodeVectorProperty(e, 'text', vector.text)`
	chainChunks = `UNWIND $rows AS row
	               MATCH (c:Chunk {session: $session, position: row.chunk.position})
	               MATCH (before:Chunk {session: $session, position: row.chunk.position - 1})
	               CREATE (before)-[:NEXT]->(c)`
)

// memoryImport measures `import sessions` with conversations in the format of Claude Code, and the memory that the
// import needs. The floor is a bare driver that writes the same prepared chunks, vectors and relationships in batches of
// the same size, on a warm server.
func (b *bench) memoryImport(ctx context.Context) error {
	driver, server, app, err := b.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx); _ = app.Close(ctx) }()
	if err := server.close(); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "nomograph-conversations-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	others, measured := filepath.Join(folder, "others"), filepath.Join(folder, "measured")
	if _, err := writeConversations(others, warmingBytes, 1); err != nil {
		return err
	}
	bytes, err := writeConversations(measured, int64(*conversations)<<20, 2)
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := b.watched(ctx, "import", "sessions", others); err != nil {
		return err
	}
	cold := time.Since(began)
	few, _, last, err := b.chunksAgain(ctx, driver, "")
	if err != nil {
		return err
	}
	began = time.Now()
	peak, err := b.watched(ctx, "import", "sessions", measured)
	if err != nil {
		return err
	}
	ours := time.Since(began)
	began = time.Now()
	if _, err := b.watched(ctx, "import", "sessions", measured); err != nil {
		return err
	}
	again := time.Since(began)
	chunks, bare, _, err := b.chunksAgain(ctx, driver, last)
	if err != nil {
		return err
	}
	rate := func(took time.Duration) float64 { return float64(chunks) / took.Seconds() }
	fmt.Fprintf(&b.report, "\n## Importing %.0f MB of conversations (%d chunks; %s)\n\n| | chunks a second | / bare |\n|---|---|---|\n", float64(bytes)/1e6, chunks, b.engineMemory())
	fmt.Fprintf(&b.report, "| a bare driver that has the chunks and vectors already | %.0f | 1.00 |\n| `import sessions`, the whole process | %.0f | %.2f |\n", rate(bare), rate(ours), rate(ours)/rate(bare))
	fmt.Fprintf(&b.report, "\nThe import took %.1f s and had %.0f MB resident at most. Again, with nothing new, it took %.1f s. Before, %.0f MB of others were imported and written by the bare driver, so that "+
		"the server had compiled what both ask of it; that import met a server that had just started, and brought %.0f chunks a second.\n", ours.Seconds(), peak, again.Seconds(), warmingBytes/1e6, float64(few)/cold.Seconds())
	return nil
}

// watched runs a command and returns its peak resident memory in MB.
func (b *bench) watched(ctx context.Context, args ...string) (peak float64, err error) {
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.Env = b.environ()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				return peak, fmt.Errorf("%v: %w: %s", args, err, out.String())
			}
			return peak, nil
		case <-time.After(20 * time.Millisecond):
			var kilobytes float64
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			for line := range strings.Lines(string(status)) {
				if strings.HasPrefix(line, "VmHWM:") {
					_, _ = fmt.Sscanf(line, "VmHWM: %f", &kilobytes)
				}
			}
			peak = max(peak, kilobytes/1000)
		}
	}
}

// chunksAgain copies the chunks imported after the given one as new chunks and measures only the writes. It also returns
// the last of them.
func (b *bench) chunksAgain(ctx context.Context, driver neo4j.DriverWithContext, after string) (chunks int, took time.Duration, last string, err error) {
	session := uid.Random()
	if err := runOnDriver(ctx, driver, writeSession, map[string]any{"uid": session}); err != nil {
		return 0, 0, "", err
	}
	for {
		found, err := rowsOnDriver(ctx, driver, readChunks, map[string]any{"after": after, "limit": chunksAtOnce})
		if err != nil || len(found) == 0 {
			return chunks, took, after, err
		}
		rows := make([]any, len(found))
		for i, record := range found {
			row := record.AsMap()
			chunk := row["chunk"].(map[string]any)
			after = chunk["uid"].(string)
			chunk["uid"], chunk["session"], chunk["position"], chunk["bench"] = renamedUID(chunk["uid"]), session, chunks+i, true
			vectors := []any{}
			for _, item := range row["vectors"].([]any) {
				p := item.(map[string]any)
				text := p["text"]
				delete(p, "text")
				p["uid"] = renamedUID(p["uid"])
				vectors = append(vectors, map[string]any{"properties": p, "text": text})
			}
			rows[i] = map[string]any{"chunk": chunk, "vectors": vectors}
		}
		began := time.Now()
		params := map[string]any{"rows": rows, "session": session}
		if err := runOnDriver(ctx, driver, writeChunks, params); err != nil {
			return chunks, took, after, err
		}
		if err := runOnDriver(ctx, driver, chainChunks, params); err != nil {
			return chunks, took, after, err
		}
		took += time.Since(began)
		chunks += len(rows)
	}
}

// writeConversations writes session files with the given number of bytes: questions, answers with code, and tools with
// long output.
func writeConversations(folder string, bytes int64, seed uint64) (written int64, err error) {
	draw := rand.New(rand.NewPCG(seed, 2))
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
		id := fmt.Sprintf("%08x-bench-%d", session, seed)
		project := filepath.Join(folder, fmt.Sprintf("-work-project%d", session%12))
		if err := os.MkdirAll(project, 0o755); err != nil {
			return written, err
		}
		file, err := os.Create(filepath.Join(project, id+".jsonl"))
		if err != nil {
			return written, err
		}
		lines := 0
		line := func(kind string, content any) {
			lines++
			at = at.Add(20 * time.Second)
			text, _ := json.Marshal(map[string]any{"type": kind, "sessionId": id, "cwd": fmt.Sprintf("/project%d", session%12), "uuid": fmt.Sprintf("%s-%d", id, lines), "timestamp": at.Format(time.RFC3339Nano),
				"version": "2.1.0", "gitBranch": "main", "message": map[string]any{"role": kind, "content": content}})
			n, _ := file.Write(append(text, '\n'))
			written += int64(n)
		}
		for range 10 + draw.IntN(40) {
			line("user", sentence(10+draw.IntN(60)))
			for range 1 + draw.IntN(4) {
				line("assistant", []any{map[string]any{"type": "text", "text": sentence(20 + draw.IntN(80))}, map[string]any{"type": "tool_use", "id": "t", "name": "Bash", "input": map[string]any{"command": "grep -rn " + sentence(2)}}})
				line("user", []any{map[string]any{"type": "tool_result", "tool_use_id": "t", "content": sentence(100 + draw.IntN(900))}})
			}
			line("assistant", []any{map[string]any{"type": "text", "text": sentence(60+draw.IntN(200)) + "\n```go\n" + sentence(120) + "\n```\n"}})
		}
		if err := file.Close(); err != nil {
			return written, err
		}
	}
	return written, nil
}
