package main

import (
	"context"
	"encoding/json"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
)

// importBudget limits the import of one transcript.
const importBudget = 10 * time.Minute

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

// keepTranscript lets a server import the transcript of a session that ended. The client waits for the writing of one line. A server on
// another machine cannot read the file, so nothing is kept for it.
func (h *hookRun) keepTranscript(path string) {
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

// importTranscripts imports the transcripts of sessions that ended, one after another, until ctx ends. woken says that one was added.
// It returns without any work on a server that hooks must not let import.
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
				if err := a.importTranscript(ctx, opened, operation, session); ctx.Err() != nil || apperr.Is(err, apperr.Unavailable) {
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
		}
	}
}

func (a *app) importTranscript(ctx context.Context, opened *tools.App, operation tools.Operation, session endedSession) error {
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
