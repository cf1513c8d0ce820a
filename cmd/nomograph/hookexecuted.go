package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/policies/check"
	"nomograph/tools"
)

const (
	recordBudget = 4 * time.Second // a client waits for its hook, and what is not recorded by then is recorded later
	maxWaiting   = 1 << 20         // bytes of executions that wait for the database
	maxRecorded  = 1000            // executions in a call of record_executions
)

// recordExecuted records tool calls that a client executed, and those that waited for the database. It never fails: what cannot
// be recorded waits in a private file, and what cannot be written there is found by an import of the client's transcripts.
func (h *hookRun) recordExecuted(ctx context.Context, executed []check.Execution) {
	ctx, cancel := context.WithTimeout(ctx, min(recordBudget, h.budget/2))
	defer cancel()
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for i := range executed {
		if executed[i].At == "" {
			executed[i].At = now
		}
		if reason := h.takeUnchecked(executed[i]); reason != "" && executed[i].Reason == "" {
			executed[i].Reason = reason
		}
	}
	if err := h.sendExecuted(ctx, executed); err != nil {
		h.keepWaiting(executed)
		return
	}
	h.sendWaiting(ctx)
}

func (h *hookRun) sendExecuted(ctx context.Context, executed []check.Execution) error {
	operation, ok := tools.Find(h.operations, "record_executions")
	if !ok || len(executed) == 0 {
		return nil
	}
	raw, err := json.Marshal(check.Executions{Executions: executed})
	if err == nil {
		_, err = h.call(ctx, operation, raw)
	}
	return err
}

// waitingFile is the file with executions for one graph that wait for the database.
func (h *hookRun) waitingFile() (string, error) {
	return h.privateFile("waiting", h.agent(), h.config.Project, h.config.URI, h.config.Database, h.config.URL, h.config.EngineDir)
}

// privateFile is a file in the folder of a name, for what the parts name.
func (h *hookRun) privateFile(folder string, parts ...string) (string, error) {
	at, err := disk.Cache("nomograph", "hooks", folder)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return filepath.Join(at, hex.EncodeToString(sum[:16])), os.MkdirAll(at, 0o700)
}

// keepWaiting appends executions to the file of those that wait, a line each.
func (h *hookRun) keepWaiting(executed []check.Execution) {
	path, err := h.waitingFile()
	if err != nil {
		return
	}
	lock := flock.New(path + ".lock")
	if lock.Lock() != nil {
		return
	}
	defer func() { _ = lock.Unlock() }()
	if info, err := os.Stat(path); err == nil && info.Size() > maxWaiting {
		return
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, e := range executed {
		if encoder.Encode(e) != nil {
			return
		}
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = file.Write(lines.Bytes())
	_ = file.Close()
}

// sendWaiting records the executions that wait. One process does that at a time, and shortens the file by what it recorded.
func (h *hookRun) sendWaiting(ctx context.Context) {
	path, err := h.waitingFile()
	if err != nil {
		return
	}
	if _, err := os.Stat(path); err != nil { // nothing waits
		return
	}
	lock := flock.New(path + ".lock")
	if locked, err := lock.TryLock(); err != nil || !locked {
		return
	}
	defer func() { _ = lock.Unlock() }()
	text, err := disk.Read(path, 2*maxWaiting)
	if err != nil {
		return
	}
	var executed []check.Execution
	for line := range bytes.Lines(text) {
		var e check.Execution
		if json.Unmarshal(line, &e) == nil { // a full disk may have cut the last line
			executed = append(executed, e)
		}
	}
	for len(executed) > 0 {
		some := executed[:min(len(executed), maxRecorded)]
		if err := h.sendExecuted(ctx, some); err != nil && !apperr.Is(err, apperr.Validation) { // an invalid one is never accepted, so it must not wait forever
			return // a call that is sent again counts once
		}
		executed = executed[len(some):]
	}
	_ = os.Remove(path)
}

// noteUnchecked notes that an action may pass although it could not be checked, so that its execution has a reason.
func (h *hookRun) noteUnchecked(calls []check.Execution) {
	for _, call := range calls {
		if path, err := h.uncheckedFile(call); err == nil {
			_ = files.Write(path, []byte(call.Reason))
			removeOld(filepath.Dir(path))
		}
	}
}

// takeUnchecked returns the reason why the check of an executed call failed, if this machine knows it.
func (h *hookRun) takeUnchecked(call check.Execution) string {
	path, err := h.uncheckedFile(call)
	if err != nil {
		return ""
	}
	text, err := disk.Read(path, 100)
	if err != nil {
		return ""
	}
	_ = os.Remove(path)
	return string(text)
}

func (h *hookRun) uncheckedFile(call check.Execution) (string, error) {
	if call.ToolUseID != "" {
		return h.privateFile("unchecked", call.Client, call.Session, call.ToolUseID)
	}
	return h.privateFile("unchecked", call.Client, call.Session, call.Content)
}
