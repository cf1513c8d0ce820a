package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/document/documenttest"
)

func TestFiles_Encodings_AreReadOrRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		graphtest.OK(t, os.WriteFile(path, content, 0o600))
		return path
	}
	for name, encode := range documenttest.Accepted {
		got := graphtest.Must(readDotenv(write(".env", encode("NOMOGRAPH_AGENT=\"adé\"\nNOMOGRAPH_PROJECT=shop\n"))))(t)
		graphtest.Values(t, name, got["agent"], "adé", got["project"], "shop")
		got = graphtest.Must(readFile(write("config.yaml", encode("agent: adé\nproject: shop\n"))))(t)
		graphtest.Values(t, name, got["agent"], "adé", got["project"], "shop")
	}
	for name, bad := range documenttest.Refused {
		if got, err := readDotenv(write(".env", []byte("# c\nNOMOGRAPH_AGENT=ad"+bad+"\n"))); err == nil ||
			!strings.Contains(err.Error(), "line 2, column 19: byte 23 ") {
			t.Errorf("%s: got %v (%v), want an error at byte 23", name, got, err)
		}
		if got, err := readFile(write("config.yaml", []byte("agent: ad"+bad+"\n"))); err == nil ||
			!strings.Contains(err.Error(), "line 1, column 10: byte 10 ") {
			t.Errorf("%s: got %v (%v), want an error at byte 10", name, got, err)
		}
	}
}

// TestDotenv_InvalidEntry_NamesTheLine: the message must not quote the line, which may contain a password.
func TestDotenv_InvalidEntry_NamesTheLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".env")
	for text, want := range map[string]string{"A=1\n\n# c\n!C=secret\n": ":4 ",
		"A=\"one\ntwo\"\nB=2\n secret !\n": ":4 ", "A=1\nB=\"secret\nC=2\n": ":2 ", "secret\n": ":1 "} {
		graphtest.OK(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := readDotenv(path); err == nil || !strings.Contains(err.Error(), path+want) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want an error at %s without the text", text, err, want)
		}
	}
}
