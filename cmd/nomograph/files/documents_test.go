package files

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/internal/document/documenttest"
	"nomograph/internal/golden"
)

// TestDocuments_FolderOrPattern_ListsItsFiles: each file once, in order, as validate, test and apply process them.
func TestDocuments_FolderOrPattern_ListsItsFiles(t *testing.T) {
	cases := golden.Rows(t, "testdata/documents.txt")
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"packs/b.yaml", "packs/a.yml", "packs/C.YAML", "packs/deep/d.yaml", "packs/notes.txt",
		"packs/.hidden.yaml", "packs/.git/e.yaml",
		"packs/a.yml.sig", "packs/[odd].yaml", "none/notes.txt"} {
		path := filepath.FromSlash(name)
		graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		graphtest.OK(t, os.WriteFile(path, []byte("signed\n"), 0o600))
	}
	for _, row := range cases {
		args, files, problem, code := row[0], row[1], row[2], apperr.Code(row[3])
		t.Run(args, func(t *testing.T) {
			documents, err := Documents(strings.Fields(args))
			if problem != "" {
				if !apperr.Is(err, code) || !strings.Contains(err.Error(), problem) {
					t.Errorf("got %v, want %s with %q", err, code, problem)
				}
				return
			}
			var names []string
			for _, d := range documents {
				names = append(names, filepath.ToSlash(filepath.Clean(d["name"])))
				if d["name"] != "core" && d["text"] != "signed\n" ||
					(d["signature"] != "") != strings.HasSuffix(d["name"], "a.yml") {
					t.Errorf("the document is %v", d)
				}
			}
			if err != nil || !slices.Equal(names, strings.Fields(files)) {
				t.Errorf("got %v %v, want %s", names, err, files)
			}
		})
	}
}

func TestDocuments_Encodings_AreReadAlike(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, encode := range documenttest.Accepted {
		graphtest.OK(t, os.WriteFile("a.yaml", encode("pack: é\nversion: 1.0.0\n"), 0o600))
		read, err := Documents([]string{"./a.yaml"})
		if err != nil || strings.ReplaceAll(read[0]["text"], "\r\n", "\n") != "pack: é\nversion: 1.0.0\n" {
			t.Errorf("%s: got %q (%v)", name, read, err)
		}
	}
}

// TestDocuments_InvalidUTF8_NamesThePosition: decoding would replace letters of the author. A file that is too long
// may be cut within a letter; its error is the length.
func TestDocuments_InvalidUTF8_NamesThePosition(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{"": "./a.yaml:1:1: the file is empty",
		"name: é\nsays: \xff\xfe\n":                "./a.yaml cannot be read: line 2, column 7: byte 16 (0xFF) is not UTF-8",
		"name: \uFFFD é\n":                         "",
		strings.Repeat("é", document.DefaultBytes): ""} {
		graphtest.OK(t, os.WriteFile("a.yaml", []byte(text), 0o600))
		_, err := Documents([]string{"./a.yaml"})
		if want == "" && err != nil || want != "" &&
			(!apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), want) ||
				apperr.From(err).Hint == "") {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}
