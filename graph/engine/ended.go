package engine

import (
	"errors"
	"os"
	"slices"
	"strings"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
)

const maxOutput = 32 << 10 // bytes

// lastOutput returns the output of this run, for the log and for knownCause.
func (s *server) lastOutput() string {
	console, _ := os.ReadFile(s.in.o.path("logs", "console.log"))
	log, _ := os.ReadFile(s.in.o.path("logs", "neo4j.log"))
	if int64(len(log)) >= s.logBegin {
		log = log[s.logBegin:]
	}
	text := string(console) + string(log)
	return text[max(0, len(text)-maxOutput):] // the end names the cause
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
	return says(output, "Could not reserve enough space", "insufficient memory", "Too small maximum heap",
		"Invalid maximum heap size")
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
		return apperr.Newf(apperr.Unavailable, "The disk of %s is full", in.o.Dir).
			WithHint("Free space, then try again").Because(cause)
	case says(output, "Read-only file system", "AccessDeniedException"):
		return files.Unwritable(in.o.path("data"), cause)
	case isOutOfMemory(output):
		return apperr.Newf(apperr.Unavailable, "Not enough memory for a heap of %s and a page cache of %s", in.o.Heap,
			in.o.PageCache).
			WithHint("Set %s and %s to smaller sizes", envHeap, envPageCache).Because(cause)
	}
	return nil
}

func (in *installation) unknownCause(output string) error {
	what, log := "Neo4j "+in.Version, in.o.path("logs", "neo4j.log")
	if in.Docker != "" {
		what = "The container of " + in.Image()
	}
	if info, err := os.Stat(in.o.path("logs", "console.log")); err == nil &&
		info.Size() > 0 { // Java itself or the container failed
		log = in.o.path("logs", "console.log")
	}
	if last := ending(output, 3); last != "" {
		log += ". Its last lines: " + last
	}
	return apperr.Newf(apperr.Unavailable, "%s stopped during startup", what).WithHint("See %s", log).
		Because(errors.New(output))
}

// ending returns the last lines with text, separated by slashes.
func ending(output string, n int) string {
	lines := slices.DeleteFunc(strings.Split(output, "\n"),
		func(line string) bool { return strings.TrimSpace(line) == "" })
	return strings.Join(lines[max(0, len(lines)-n):], " / ")
}
