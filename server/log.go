package server

import (
	"log"

	"github.com/rs/zerolog"
)

// stdlog lets a library that logs through the standard logger write to ours.
func stdlog(to zerolog.Logger) *log.Logger {
	return log.New(to.With().Str("from", "mcp").Logger(), "", 0)
}
