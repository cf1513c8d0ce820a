// Package document reads untrusted YAML and JSON. Size, depth, aliases, nodes and time are bounded before and during
// parsing. Duplicate keys of a map are refused, because parsers differ in which value wins.
package document

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// Limits are the limits of one document. Nodes includes the nodes that aliases stand for.
type Limits struct{ Bytes, Depth, Aliases, Nodes int }

// DefaultBytes is the default maximum size of a document, which SetMaxBytes changes.
const DefaultBytes = 1 << 20

var maxBytes atomic.Int64

// SetMaxBytes sets the maximum size of a document in bytes. It is called once at program start.
func SetMaxBytes(bytes int) { maxBytes.Store(int64(bytes)) }

// DefaultLimits returns the limits of files written by people or programs.
func DefaultLimits() Limits {
	bytes := int(maxBytes.Load())
	if bytes <= 0 {
		bytes = DefaultBytes
	}
	return Limits{Bytes: bytes, Depth: 100, Aliases: 100, Nodes: max(100_000, bytes/10)}
}

// Position is a position in a text. Line and column count from 1.
type Position struct{ Line, Column int }

func (p Position) String() string { return fmt.Sprintf("line %d, column %d", p.Line, p.Column) }

// Problem is one reason to reject a document. Path leads to the value, if known.
type Problem struct {
	Position
	Path    []string
	Message string
}

// Error holds the problems of a document, in order. There is at least one.
type Error struct {
	Problems []Problem
	cause    error
}

func (e *Error) Error() string {
	lines := lists.Map(e.Problems, func(p Problem) string { return p.String() + ": " + p.Message })
	return strings.Join(lines, "\n")
}

// Unwrap returns the error of the parser.
func (e *Error) Unwrap() error { return e.cause }

func refused(at Position, format string, args ...any) *Error {
	return &Error{Problems: []Problem{{Position: at, Message: fmt.Sprintf(format, args...)}}}
}

func tooLong(limit int) *Error {
	size := fmt.Sprintf("%d bytes", limit)
	if limit%(1<<20) == 0 {
		size = fmt.Sprintf("%d MB", limit>>20)
	}
	return refused(Position{1, 1}, "it is longer than %s (documents.max_bytes)", size)
}

// endError returns the error for a canceled call or a document that takes too long.
func endError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return apperr.New(apperr.Unavailable, "The call was canceled").
			WithHint("Call again if you still need the answer").Because(ctx.Err())
	}
	return apperr.New(apperr.QueryTimeout, "Reading the document took too long").WithHint("Split the document").
		Because(ctx.Err())
}

func repeatedKey(at Position, path []string, key string, first Position) Problem {
	return Problem{at, path, fmt.Sprintf("the key %q already exists, at %s", shorten(key), first)}
}

const maxKeyLength = 100 // characters of a key in messages

func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxKeyLength {
		return string(runes[:maxKeyLength]) + "..."
	}
	return text
}

func child(path []string, part string) []string {
	return append(path[:len(path):len(path)], part)
}

func index(i int) string { return strconv.Itoa(i) }
