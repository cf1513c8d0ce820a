package engine

import (
	"errors"
	"os"
	"strings"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
)

// lastOutput returns the output of this run, for the log and for knownCause.
func (s *server) lastOutput() string {
	console, _ := os.ReadFile(s.in.o.path("logs", "console.log"))
	log, _ := os.ReadFile(s.in.o.path("logs", "neo4j.log"))
	if int64(len(log)) >= s.logBegin {
		log = log[s.logBegin:]
	}
	text := string(console) + string(log)
	if len(text) > 8000 {
		text = text[:8000]
	}
	return text
}

func says(output string, texts ...string) bool {
	for _, text := range texts {
		if strings.Contains(output, text) {
			return true
		}
	}
	return false
}

func isPortTaken(output string) bool {
	return says(output, "Address already in use", "BindException")
}

func isOutOfMemory(output string) bool {
	return says(output, "Could not reserve enough space", "insufficient memory", "Too small maximum heap", "Invalid maximum heap size")
}

// isArchiveBroken reports whether Java ended because of its class-data archive. These are messages of Java 17 to 25.
func isArchiveBroken(output string) bool {
	return says(output, "shared archive", "shared spaces", "CDS archive", "-Xshare")
}

// whyEnded converts Neo4j's output to an error with a hint.
func (in *installation) whyEnded(output string, port int) error {
	if cause := in.knownCause(output, port); cause != nil {
		return cause
	}
	return in.unknownCause(output)
}

// knownCause returns nil if the output names no known cause.
func (in *installation) knownCause(output string, port int) error {
	cause := errors.New(output)
	switch {
	case isPortTaken(output):
		return portTaken(port, cause)
	case says(output, "FileLockException", "has been locked by another process", "store_lock"):
		return apperr.Newf(apperr.Unavailable, "Another process uses the data in %s", in.o.path("data")).
			WithHint("Stop the Neo4j that still runs there, then try again").Because(cause)
	case says(output, "No space left on device", "not enough space on the disk"):
		return apperr.Newf(apperr.Unavailable, "The disk of %s is full", in.o.Dir).WithHint("Free space, then try again").Because(cause)
	case says(output, "Read-only file system", "AccessDeniedException"):
		return files.Unwritable(in.o.path("data"), cause)
	case isOutOfMemory(output):
		return apperr.Newf(apperr.Unavailable, "Not enough memory for a heap of %s and a page cache of %s", in.o.Heap, in.o.PageCache).
			WithHint("Set %s and %s to smaller sizes", envHeap, envPageCache).Because(cause)
	}
	return nil
}

func (in *installation) unknownCause(output string) error {
	if in.Docker != "" {
		return apperr.Newf(apperr.Unavailable, "The container of %s stopped during startup", in.Image()).
			WithHint("See %s", in.o.path("logs", "console.log")).Because(errors.New(output))
	}
	return apperr.Newf(apperr.Unavailable, "Neo4j %s stopped during startup", in.Version).
		WithHint("See %s and the other files there", in.o.path("logs", "neo4j.log")).Because(errors.New(output))
}
