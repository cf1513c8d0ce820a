package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/lists"
	"nomograph/internal/uid"
	"nomograph/policies/check"
)

const (
	// the client waits for its hook; calls that are not recorded by then are recorded later
	recordBudget = 4 * time.Second
	maxRecorded  = 1000 // executions in a call of record_executions
)

// recordExecuted records tool calls that a client executed, and those that waited for the database. It never fails:
// calls that cannot be recorded wait in a private file, and an import of the client's transcripts finds calls that
// cannot be written there.
func (h *hookRun) recordExecuted(ctx context.Context, executed []check.Execution) {
	if !h.recording.CompareAndSwap(false, true) { // the budget has ended, so the calls already wait in files
		return
	}
	ctx, cancel := context.WithTimeout(ctx, min(recordBudget, h.budget/2))
	defer cancel()
	executed = h.withReasons(executed)
	if err := h.sendExecuted(ctx, executed); err != nil {
		h.storeForLater(executed)
		return
	}
	h.sendWaiting(ctx)
	h.recordLost(ctx)
}

// withTimes sets the time of calls without one, so that a repeated call has the same time.
func withTimes(executed []check.Execution) []check.Execution {
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for i := range executed {
		executed[i].At = cmp.Or(executed[i].At, now)
	}
	return executed
}

// withReasons sets the time of calls, and sets the reason of those that passed without a check.
func (h *hookRun) withReasons(executed []check.Execution) []check.Execution {
	for i, call := range withTimes(executed) {
		executed[i].Reason = cmp.Or(call.Reason, h.takeUnchecked(call))
	}
	return executed
}

func (h *hookRun) sendExecuted(ctx context.Context, executed []check.Execution) error {
	if len(executed) == 0 {
		return nil
	}
	raw, err := json.Marshal(check.Executions{Executions: executed})
	if err == nil {
		_, err = h.call(ctx, "record_executions", raw)
	}
	return err
}

// waitingFile is the file with executions for one graph that wait for the database.
func (h *hookRun) waitingFile() (string, error) {
	return privateFile("waiting", h.agent(), h.config.Project, h.config.URI, h.config.Database, h.config.URL,
		h.config.EngineDir)
}

// privateFile returns the path of a file in a private folder. The name is a hash of the parts.
func privateFile(folder string, parts ...string) (string, error) {
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

// storeForLater stores executions until the database answers. Those that cannot be stored are counted as lost.
func (h *hookRun) storeForLater(executed []check.Execution) {
	if len(executed) == 0 {
		return
	}
	values := lists.Map(executed, func(e check.Execution) any { return e })
	path, err := h.waitingFile()
	if err == nil {
		err = spool(path).add(values...)
	}
	if err != nil {
		h.noteLost(len(executed))
	}
}

// sendWaiting records the executions that wait.
func (h *hookRun) sendWaiting(ctx context.Context) {
	path, err := h.waitingFile()
	if err != nil {
		return
	}
	spool(path).drain(func(lines [][]byte) bool {
		var executed []check.Execution
		for _, line := range lines {
			var e check.Execution
			if json.Unmarshal(line, &e) == nil { // a process that was killed may have left a part of a line
				executed = append(executed, e)
			}
		}
		for len(executed) > 0 {
			batch := executed[:min(len(executed), maxRecorded)]
			if err := h.sendExecuted(ctx, batch); err != nil &&
				!apperr.Is(err, apperr.Validation) { // an invalid batch is never accepted, so it must not wait forever
				return false // a call that is sent again counts once
			}
			executed = executed[len(batch):]
		}
		return true
	})
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
	return privateFile("unchecked", call.Client, call.Session, cmp.Or(call.ToolUseID, call.Content))
}

// lostFile is a file of fixed size with the number of executions that could not be stored. Writing in place works on a
// full disk.
func (h *hookRun) lostFile() (string, error) {
	path, err := h.waitingFile()
	return path + ".lost", err
}

const lostDigits = 12

// noteLost adds to the number of executions that could not be stored.
func (h *hookRun) noteLost(calls int) {
	if path, err := h.lostFile(); err == nil {
		_, _ = h.changeLost(path, func(before int) int { return before + calls })
	}
}

// changeLost replaces the number in place, and returns the one before.
func (h *hookRun) changeLost(path string, change func(before int) int) (before int, err error) {
	err = spool(path).locked(func() error {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		text := make([]byte, lostDigits)
		if n, _ := file.ReadAt(text, 0); n == lostDigits {
			before, _ = strconv.Atoi(string(text))
		}
		_, err = file.WriteAt(fmt.Appendf(nil, "%0*d", lostDigits, change(before)), 0)
		return errors.Join(err, file.Close())
	})
	return before, err
}

// recordLost records executions that could not be stored earlier, so that coverage shows them. Only their number is
// known.
func (h *hookRun) recordLost(ctx context.Context) {
	path, err := h.lostFile()
	if err != nil {
		return
	}
	if _, err := os.Stat(path); err != nil { // write the file now, while the disk has space
		_, _ = h.changeLost(path, func(before int) int { return before })
		return
	}
	if text, err := disk.Read(path, lostDigits); err == nil && string(text) == fmt.Sprintf("%0*d", lostDigits, 0) {
		return // the usual case needs no lock
	}
	lost, err := h.changeLost(path, func(before int) int { return max(0, before-maxRecorded) })
	if err != nil || lost == 0 {
		return
	}
	calls := make([]check.Execution, min(lost, maxRecorded))
	for i := range calls {
		calls[i] = check.Execution{Client: h.client.Name, ToolUseID: uid.New(), Event: "lost", Kind: "tool",
			Outcome: check.UnknownOutcome, Source: check.ByPostHook, Reason: check.NotRecorded}
	}
	if h.sendExecuted(ctx, calls) != nil {
		h.noteLost(len(calls))
	}
}
