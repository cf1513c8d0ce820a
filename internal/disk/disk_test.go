package disk

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"nomograph/internal/apperr"
)

// TestFolders_WithoutHOME_ComeFromTheUserDatabase: the library xdg uses / as the home folder.
func TestFolders_WithoutHOME_ComeFromTheUserDatabase(t *testing.T) {
	who, err := user.Current()
	if err != nil || runtime.GOOS == "windows" || filepath.Dir(who.HomeDir) == who.HomeDir {
		t.Skipf("LEFT OUT: this user is not listed with a home folder: %v", err)
	}
	for _, home := range []string{"", "somewhere/relative"} {
		t.Run(home, func(t *testing.T) {
			for name, value := range map[string]string{"HOME": home, "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "relative",
				"XDG_CACHE_HOME": "~/cache"} {
				t.Setenv(name, value)
			}
			t.Cleanup(xdg.Reload)
			xdg.Reload()
			for name, of := range map[string]func(...string) (string,
				error){"data": Data, "config": Config, "cache": Cache, "home": func(parts ...string) (string, error) {
				home, err := Home()
				return filepath.Join(append([]string{home}, parts...)...), err
			}} {
				got, err := of("nomograph")
				if err != nil || !strings.HasPrefix(got, who.HomeDir+string(filepath.Separator)) {
					t.Errorf("%s: got %s (%v), want a folder in %s", name, got, err, who.HomeDir)
				}
			}
		})
	}
	t.Run("XDG_DATA_HOME takes precedence", func(t *testing.T) {
		dir := t.TempDir()
		t.Setenv("HOME", "")
		t.Setenv("XDG_DATA_HOME", dir)
		t.Cleanup(xdg.Reload)
		xdg.Reload()
		if got, err := Data("nomograph"); err != nil || got != filepath.Join(dir, "nomograph") {
			t.Errorf(`got %s (%v), want got=filepath.Join(dir, "nomograph")`, got, err)
		}
	})
}

func TestListedHome_UnusableEntry_IsAnError(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		who *user.User
		err error
	}{"unknown user": {nil, errors.New("unknown")}, "the root": {&user.User{HomeDir: "/"}, nil},
		"no folder": {&user.User{HomeDir: filepath.Join(dir, "none")}, nil},
		"relative":  {&user.User{HomeDir: "."}, nil}, "empty": {&user.User{}, nil}} {
		if got, err := listedHome(tt.who, tt.err); !apperr.Is(err, apperr.Unavailable) || got != "" {
			t.Errorf(`%s: got %s %v, want %s, ""`, name, got, err, apperr.Unavailable)
		}
	}
	if got, err := listedHome(&user.User{HomeDir: dir}, nil); err != nil || got != dir {
		t.Errorf("got %s %v, want got=%v", got, err, dir)
	}
}

func TestRead_FileThatIsTooLarge_IsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(path, 5); err != nil || string(text) != "12345" {
		t.Errorf("got %q %v, want 12345", text, err)
	}
	if _, err := Read(path, 4); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, err := Read(filepath.Dir(path), 4); !errors.Is(err, ErrNotRegular) {
		t.Error(err)
	}
	if _, err := Read(path+"x", 4); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
