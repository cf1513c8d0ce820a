package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/internal/render"
)

// Broken is a line that cannot be read.
type Broken struct {
	Line    int64  `json:"line"`
	Problem string `json:"problem"`
}

// readLines passes each line except the header and the end to visit, and unreadable lines to broken. An error of
// either ends the reading. The result describes a problem of the file as a whole, "" if there is none.
func readLines(r io.Reader, visit func(l line, bytes int64) error, broken func(Broken) error) (problem string,
	err error) {
	lines := bufio.NewScanner(document.NewReader(r))
	lines.Buffer(nil, maxLineLength)
	lines.Split(scanLinesWithEnds)
	sum, seen := sha256.New(), end{}
	var number, read int64
	var last *end
	for lines.Scan() {
		number++
		text := bytes.ReplaceAll(lines.Bytes(), []byte("\r\n"),
			[]byte("\n")) // an export has no CR, so a shell added it
		read += int64(len(text))
		seen.SHA256 = ""
		if last != nil {
			return fmt.Sprintf("Line %d comes after the end line", number), nil
		}
		l, err := parseLine(bytes.TrimSpace(text))
		l.number = number
		switch {
		case number == 1:
			if err := l.checkHeader(err); err != nil {
				return "", err
			}
		case err == nil && l.Nomograph != "":
			err = errors.New("a second header")
		case err == nil && l.End != nil:
			seen.SHA256 = hex.EncodeToString(sum.Sum(nil))
			last = l.End
		}
		sum.Write(text)
		switch {
		case err != nil:
			if err := broken(Broken{number, err.Error()}); err != nil {
				return "", err
			}
		case number > 1 && last == nil:
			seen.count(l)
			if err := visit(l, read); err != nil {
				return "", err
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return "", apperr.Newf(apperr.Validation, "Line %d is longer than %d MB", number+1, maxLineLength>>20).
			WithHint("The archive is damaged; export it again with `export_graph`")
	case err != nil:
		return "", unreadable(err)
	case number == 0:
		return "", apperr.New(apperr.Validation, "The archive is empty").
			WithHint("Create an archive with `export_graph`")
	case last == nil:
		return fmt.Sprintf("It ends after line %d without an end line, so it is incomplete", number), nil
	case *last != seen:
		return fmt.Sprintf("It was changed after the export: it has %s, but its end line says %s", seen, *last), nil
	}
	return "", nil
}

// scanLinesWithEnds is bufio.ScanLines, but keeps line ends, since the checksum covers them.
func scanLinesWithEnds(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func (l line) checkHeader(err error) error {
	switch {
	case err != nil, l.Nomograph != "export":
		return apperr.New(apperr.Validation, "The file is not a Nomograph archive: the first line is not a header").
			WithHint("Create an archive with `export_graph`; other formats have import operations of their own").
			Because(err)
	case l.Format != format:
		return apperr.Newf(apperr.Validation, "The archive has format %d; this Nomograph reads format %d", l.Format,
			format).WithHint("Use a newer Nomograph")
	}
	return nil
}

// String formats the counts for messages.
func (e end) String() string {
	return fmt.Sprintf("%s, %s, %s, SHA-256 %.12s", render.Plural(e.Nodes, "node"), render.Plural(e.Vectors, "vector"),
		render.Plural(e.Relationships, "relationship"), e.SHA256)
}
