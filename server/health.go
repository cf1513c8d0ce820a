package server

import (
	"context"
	"net/http"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
)

// readyTime is the timeout for the database in the readiness check.
const readyTime = 2 * time.Second

func (s *Server) addHealth() {
	s.Public("GET /healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		Answer(w, http.StatusOK, map[string]any{"status": "healthy", "version": s.options.Version,
			"uptime_seconds": int(time.Since(s.started).Seconds())})
	}))
	s.Public("GET /readyz", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-s.stopping.Done():
			Refuse(w, r, apperr.New(apperr.Unavailable, "The server is stopping").WithHint("Use another server"))
			return
		default:
		}
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		if s.options.Ready != nil {
			if err := s.options.Ready(ctx); err != nil {
				f := apperr.From(err)
				s.options.Log.Warn().Str("error", string(f.Code)).AnErr("cause", f.Unwrap()).
					Msg("not ready: " + f.Message)
				// The caller need not be authenticated, so the error must not contain the database's address.
				Refuse(w, r, RetryIn(1, apperr.New(apperr.Unavailable, "The database is not ready").
					WithHint("See the log; `nomograph doctor` tests each step")))
				return
			}
		}
		Answer(w, http.StatusOK, map[string]any{"status": "ready"})
	}))
}

// Answer writes a value as JSON.
func Answer(w http.ResponseWriter, status int, value any) {
	text, err := render.JSON(value)
	if err != nil {
		http.Error(w, `{"error":"internal_error"}`, http.StatusInternalServerError)
		return
	}
	AnswerJSON(w, status, text)
}

// AnswerJSON writes encoded JSON.
func AnswerJSON(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}
