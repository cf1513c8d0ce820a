package engine

import (
	"os"
	"strings"
	"testing"

	"nomograph/internal/apperr"
)

// TestOptions_WithoutHomeFolder_NameNoFolder: otherwise a second engine would be created in the working directory.
func TestOptions_WithoutHomeFolder_NameNoFolder(t *testing.T) {
	unknown := func(...string) (string, error) { return "", apperr.New(apperr.Unavailable, "No home folder") }
	var o Options
	o.Dir, o.homeless = defaultPath("", unknown, "nomograph", "engine")
	if err := o.validate(); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("got %v, want error %s", err, apperr.Unavailable)
	}
	if !strings.HasPrefix(o.path("state.json"), os.DevNull) {
		t.Errorf(`got %s, want o.path("state.json") that starts with %q`, o.path("state.json"), os.DevNull)
	}
	if dir, err := defaultPath("here", unknown); err != nil || !strings.HasSuffix(dir, "here") {
		t.Errorf("got %s %v, want dir that ends in here", dir, err)
	}
}
