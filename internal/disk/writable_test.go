package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"nomograph/internal/disk"
	"nomograph/internal/golden"
)

func TestFree_MissingFolder_IsThatOfItsParent(t *testing.T) {
	dir := t.TempDir()
	if free, err := disk.Free(filepath.Join(dir, "none", "below")); err != nil || free <= 0 {
		t.Errorf("got %d, %v, want free space", free, err)
	}
}

func TestWritable_MissingFolder_TriesTheNearestParent(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{home: true, filepath.Join(home, "a", "b"): true, file: false,
		filepath.Join(file, "below"): false} {
		golden.Equal(t, path, disk.Writable(path) == nil, want)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 1 {
		t.Errorf("got the files %v, %v", entries, err)
	}
	if os.Getuid() == 0 {
		return // root can write regardless of permissions
	}
	closed := filepath.Join(home, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := disk.Writable(closed); err == nil {
		t.Error("got writable for a read-only folder")
	}
}
