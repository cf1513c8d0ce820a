package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"nomograph/graph/graphtest"
)

func TestRemoveOld_SoonAfterARemoval_ReadsNoFolder(t *testing.T) {
	folder := t.TempDir()
	old := func(name string) string {
		path := filepath.Join(folder, name)
		graphtest.OK(t, os.WriteFile(path, nil, 0o600))
		then := time.Now().Add(-2 * keptAnswers)
		graphtest.OK(t, os.Chtimes(path, then, then))
		return path
	}
	there := func(path string) bool { _, err := os.Stat(path); return err == nil }
	recent := filepath.Join(folder, "recent")
	graphtest.OK(t, os.WriteFile(recent, nil, 0o600))
	first := old("first")
	removeOld(folder)
	if there(first) || !there(recent) {
		t.Errorf("first removal: old answer there %t, want false; recent one there %t, want true", there(first),
			there(recent))
	}
	second := old("second")
	if removeOld(folder); !there(second) {
		t.Error("the folder was read again right after a removal")
	}
	old("removed")
	if removeOld(folder); there(second) || !there(recent) {
		t.Errorf("next removal: old answer there %t, want false; recent one there %t, want true", there(second),
			there(recent))
	}
}
