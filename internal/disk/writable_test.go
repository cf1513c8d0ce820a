package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/disk"
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
	graphtest.OK(t, os.WriteFile(file, nil, 0o600))
	for path, want := range map[string]bool{home: true, filepath.Join(home, "a", "b"): true, file: false,
		filepath.Join(file, "below"): false} {
		graphtest.Equal(t, disk.Writable(path) == nil, want, path, "writable")
	}
	graphtest.Len(t, graphtest.Must(os.ReadDir(home))(t), 1, "the files")
	if os.Getuid() == 0 {
		return // root can write regardless of permissions
	}
	closed := filepath.Join(home, "closed")
	graphtest.OK(t, os.Mkdir(closed, 0o500))
	if err := disk.Writable(closed); err == nil {
		t.Error("got writable for a read-only folder")
	}
}
