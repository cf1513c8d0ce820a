package transcripts

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nomograph/internal/disk"
	bounds "nomograph/internal/document" // in this package, document is a conversation
)

// File is a file that may contain conversations.
type File struct {
	Path    string
	Size    int64
	Changed time.Time
	Most    int64 // maximum unpacked size in bytes; 0 means DefaultBytes
	// Called, if not nil, is called for each tool call and result with an id and a time.
	Called func(c *Conversation, call Call)
	// Skipped, if not nil, is called once for each kind of record that is no message, with the number of such records.
	Skipped func(kind string, records int)
	// Untimed, if not nil, is called with the number of records whose time cannot be read. They have the time of the
	// message before.
	Untimed func(records int)
}

// DefaultBytes is the default maximum unpacked size of a file, in bytes.
const DefaultBytes = 2_000_000_000

// Limits of an archive. They are needed because the archive itself states its unpacked sizes.
const (
	maxDirectoryLength = 16 << 20 // bytes of the archive's directory
	maxParts           = 1000     // files with conversations
	// maximum compression ratio of files that unpack to more than maxDocumentLength; text has about 10
	highestRatio = 200
)

func (f File) most() int64 { return cmp.Or(f.Most, DefaultBytes) }

// endings are the file extensions that are read in a folder.
var endings = []string{".jsonl", ".json", ".md", ".markdown", ".zip"}

// ignoredFiles are files of clients that contain no conversation.
var ignoredFiles = []string{"package.json", "package-lock.json", "tsconfig.json", "settings.json", "user.json",
	"message_feedback.json", "model_comparisons.json", "shared_conversations.json",
	"sessions-index.json", "readme.md", "changelog.md", "claude.md", "agents.md", "memory.md"}

// Files returns the files in a folder and its subfolders that may contain conversations, oldest change first. If path
// is a file, it returns only that file. It returns the errors of the file system.
func Files(path string) ([]File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.Mode().IsRegular():
		return []File{{Path: path, Size: info.Size(), Changed: info.ModTime()}}, nil
	case !info.IsDir():
		return nil, disk.ErrNotRegular
	}
	var files []File
	err = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && at == path:
			return err
		case err != nil: // deleted meanwhile, or not readable: continue with the others
			return nil //nolint:nilerr // see above
		case entry.IsDir() && at != path && (entry.Name() == "node_modules" || entry.Name() == ".git" ||
			entry.Name() == "tool-results" || entry.Name() == "memory"):
			return fs.SkipDir
		case entry.IsDir() || !entry.Type().IsRegular():
			return nil
		}
		name := strings.ToLower(entry.Name())
		if !slices.Contains(endings, filepath.Ext(name)) || slices.Contains(ignoredFiles, name) ||
			strings.HasSuffix(name, ".meta.json") || isSessionNote(at) {
			return nil
		}
		info, err := entry.Info()
		if err == nil {
			files = append(files, File{Path: at, Size: info.Size(), Changed: info.ModTime()})
		}
		return nil
	})
	slices.SortStableFunc(files, func(a, b File) int { return a.Changed.Compare(b.Changed) })
	return files, err
}

// isSessionNote reports whether a file is a note that Copilot CLI stores next to the events of a session.
func isSessionNote(path string) bool {
	path = filepath.ToSlash(path)
	return strings.Contains(path, "/.copilot/session-state/") && !strings.HasSuffix(path, "/events.jsonl")
}

// Read returns the messages of a file. For a file without a conversation, it yields one Problem. Data appended during
// the reading may be missed; the next reading finds it.
func (f File) Read() Sequence {
	return func(yield func(Utterance, error) bool) {
		r := f.reading(yield)
		err := r.open()
		if err == nil && !r.yielded {
			err = errors.New("it contains no message")
		}
		if err != nil {
			r.emit(Utterance{}, &Problem{f.Path, err.Error()})
		}
		r.end()
	}
}

func (r *reading) open() error {
	opened, err := disk.Open(r.file.Path)
	if err != nil {
		return errors.New(reason(err))
	}
	defer func() { _ = opened.Close() }()
	info, err := opened.Stat()
	switch {
	case err != nil:
		return errors.New(reason(err))
	case info.Size() > r.file.most():
		return r.tooLarge(info.Size())
	case strings.EqualFold(filepath.Ext(r.file.Path), ".zip"):
		return r.zip(opened, info.Size())
	}
	// the file may grow meanwhile
	r.whole = func() io.Reader { return bounds.NewReader(io.NewSectionReader(opened, 0, r.file.most())) }
	return r.read(opened)
}

func (r *reading) tooLarge(bytes int64) error {
	return fmt.Errorf("it has %d MB, and imports.max_bytes allows %d", bytes/1_000_000, r.file.most()/1_000_000)
}

// zip reads ChatGPT's export as a zip archive. It checks all sizes before it reads any entry.
func (r *reading) zip(opened *os.File, size int64) error {
	at := &directory{ReaderAt: opened, left: maxDirectoryLength}
	archive, err := zip.NewReader(at, size)
	switch {
	case at.left < 0:
		return fmt.Errorf("its directory is larger than %d MB", maxDirectoryLength>>20)
	case err != nil:
		return errors.New("not a zip archive, or damaged")
	}
	at.opened = true
	var parts []*zip.File
	var all int64
	for _, entry := range archive.File {
		name := filepath.Base(entry.Name)
		if ok, _ := filepath.Match("conversations*.json", name); !ok {
			continue
		}
		unpacked := int64(min(entry.UncompressedSize64, math.MaxInt32<<16))
		if all += unpacked; all > r.file.most() {
			return fmt.Errorf("unpacked, %w", r.tooLarge(all))
		}
		if unpacked > maxDocumentLength && entry.UncompressedSize64/max(entry.CompressedSize64, 1) > highestRatio {
			return fmt.Errorf("its %s unpacks to more than %d times its size", name, highestRatio)
		}
		if parts = append(parts, entry); len(parts) > maxParts {
			return fmt.Errorf("it has more than %d files with conversations", maxParts)
		}
	}
	if len(parts) == 0 {
		return errors.New("it contains no conversations.json")
	}
	for _, entry := range parts {
		unpacked, err := entry.Open()
		if err != nil {
			return errors.New("its " + filepath.Base(entry.Name) + " cannot be read")
		}
		err = r.documents(bufio.NewReaderSize(bounds.NewReader(unpacked),
			maxSniffLength)) // archive/zip stops at the size that the entry states
		_ = unpacked.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// directory limits the bytes that are read for the archive's directory.
type directory struct {
	io.ReaderAt
	left   int
	opened bool
}

func (d *directory) ReadAt(p []byte, at int64) (int, error) {
	if !d.opened {
		if d.left -= len(p); d.left < 0 {
			return 0, io.ErrUnexpectedEOF
		}
	}
	return d.ReaderAt.ReadAt(p, at)
}

const maxSniffLength = 64 << 10

// read detects the format of a file and reads it.
func (r *reading) read(from io.Reader) error {
	in := bufio.NewReaderSize(bounds.NewReader(io.LimitReader(from, r.file.most())), maxSniffLength)
	head, err := in.Peek(maxSniffLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return errors.New(reason(err))
	}
	trimmed := bytes.TrimSpace(head)
	switch ending := strings.ToLower(filepath.Ext(r.file.Path)); {
	case len(trimmed) == 0:
		return nil
	case ending == ".md" || ending == ".markdown":
		return r.markdown(in)
	case ending == ".jsonl" || ending == ".ndjson": // not checked for zero bytes: a crash can leave them in a line, and only that line is lost
		return r.lines(in)
	case bytes.IndexByte(head, 0) >= 0:
		return errors.New("not a text file")
	case trimmed[0] == '{' && severalLines(trimmed):
		return r.lines(in)
	case trimmed[0] == '{' || trimmed[0] == '[':
		return r.documents(in)
	case ending == ".txt" || ending == "":
		return r.markdown(in)
	}
	return errors.New("not JSON, JSON lines or Markdown")
}

// severalLines reports whether a text that begins with an object has one object in each line: the first line is
// complete and more follow, or it is damaged and the next ones are complete.
func severalLines(trimmed []byte) bool {
	first, rest, more := bytes.Cut(trimmed, []byte("\n"))
	if more && json.Valid(bytes.TrimSpace(first)) {
		return true
	}
	second, rest, _ := bytes.Cut(rest, []byte("\n"))
	third, _, more := bytes.Cut(rest, []byte("\n"))
	third = bytes.TrimSpace(third)
	return isObject(second) && (isObject(third) || !more &&
		(len(third) == 0 || third[0] == '{')) // the end of the last line may be missing
}

func isObject(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] == '{' && json.Valid(line)
}

const maxLineLength = 32 << 20 // bytes of a line; longer ones are skipped and reported

// eachLine calls visit for each non-blank line, with its number from 1, and tooLong for lines over the limit. whole is
// false for a last line without a line feed. The bytes are valid until the next call.
func eachLine(in *bufio.Reader, visit func(number int, line []byte, complete bool), tooLong func(number int)) error {
	var line []byte
	long := false
	for number := 1; ; {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLineLength; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return errors.New(reason(err))
		}
		switch {
		case long:
			tooLong(number)
		case len(bytes.TrimSpace(line)) > 0:
			visit(number, line, err == nil)
		}
		if err != nil {
			return nil //nolint:nilerr // end of file
		}
		number++
		long = false
		if line = line[:0]; cap(line) > 4<<20 { // do not keep the memory of one long line
			line = nil
		}
	}
}

func (r *reading) place(line int) string { return fmt.Sprintf("%s:%d", r.file.Path, line) }

// reasonOf returns why a line or value is not text; its place is known.
func reasonOf(err error) string {
	var refused *bounds.Error
	if errors.As(err, &refused) {
		return refused.Problems[0].Message
	}
	return err.Error()
}

// reason returns an error text without the path, which the caller adds.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// clean returns a text without zero bytes, which JSON can escape. Texts that are cut within a character end before it.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}
