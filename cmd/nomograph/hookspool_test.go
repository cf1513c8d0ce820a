package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
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
		if times != 1 {
			t.Errorf("%s was sent %d times", line, times)
		}
	}
	if err := s.add("later"); err != nil {
		t.Fatal(err)
	}
	s.drain(func([][]byte) bool { return false }) // the database is away
	if s.drain(send); sent["\"later\"\n"] != 1 {
		t.Error("a line that could not be sent is lost")
	}
}

func TestSpool_LineThatCannotBeWritten_IsAnErrorAndLeavesNoPart(t *testing.T) {
	dir := t.TempDir()
	if err := spool(filepath.Join(dir, "missing", "waiting")).add("x"); err == nil {
		t.Error("a folder that is missing gives no error")
	}
	file := filepath.Join(dir, "waiting")
	if err := os.WriteFile(file, make([]byte, maxWaiting+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := spool(file).add("x"); err == nil {
		t.Error("a full file gives no error")
	}
	if info, err := os.Stat(file); err != nil || info.Size() != maxWaiting+1 {
		t.Errorf("got %v, %v", info, err)
	}
}
