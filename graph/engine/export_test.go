package engine

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"nomograph/cypher"
	"nomograph/internal/disk"
)

// Hasten lets a supervisor of tests end a query after three seconds of processor time instead of 25, plan two
// statements in the background instead of all, and find as much disk space as the file free says.
func Hasten() {
	cpuAfterTermination = 3 * time.Second
	freeSpace = func(folder string) (int64, error) {
		if text, err := os.ReadFile(filepath.Join(folder, "free")); err == nil {
			return strconv.ParseInt(string(text), 10, 64)
		}
		return disk.Free(folder)
	}
	warmed = func() []cypher.Typical { return cypher.Hot()[:2] }
}
