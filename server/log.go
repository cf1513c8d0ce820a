package server

import (
	"log"

	"github.com/rs/zerolog"
)

// StandardLog returns a standard logger that writes to ours.
func StandardLog(to zerolog.Logger, from string) *log.Logger {
	return log.New(to.With().Str("from", from).Logger(), "", 0)
}
