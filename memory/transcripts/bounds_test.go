package transcripts

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

const spoken = `{"id": "%s", "messages": [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "So."}]}`

// heardOf reads a file and returns the ids of conversations with messages, and the problems.
func heardOf(t *testing.T, f File) (ids []string, problems string) {
	t.Helper()
	seen := map[string]bool{}
	for text, err := range f.Read() {
		var problem *Problem
		switch {
		case errors.As(err, &problem):
			problems += problem.Why + "\n"
		case err != nil:
			t.Fatal(err)
		case !text.Over && !seen[text.ExternalID]:
			seen[text.ExternalID] = true
			ids = append(ids, text.ExternalID)
		}
	}
	return ids, problems
}

func archived(t *testing.T, write func(*zip.Writer) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "export.zip")
	file := graphtest.Must(os.Create(path))(t)
	w := zip.NewWriter(file)
	graphtest.OK(t, errors.Join(write(w), w.Close(), file.Close()))
	return path
}

func part(w *zip.Writer, name string, texts ...io.Reader) error {
	entry, err := w.Create(name)
	if err == nil {
		_, err = io.Copy(entry, io.MultiReader(texts...))
	}
	return err
}

// blanks is a reader of this number of spaces.
type blanks int

func (b *blanks) Read(p []byte) (int, error) {
	if *b == 0 {
		return 0, io.EOF
	}
	n := min(len(p), int(*b))
	copy(p, bytes.Repeat([]byte(" "), n))
	*b -= blanks(n)
	return n, nil
}

// TestZip_TooLargeUnpacked_YieldsNothing checks that the claimed size refuses a file before anything is read, so
// nothing is imported in part.
func TestZip_TooLargeUnpacked_YieldsNothing(t *testing.T) {
	first := strings.NewReader("[" + fmt.Sprintf(spoken, "a") + ",")
	for name, tt := range map[string]struct {
		most  int64
		write func(*zip.Writer) error
		why   string
	}{
		"one part": {0, func(w *zip.Writer) error {
			many := blanks(100 << 20)
			return part(w, "conversations.json", first, &many, strings.NewReader("]"))
		}, "times its size"},
		"several parts": {1000, func(w *zip.Writer) error {
			for i := range 10 {
				if err := part(w, fmt.Sprintf("conversations-%d.json", i),
					strings.NewReader("["+fmt.Sprintf(spoken, "a")+"]")); err != nil {
					return err
				}
			}
			return nil
		}, "imports.max_bytes"},
		"many parts": {0, func(w *zip.Writer) error {
			for i := range maxParts + 1 {
				if err := part(w, fmt.Sprintf("%d/conversations.json", i),
					strings.NewReader("["+fmt.Sprintf(spoken, "a")+"]")); err != nil {
					return err
				}
			}
			return nil
		}, "more than 1000 files"},
		"a long directory": {0, func(w *zip.Writer) error {
			if err := part(w, "conversations.json", strings.NewReader("["+fmt.Sprintf(spoken, "a")+"]")); err != nil {
				return err
			}
			for i := range 300 {
				if _, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("%d%s", i,
					strings.Repeat("x", 60_000))}); err != nil {
					return err
				}
			}
			return nil
		}, "its directory is larger than"},
		"a claim that is not true": {0, func(w *zip.Writer) error {
			var packed bytes.Buffer
			deflate, err := flate.NewWriter(&packed, flate.BestCompression)
			if err != nil {
				return err
			}
			many := blanks(8 << 20)
			if _, err := io.Copy(deflate, io.MultiReader(strings.NewReader("["), &many,
				strings.NewReader(fmt.Sprintf(spoken, "a")+"]"))); err != nil {
				return err
			}
			if err := deflate.Close(); err != nil {
				return err
			}
			entry, err := w.CreateRaw(&zip.FileHeader{Name: "conversations.json", Method: zip.Deflate,
				CompressedSize64: uint64(packed.Len()), UncompressedSize64: 100})
			if err == nil {
				_, err = entry.Write(packed.Bytes())
			}
			return err
		}, "not a valid zip file"},
	} {
		t.Run(name, func(t *testing.T) {
			ids, problems := heardOf(t, File{Path: archived(t, tt.write), Most: tt.most})
			if len(ids) > 0 || !strings.Contains(problems, tt.why) {
				t.Errorf("it says %v: %s", ids, problems)
			}
		})
	}
	ids, problems := heardOf(t, File{Path: archived(t, func(w *zip.Writer) error {
		return part(w, "conversations.json", strings.NewReader("["+fmt.Sprintf(spoken, "a")+","+
			fmt.Sprintf(spoken, "b")+"]"))
	})})
	if len(ids) != 2 || problems != "" {
		t.Errorf("an honest one says %v: %s", ids, problems)
	}
}

// TestDocuments_TooLong_OnlyThatOneIsSkipped also checks that memory does not grow with the document.
func TestDocuments_TooLong_OnlyThatOneIsSkipped(t *testing.T) {
	write := func(name string, texts ...io.Reader) File {
		path := filepath.Join(t.TempDir(), name)
		file := graphtest.Must(os.Create(path))(t)
		graphtest.Must(io.Copy(file, io.MultiReader(texts...)))(t)
		graphtest.OK(t, file.Close())
		return File{Path: path}
	}
	many := blanks(300 << 20)
	f := write("c.json", strings.NewReader("["+fmt.Sprintf(spoken, "a")+`, {"title": "`), &many,
		strings.NewReader(`"},`+fmt.Sprintf(spoken, "b")+"]"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ids, problems := heardOf(t, f)
	runtime.ReadMemStats(&after)
	if len(ids) != 2 || ids[1] != "b" || !strings.Contains(problems, "longer than 64 MB") {
		t.Errorf("it says %v: %s", ids, problems)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 400<<20 {
		t.Errorf("%d MB were allocated", grown>>20)
	}
	few := blanks(1 << 20)
	f = write("c.json", strings.NewReader("["+fmt.Sprintf(spoken, "a")), &few, strings.NewReader("]"))
	f.Most = 1 << 20
	if ids, problems := heardOf(t, f); len(ids) > 0 || !strings.Contains(problems, "imports.max_bytes") {
		t.Errorf("file over the limit: got %v, %s, want no sessions and imports.max_bytes named", ids, problems)
	}
	deep := func(levels int) string {
		return `{"id": "d", "role": "user", "content": ` +
			strings.Repeat(`[{"type": "tool_result", "content": `, levels) + `"x"` + strings.Repeat("}]", levels) + "}"
	}
	for name, text := range map[string]string{"d.json": "[" + deep(5000) + "," + fmt.Sprintf(spoken, "e") + "]",
		"d.jsonl": deep(5000) + "\n" + `{"session": "e", "role": "user", "content": "How?"}` + "\n"} {
		if ids, problems := heardOf(t, write(name, strings.NewReader(text))); len(ids) != 1 || ids[0] != "e" ||
			!strings.Contains(problems, "more than 100 levels deep") {
			t.Errorf("%s says %v: %s", name, ids, problems)
		}
	}
	for _, broken := range []string{`[{"id": "a"`, `[`, `[{},`, `[1]`, `[{} {}]`, `["` + strings.Repeat("x", 100)} {
		if ids, problems := heardOf(t, write("b.json", strings.NewReader(broken))); len(ids) > 0 || problems == "" {
			t.Errorf("%.20s says %v: %s", broken, ids, problems)
		}
	}
	if ids, problems := heardOf(t, write("e.json", strings.NewReader(" [ ] "))); len(ids) > 0 ||
		!strings.Contains(problems, "it contains no message") {
		t.Errorf("an empty list says %v: %s", ids, problems)
	}
	content := blanks(40 << 20)
	if ids, problems := heardOf(t, write("m.md",
		strings.NewReader("## User\nHow?\n"+strings.Repeat(strings.Repeat("x", 1<<20)+"\n", 34)),
		&content)); len(ids) != 1 || !strings.Contains(problems, "32 MB") {
		t.Errorf("Markdown says %v: %s", ids, problems)
	}
}
