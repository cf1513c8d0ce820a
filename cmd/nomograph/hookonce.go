package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"nomograph/graph/engine/files"
	"nomograph/hooks"
	"nomograph/internal/disk"
)

const (
	callAgain    = time.Minute     // in which a call with an id of its own may come again
	contentAgain = 5 * time.Second // in which an equal action of a session is taken for the same call
	keptAnswers  = 10 * time.Minute
	lockEvery    = 5 * time.Millisecond
)

// once checks an action once where programs send it twice: Cursor has two events for one command, and VS Code reads three programs' hooks.
// The answer is kept in a private file for a moment. Where no file can be written, each call is a check.
func (h *hookRun) once(ctx context.Context, action hooks.Action) (hooks.Verdict, error) {
	file, lasts, err := h.answerFile(action)
	if err != nil {
		return h.check(ctx, action)
	}
	lock := flock.New(file + ".lock")
	if locked, err := lock.TryLockContext(ctx, lockEvery); err != nil || !locked {
		if ctx.Err() != nil {
			return hooks.Verdict{}, ctx.Err()
		}
		return h.check(ctx, action)
	}
	defer func() { _ = lock.Unlock() }()
	var kept hooks.Verdict
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) < lasts {
		if text, err := disk.Read(file, 1<<20); err == nil && json.Unmarshal(text, &kept) == nil && kept.ID != "" && kept.Decision != "" {
			return kept, nil
		}
	}
	v, err := h.check(ctx, action)
	if err != nil {
		return v, err
	}
	if text, err := json.Marshal(v); err == nil {
		_ = files.Write(file, text) // a check more is no harm
	}
	removeOld(filepath.Dir(file))
	return v, nil
}

// answerFile is where the answer to an action is kept, and for how long.
func (h *hookRun) answerFile(action hooks.Action) (file string, lasts time.Duration, err error) {
	folder, err := disk.Cache("nomograph", "hooks")
	if err != nil {
		return "", 0, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", 0, err
	}
	text, err := json.Marshal([]any{action.Session, action.ToolUseID, action.Kind, action.Params, h.agent(), h.config.Project, h.config.URI, h.config.URL, h.config.EngineDir, version})
	if err != nil {
		return "", 0, err
	}
	lasts = contentAgain
	if action.ToolUseID != "" {
		lasts = callAgain
	} else if action.Session == "" { // nothing says that two actions are one
		lasts = 0
	}
	sum := sha256.Sum256(text)
	return filepath.Join(folder, hex.EncodeToString(sum[:])), lasts, nil
}

// removeOld deletes answers that nobody will ask for.
func removeOld(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) < 200 {
		return
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > keptAnswers {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}
