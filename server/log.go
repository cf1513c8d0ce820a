package server

import (
	"log"

	"github.com/rs/zerolog"
)

// StandardLog lets a library that logs through the standard logger write to ours.
func StandardLog(to zerolog.Logger, from string) *log.Logger {
	return log.New(to.With().Str("from", from).Logger(), "", 0)
}
