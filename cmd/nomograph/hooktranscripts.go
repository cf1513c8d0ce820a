package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"nomograph/cmd/nomograph/clients"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
)

const (
	importBudget = 10 * time.Minute // limits the import of one transcript
	importAgain  = time.Minute      // until transcripts that wait are tried again
)

// endedSession is a transcript that waits for its import.
type endedSession struct {
	Path    string `json:"path"`
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
}

// transcriptsFile is the file with the transcripts that wait for a server with this database.
func (a *app) transcriptsFile() (string, error) {
	return privateFile("transcripts", a.config.URI, a.config.Database, a.config.EngineDir)
}

// storeTranscriptPath stores the path of the transcript of an ended session, which a server then imports. It is fast,
// because the client waits. A server on another machine cannot read the file, so nothing is stored for it.
func (h *hookRun) storeTranscriptPath(path string) {
	if h.config.URL != "" {
		return
	}
	file, err := h.transcriptsFile()
	if err == nil {
		err = spool(file).add(endedSession{Path: path, Project: h.config.Project, Agent: h.config.Agent})
	}
	if err != nil {
		h.log.Debug().Err(err).Msg("transcript not imported")
		return
	}
	if h.ended != nil {
		h.ended()
	}
}

// importTranscripts imports the transcripts of ended sessions, one after another, until ctx ends. woken signals a new
// one. It returns immediately if there is no folder for the waiting transcripts.
func (a *app) importTranscripts(ctx context.Context, opened *tools.App, woken <-chan struct{}) {
	file, err := a.transcriptsFile()
	operation, ok := tools.Find(tools.Catalog, "import_sessions")
	if err != nil || !ok {
		return
	}
	for {
		spool(file).drain(func(lines [][]byte) bool {
			seen := map[endedSession]bool{}
			for _, line := range lines {
				var session endedSession
				if json.Unmarshal(line, &session) != nil || seen[session] {
					continue
				}
				seen[session] = true
				if err := a.importTranscript(ctx, opened, operation, session); ctx.Err() != nil ||
					apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.QueryTimeout) {
					return false // another import resumes
				} else if err != nil {
					a.log.Info().Err(err).Msg("transcript of an ended session not imported")
				}
			}
			return true
		})
		select {
		case <-ctx.Done():
			return
		case <-woken:
		case <-time.After(importAgain): // for what waits because the database was away
		}
	}
}

func (a *app) importTranscript(ctx context.Context, opened *tools.App, operation tools.Operation,
	session endedSession) (err error) {
	defer func() {
		if recover() != nil { // an agent wrote the file, so any content is possible
			err = apperr.New(apperr.Internal, "The import of a transcript failed unexpectedly").
				WithHint("Import the file by hand with `import_sessions`, and report its error")
		}
	}()
	if session.Path, err = clientTranscript(session.Path); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, importBudget)
	defer cancel()
	arguments, err := json.Marshal(session)
	if err != nil {
		return err
	}
	who := caller.Local(session.Agent)
	who.Transport = "hook"
	_, err = operation.Run(caller.With(ctx, who), opened, arguments)
	return err
}

// clientTranscript returns the resolved path of a transcript. An agent can write an event that names any file, and
// what is imported can be recalled, so the file must be one of a client's conversations.
func clientTranscript(path string) (string, error) {
	refused := apperr.Newf(apperr.Validation, "%s is not a transcript in a client's folder", path).
		WithHint("Import it with `import_sessions`")
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", refused.Because(err)
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() ||
		!slices.Contains([]string{".jsonl", ".json"}, filepath.Ext(file)) {
		return "", refused
	}
	for _, c := range clients.All() {
		folder, err := c.Conversations()
		if err != nil || folder == "" {
			continue
		}
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			continue
		}
		if inside, err := filepath.Rel(folder, file); err == nil && filepath.IsLocal(inside) {
			return file, nil
		}
	}
	return "", refused
}
