package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nomograph/cmd/nomograph/clients"
	"nomograph/graph/engine/files"
	"nomograph/hooks"
	"nomograph/internal/disk"
)

// firedEvery is how exactly the last event is known: a file for each event would cost more than it tells.
const firedEvery = time.Minute

// hookFired is what is stored of the last event of a client.
type hookFired struct {
	Version string `json:"version,omitempty"`
}

func firedFile(client, event string) (string, error) {
	folder, err := disk.Cache("nomograph", "hooks", "fired")
	return filepath.Join(folder, client+"."+event), err
}

// noteFired stores that a client's hook was called, for hook status. Only events of the client's contract are stored; a failure is no harm.
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

// lastFired gives when an event of a client came last on this machine, and the version that the client told. A zero time is never.
func lastFired(client, event string) (at time.Time, clientVersion string) {
	file, err := firedFile(client, event)
	if err != nil {
		return time.Time{}, ""
	}
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}, ""
	}
	var fired hookFired
	if text, err := disk.Read(file, 4096); err == nil {
		_ = json.Unmarshal(text, &fired)
	}
	return info.ModTime(), fired.Version
}

// addFired adds to a row of hook status when the installed events came last, and which of them never did.
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

// addTrust says whether Codex has reviewed a file of hooks. Only Codex keeps that in a file that can be read.
func addTrust(row map[string]any, h clients.HookFile, file string) {
	if h.Name != "codex" {
		return
	}
	path, err := h.User()
	if err != nil {
		return
	}
	settings, err := disk.Read(filepath.Join(filepath.Dir(path), "config.toml"), 1<<20)
	if full, absErr := filepath.Abs(file); absErr == nil {
		file = full
	}
	row["trusted"] = err == nil && strings.Contains(string(settings), file) && strings.Contains(string(settings), "trusted_hash")
}
