package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestRemoveOld_SoonAfterARemoval_ReadsNoFolder(t *testing.T) {
	folder := t.TempDir()
	old := func(name string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-2 * keptAnswers)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		return path
	}
	there := func(path string) bool { _, err := os.Stat(path); return err == nil }
	recent := filepath.Join(folder, "recent")
	if err := os.WriteFile(recent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
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
