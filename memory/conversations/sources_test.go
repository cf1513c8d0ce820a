package conversations_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"nomograph/graph/graphtest"
)

// TestStatements_OfSources_NameAllSources: a statement that seeks a session by its external id needs every source of
// the index, so a new constant in transcripts must be in the list.
func TestStatements_OfSources_NameAllSources(t *testing.T) {
	read := func(path string, block, item *regexp.Regexp) (found []string) {
		text := graphtest.Must(os.ReadFile(filepath.FromSlash(path)))(t)
		for _, match := range item.FindAllSubmatch(block.Find(text), -1) {
			found = append(found, string(match[1]))
		}
		slices.Sort(found)
		return found
	}
	want := read("../transcripts/transcript.go",
		regexp.MustCompile(`(?s)// Sources of conversations\.\nconst \(.*?\n\)`), regexp.MustCompile(`= "([^"]+)"`))
	if len(want) < 8 {
		t.Fatalf("got sources %v, want all constants", want)
	}
	for _, statement := range []string{"memory/session_by_ref", "trace/session_conversation"} {
		if got := read("../../cypher/"+statement+".cypher", regexp.MustCompile(`\.source IN \[.*?\]`),
			regexp.MustCompile(`'([^']+)'`)); !slices.Equal(got, want) {
			t.Errorf("%s: got sources %v, want %v", statement, got, want)
		}
	}
}
