package nomograph_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// release is a folder as `make release` leaves it, with archives for this machine and for Windows.
func release(t *testing.T, root string) (dir string) {
	t.Helper()
	program, err := os.ReadFile(graphtest.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(root, "release")
	jars := filepath.Join(root, "engines", "lib")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.MkdirAll(jars, 0o700),
		os.WriteFile(filepath.Join(jars, "neo4j.jar"), []byte("jar"), 0o600)); err != nil {
		t.Fatal(err)
	}
	sums := ""
	for _, kind := range []string{"", "-full"} {
		name := "nomograph-1.2.3-" + runtime.GOOS + "-" + runtime.GOARCH + kind + ".tar.gz"
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		compressed, _ := gzip.NewWriterLevel(file, gzip.BestSpeed)
		archive := tar.NewWriter(compressed)
		for entry, content := range map[string][]byte{"nomograph": program, "nomograph-hook": []byte("#!/bin/sh\n"),
			"engine/lib/neo4j.jar": []byte("jar")} {
			err = errors.Join(err, archive.WriteHeader(&tar.Header{Name: entry, Mode: 0o755,
				Size: int64(len(content))}))
			_, written := archive.Write(content)
			err = errors.Join(err, written)
		}
		if err := errors.Join(err, archive.Close(), compressed.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		sums += hex.EncodeToString(sum[:]) + "  " + name + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// command runs a program and returns its output.
func command(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	text, err := exec.Command(name, args...).CombinedOutput()
	return string(text), err
}

func onlyInTestAll(t *testing.T, programs ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the packages are made on Linux and macOS")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("LOUD: packages are not tried: %v", err)
		}
	}
}

func TestPackages_FromAnArchive_Install(t *testing.T) {
	onlyInTestAll(t, "python3", "npm", "node")
	root := t.TempDir()
	from, out := release(t, root), filepath.Join(root, "packages")
	if text, err := command(t, "deploy/packages.py", from, out, "1.2.3", "https://example.org/1.2.3"); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	answers := func(t *testing.T, program string) {
		t.Helper()
		text, err := command(t, program, "version")
		if err != nil || !strings.HasPrefix(text, "version") {
			t.Errorf("got %q, %v", text, err)
		}
		var exit *exec.ExitError
		if _, err := command(t, program, "export", "a", "b"); !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Errorf("got %v, want the exit code 2 of the program", err)
		}
	}
	t.Run("wheel", func(t *testing.T) {
		venv := filepath.Join(root, "venv")
		if text, err := command(t, "python3", "-m", "venv", venv); err != nil {
			t.Skipf("LOUD: wheels are not tried, no venv: %s", text)
		}
		if text, err := command(t, filepath.Join(venv, "bin", "pip"), "install", "--quiet", "--no-index",
			"--find-links", out, "nomograph", "nomograph-engine"); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		answers(t, filepath.Join(venv, "bin", "nomograph"))
		if jars, _ := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages", "nomograph_engine", "lib",
			"*.jar")); len(jars) != 1 {
			t.Errorf("got jars %v, want one where the program looks", jars)
		}
	})
	t.Run("npm", func(t *testing.T) {
		project := filepath.Join(root, "project")
		if err := os.Mkdir(project, 0o700); err != nil {
			t.Fatal(err)
		}
		packages, _ := filepath.Glob(filepath.Join(out, "*.tgz"))
		args := append([]string{"install", "--prefix", project, "--offline", "--no-audit", "--no-fund", "--cache",
			filepath.Join(root, "npm")}, packages...)
		if text, err := command(t, "npm", args...); err != nil || len(packages) != 2 {
			t.Fatalf("%v: %s", err, text)
		}
		answers(t, filepath.Join(project, "node_modules", ".bin", "nomograph"))
	})
	t.Run("bundle", func(t *testing.T) {
		bundles, _ := filepath.Glob(filepath.Join(out, "*.mcpb"))
		opened := filepath.Join(root, "bundle")
		if text, err := command(t, "python3", "-m", "zipfile", "-e", bundles[0], opened); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		var manifest struct {
			Server struct {
				EntryPoint string `json:"entry_point"`
			} `json:"server"`
		}
		if err := json.Unmarshal([]byte(read(t, filepath.Join(opened, "manifest.json"))), &manifest); err != nil {
			t.Fatal(err)
		}
		node, modules := toolstest.NPM(t)
		if text, err := command(t, node, filepath.Join(modules, "@anthropic-ai/mcpb/dist/cli/cli.js"), "validate",
			filepath.Join(opened, "manifest.json")); err != nil {
			t.Errorf("%v: %s", err, text)
		}
		program := filepath.Join(opened, manifest.Server.EntryPoint)
		if err := os.Chmod(program, 0o700); err != nil { // Python's zipfile drops modes
			t.Fatal(err)
		}
		answers(t, program)
	})
	t.Run("deb", func(t *testing.T) { installDeb(t, filepath.Join(root, "system"), out) })
	t.Run("lists", func(t *testing.T) {
		if text := read(t, filepath.Join(out, "server.json")); !json.Valid([]byte(text)) ||
			strings.Count(text, `"fileSha256"`) != 1 {
			t.Errorf("got server.json %s", text)
		}
		sums := read(t, filepath.Join(out, "SHA256SUMS"))
		for _, name := range []string{"nomograph-1.2.3.tgz", "nomograph-1.2.3-" + runtime.GOARCH + ".rpm", "server.json", "nomograph.rb",
			"nomograph_engine-1.2.3-py3-none-any.whl"} {
			if !strings.Contains(sums, "  "+name+"\n") {
				t.Errorf("no checksum of %s in %s", name, sums)
			}
		}
		_, sum, _ := strings.Cut(read(t, filepath.Join(from, "SHA256SUMS")),
			"\n") // the second one is of the full archive
		if formula := read(t, filepath.Join(out, "nomograph.rb")); !strings.Contains(formula, `sha256 "`+sum[:64]) ||
			!strings.Contains(formula, "1.2.3") {
			t.Errorf("got formula %s", formula)
		}
	})
}

// place copies a program or a library into the root of another system.
func place(t *testing.T, root, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	to = filepath.Join(root, to)
	if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o755)); err != nil {
		t.Fatal(err)
	}
}

// placeLibrary copies the C library into the root of another system.
func placeLibrary(t *testing.T, root string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("LOUD: not tried on a machine of its own: chroot needs root")
	}
	loaders, _ := filepath.Glob("/lib*/ld-linux-*.so.*")
	if len(loaders) == 0 {
		t.Skip("LOUD: not tried on a machine of its own: no glibc")
	}
	for _, name := range []string{"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"} {
		found, _ := filepath.Glob("/lib/*-linux-gnu/" + name)
		loaders = append(loaders, found...)
	}
	for _, path := range loaders {
		place(t, root, path, path)
	}
}

// installDeb installs and removes the Debian package in a system that has nothing else.
func installDeb(t *testing.T, system, packages string) {
	t.Helper()
	onlyInTestAll(t, "dpkg", "chroot")
	placeLibrary(t, system)
	if err := errors.Join(os.MkdirAll(filepath.Join(system, "var/lib/dpkg/info"), 0o755),
		os.MkdirAll(filepath.Join(system, "var/lib/dpkg/updates"), 0o755),
		os.WriteFile(filepath.Join(system, "var/lib/dpkg/status"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(packages, "*.deb"))
	for _, step := range []struct{ line, says string }{
		{"dpkg --root=" + system + " --install " + strings.Join(files, " "), "Setting up nomograph"},
		{"chroot " + system + " /usr/bin/nomograph version", "version"},
		{"dpkg --root=" + system + " --remove nomograph", "Removing nomograph"},
	} {
		words := strings.Fields(step.line)
		if text, err := command(t, words[0], words[1:]...); err != nil || !strings.Contains(text, step.says) {
			t.Fatalf("%s: got %v and %q, want %q", step.line, err, text, step.says)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(system, "usr/bin")); len(left) > 0 {
		t.Errorf("the package left %v", left)
	}
}

func TestInstallScript_Checksum_IsVerified(t *testing.T) {
	onlyInTestAll(t, "tar")
	root := t.TempDir()
	from, prefix := release(t, root), filepath.Join(root, "prefix")
	install := func(t *testing.T) (string, error) {
		t.Helper()
		return command(t, "env", "NOMOGRAPH_PREFIX="+prefix, "sh", "deploy/install.sh", from)
	}
	program := filepath.Join(prefix, "bin", "nomograph")
	works := func(t *testing.T, after string) {
		t.Helper()
		if text, err := command(t, program, "version"); err != nil {
			t.Errorf("%s: got %q, %v", after, text, err)
		}
		if left, _ := filepath.Glob(filepath.Join(prefix, "lib", ".nomograph-*")); len(left) > 0 {
			t.Errorf("%s: left %v", after, left)
		}
	}
	for range 2 { // the second one replaces the first
		if text, err := install(t); err != nil || !strings.Contains(text, "Installed") {
			t.Fatalf("got %v: %s", err, text)
		}
		works(t, "install")
	}
	sums := read(t, filepath.Join(from, "SHA256SUMS"))
	for name, changed := range map[string]string{
		"another content":    regexp.MustCompile(`(?m)^[0-9a-f]{8}`).ReplaceAllString(sums, "00000000"),
		"no such archive":    strings.ReplaceAll(sums, runtime.GOOS, "plan9"),
		"a path in its name": strings.ReplaceAll(sums, "  nomograph", "  ../nomograph"),
		"two versions":       sums + strings.ReplaceAll(sums, "1.2.3", "1.2.4"),
	} {
		if err := os.WriteFile(filepath.Join(from, "SHA256SUMS"), []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, err := install(t); err == nil {
			t.Errorf("%s: got %s, want an error", name, text)
		}
		works(t, name)
	}
}
