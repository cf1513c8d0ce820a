package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"nomograph/graph/graphtest"
)

func TestSpool_SeveralProcesses_SendEachLineOnce(t *testing.T) {
	s := spool(filepath.Join(t.TempDir(), "waiting"))
	var mu sync.Mutex
	sent := map[string]int{}
	send := func(lines [][]byte) bool {
		mu.Lock()
		defer mu.Unlock()
		for _, line := range lines {
			sent[string(line)]++
		}
		return true
	}
	const writers, each = 4, 25
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if err := s.add(fmt.Sprintf("%d-%d", w, i)); err != nil {
					t.Error(err)
				}
				s.drain(send)
			}
		})
	}
	all.Wait()
	s.drain(send)
	if len(sent) != writers*each || s.waits() {
		t.Errorf("%d lines were sent, want %d", len(sent), writers*each)
	}
	for line, times := range sent {
		graphtest.Equal(t, times, 1, line+": times sent")
	}
	graphtest.OK(t, s.add("later"))
	s.drain(func([][]byte) bool { return false }) // the database is away
	if s.drain(send); sent["\"later\"\n"] != 1 {
		t.Error("a line that could not be sent is lost")
	}
}

func TestSpool_LineThatCannotBeWritten_IsAnErrorAndLeavesNoPart(t *testing.T) {
	dir := t.TempDir()
	if err := spool(filepath.Join(dir, "missing", "waiting")).add("x"); err == nil {
		t.Error("a missing folder: got no error")
	}
	file := filepath.Join(dir, "waiting")
	graphtest.OK(t, os.WriteFile(file, make([]byte, maxWaiting+1), 0o600))
	if err := spool(file).add("x"); err == nil {
		t.Error("a full file: got no error")
	}
	graphtest.Equal(t, graphtest.Must(os.Stat(file))(t).Size(), maxWaiting+1, "the size")
}

// TestHook_FullDisk_LostCallsAreCounted: a hook that can store an executed call neither in the graph nor on the disk
// answers as usual. Coverage shows later how many calls were lost.
func TestHook_FullDisk_LostCallsAreCounted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a file that is always full")
	}
	g := graphtest.New(t)
	proxy := graphtest.NewProxy(t, g)
	home := t.TempDir()
	environ := append(g.Environ(t), "NEO4J_URI=bolt://"+proxy.Address, "HOME="+home, "XDG_CACHE_HOME="+
		filepath.Join(home, "cache"))
	calls := 0
	executed := func(budget string) {
		t.Helper()
		calls++
		event := fmt.Sprintf(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t%d","tool_response":{"interrupted":false}}`, calls)
		if out, messages, code := graphtest.Run(t, environ, strings.NewReader(event), graphtest.Binary(t), "hook",
			"claude-code", "--budget", budget); code != 0 || out != "" {
			t.Fatalf("call %d: exit %d: %s%s", calls, code, out, messages)
		}
	}
	executed("45s") // reserves the file that counts
	files, err := filepath.Glob(filepath.Join(home, "cache", "nomograph", "hooks", "waiting", "*.lost"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v, want one file with the number of lost calls", files, err)
	}
	waiting := strings.TrimSuffix(files[0], ".lost")
	graphtest.OK(t, os.Symlink("/dev/full", waiting))
	proxy.StopListening()
	proxy.Cut()
	executed("2s")
	executed("2s")
	graphtest.Equal(t, string(graphtest.Must(os.ReadFile(files[0]))(t)), "000000000002", "lost calls")
	graphtest.OK(t, os.Remove(waiting))
	proxy.Listen(t)
	executed("45s")
	executed("45s") // records each lost call once
	rows := g.Rows(t, "MATCH (e:Execution) RETURN coalesce(e.reason, '') AS reason, count(e) AS n ORDER BY reason", nil)
	graphtest.Contains(t, fmt.Sprint(rows), "n:2 reason:not_recorded")
	graphtest.Equal(t, string(graphtest.Must(os.ReadFile(files[0]))(t)), "000000000000", "lost calls")
}
