package records

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"nomograph/internal/document"
)

// JSONL reads one record per line (docs/guides/import.md has the form). name is the file's name in messages; source is
// the default source. Lines may end in LF or CRLF; blank ones are skipped.
func JSONL(r io.Reader, name, source string) Sequence {
	return func(yield func(Entry, error) bool) {
		reader := bufio.NewReaderSize(document.NewReader(r), 1<<16)
		for n := 1; ; n++ {
			line, complete, err := readLine(reader)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Entry{}, err)
				return
			}
			if line = bytes.TrimSpace(line); len(line) > 0 {
				e, problem := lineOf(fmt.Sprintf("%s:%d", name, n), source, line, complete)
				if !pass(yield, e, problem) {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
}

// pass yields an entry, or its problem.
func pass(yield func(Entry, error) bool, e Entry, problem *Problem) bool {
	if problem != nil {
		return yield(Entry{Place: problem.Place}, problem)
	}
	return yield(e, nil)
}

// readLine reads a line. For a line that is too long, it returns the beginning and false.
func readLine(r *bufio.Reader) (line []byte, complete bool, err error) {
	complete = true
	maxLength := document.DefaultLimits().Bytes
	for {
		part, err := r.ReadSlice('\n')
		if complete = complete && len(line)+len(part) <= maxLength; complete {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, complete, err
		}
	}
}

func tooLong(what string) string {
	return fmt.Sprintf("%s has more than the %d bytes that documents.max_bytes allows", what,
		document.DefaultLimits().Bytes)
}

func lineOf(place, source string, line []byte, complete bool) (Entry, *Problem) {
	if !complete {
		return Entry{}, &Problem{Place: place, Why: tooLong("the line")}
	}
	var refused *document.Error
	if _, err := document.Decode(line); errors.As(err, &refused) {
		return Entry{}, &Problem{Place: place, Why: refused.Problems[0].Message}
	}
	if err := document.JSON(context.Background(), line, document.DefaultLimits()); errors.As(err, &refused) &&
		refused.Unwrap() == nil {
		return Entry{}, &Problem{Place: place, Why: refused.Problems[0].Message}
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		return Entry{}, &Problem{Place: place, Why: brokenJSON(err)}
	}
	if decoder.More() || values == nil {
		return Entry{}, &Problem{Place: place, Why: "a line must contain one object, {\"id\": ..., \"title\": ...}, and nothing else"}
	}
	return entryOf(place, source, values)
}

// brokenJSON describes an error without quoting the content.
func brokenJSON(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("not JSON: at character %d", syntax.Offset)
	case errors.As(err, &kind):
		return "a line must contain one object, {\"id\": ..., \"title\": ...}"
	}
	return "not JSON: the line ends too early"
}
