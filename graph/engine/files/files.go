// Package files writes the private files of the engine atomically. Its errors have a hint:
//
//	err := files.Write(path, data) // an *apperr.Error: unavailable
package files

import (
	"nomograph/internal/apperr"
	"nomograph/internal/disk"
)

// EnvDir is the environment variable with the directory of these files.
const EnvDir = "NOMOGRAPH_ENGINE_DIR"

// Write replaces a file atomically with mode 0600. Readers see the old or the new content, never a part.
func Write(path string, data []byte) error {
	if err := disk.Write(path, data, 0o600); err != nil {
		return Unwritable(path, err)
	}
	return nil
}

// Unwritable returns unavailable for a file or directory that cannot be written.
func Unwritable(path string, err error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot write %s", path).
		WithHint("Set %s (or XDG_DATA_HOME) to a writable folder with free space, or set NEO4J_URI to use another database", EnvDir).Because(err)
}
