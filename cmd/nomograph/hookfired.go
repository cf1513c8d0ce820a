package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"nomograph/cmd/nomograph/clients"
	"nomograph/graph/engine/files"
	"nomograph/hooks"
	"nomograph/internal/disk"
)

// firedEvery is the precision of the time of the last event, because writing a file for each event would cost too much.
const firedEvery = time.Minute

// hookFired is stored for the last event of a client.
type hookFired struct {
	Version string `json:"version,omitempty"`
}

func firedFile(client, event string) (string, error) {
	folder, err := disk.Cache("nomograph", "hooks", "fired")
	return filepath.Join(folder, client+"."+event), err
}

// noteFired stores that a client's hook was called, for hook status. It stores only events of the client's contract.
// Errors are ignored.
func noteFired(client, event, clientVersion string) {
	c, err := hooks.Find(client)
	if err != nil || !slices.ContainsFunc(c.Events, func(e hooks.Event) bool { return e.Name == event }) {
		return
	}
	file, err := firedFile(client, event)
	if err != nil {
		return
	}
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) < firedEvery {
		return
	}
	text, err := json.Marshal(hookFired{Version: clientVersion})
	if err == nil && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = files.Write(file, text)
	}
}

// lastFired returns the time of the last event of a client on this machine, and the client's version. A zero time means
// never.
func lastFired(client, event string) (at time.Time, clientVersion string) {
	file, err := firedFile(client, event)
	if err != nil {
		return at, ""
	}
	var fired hookFired
	if info, err := os.Stat(file); err == nil {
		at = info.ModTime()
	}
	if text, err := disk.Read(file, 4096); err == nil {
		_ = json.Unmarshal(text, &fired)
	}
	return at, fired.Version
}

// addFired adds the time of the last installed event, and the events that never occurred, to a row of hook status.
func addFired(row map[string]any, client string, events []string) {
	never := []string{}
	var last time.Time
	for _, event := range events {
		at, clientVersion := lastFired(client, event)
		if at.IsZero() {
			never = append(never, event)
		}
		if at.After(last) {
			last = at
			if clientVersion != "" {
				row["version"] = clientVersion
			}
		}
	}
	row["never_seen"] = never
	if !last.IsZero() {
		row["last_fired"] = last.UTC().Format(time.RFC3339)
	}
}

// addTrust adds which events of a hook file Codex does not trust. Only Codex stores this in a readable file.
func addTrust(row map[string]any, h clients.HookFile, file string) {
	if h.Name != "codex" {
		return
	}
	path, err := h.User()
	if err != nil {
		return
	}
	untrusted, err := h.CodexUntrusted(file, filepath.Join(filepath.Dir(path), "config.toml"))
	if err != nil {
		return
	}
	row["trusted"], row["untrusted"] = len(untrusted) == 0, untrusted
}
