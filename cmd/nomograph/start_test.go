package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"nomograph/graph/graphtest"
)

// Limits of what a process may allocate before main. The figures are counted and do not depend on the load of the
// machine. A change that exceeds them makes every command slower: create things on first use instead (package
// pattern, sync.OnceValue).
const (
	maxStartBytes, maxStartAllocations = 2_450_000, 15_000
	maxOwnBytes, maxOwnAllocations     = 400_000, 2_000
	maxPackageBytes                    = 280_000
)

// droppedPackages allocate much memory at every start, so they must not be imported again.
var droppedPackages = []string{"github.com/mattn/go-runewidth", "github.com/charmbracelet/x/ansi", "github.com/zricethezav/gitleaks", "github.com/spf13/viper", "github.com/hashicorp/hcl",
	"github.com/tetratelabs/wazero", "github.com/dlclark/regexp2", "github.com/tiktoken-go/tokenizer", "google.golang.org/grpc"}

func TestStart_WorkBeforeMain_StaysSmall(t *testing.T) {
	cmd := exec.Command(graphtest.Binary(t), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("got %v: %s, want no error", err, out)
	}
	sizes, bytes, allocations, ownBytes, ownAllocations := map[string]int{}, 0, 0, 0, 0
	for line := range strings.Lines(string(out)) {
		var name string
		var at, clock float64
		var size, count int
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &clock, &size, &count); n != 5 {
			continue
		}
		sizes[name] = size
		bytes, allocations = bytes+size, allocations+count
		if name == "main" || strings.HasPrefix(name, "nomograph/") {
			ownBytes, ownAllocations = ownBytes+size, ownAllocations+count
		}
		if size > maxPackageBytes {
			t.Errorf("%s allocates %d bytes before main", name, size)
		}
	}
	if len(sizes) < 50 {
		t.Fatalf("the trace of the start has %d packages:\n%s", len(sizes), out)
	}
	t.Logf("%d packages allocate %d bytes in %d pieces, ours %d in %d", len(sizes), bytes, allocations, ownBytes, ownAllocations)
	if bytes > maxStartBytes || allocations > maxStartAllocations || ownBytes > maxOwnBytes || ownAllocations > maxOwnAllocations {
		largest := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return sizes[b] - sizes[a] })
		t.Errorf("the start allocates %d bytes in %d pieces, our packages %d in %d; the largest are %v", bytes, allocations, ownBytes, ownAllocations, largest[:8])
	}
}

// TestStart_Version_RunsNoCollection: package heap must be initialized before the libraries that make most of what is on the heap then.
func TestStart_Version_RunsNoCollection(t *testing.T) {
	cmd := exec.Command(graphtest.Binary(t), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=gctrace=1", "GOGC=", "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "gc 1 ") {
		t.Errorf(`got %v: %s, want string(out) without "gc 1 "`, err, out)
	}
}

// TestRoot_FirstWord_BuildsTheSameCommand compares a command created alone with the same command when all are created.
func TestRoot_FirstWord_BuildsTheSameCommand(t *testing.T) {
	nowhere(t)
	count := 0
	var compare func(want *cobra.Command)
	compare = func(want *cobra.Command) {
		for _, sub := range want.Commands() {
			compare(sub)
		}
		words := strings.Fields(want.CommandPath())[1:]
		if len(words) == 0 || words[0] == "completion" || words[0] == "help" {
			return
		}
		got, rest, err := (&app{}).root(words).Find(words)
		if err != nil || len(rest) > 0 || got.CommandPath() != want.CommandPath() || got.UsageString() != want.UsageString() || got.Long != want.Long {
			t.Errorf("%v: got %v, %v and the usage\n%s\nwant\n%s", words, err, rest, got.UsageString(), want.UsageString())
		}
		count++
	}
	compare((&app{}).root(nil))
	if count < 150 {
		t.Errorf("got %d commands, want count at least 150", count)
	}
	version := (&app{}).root([]string{"version"}).Commands()
	if len(version) != 1 || version[0].Name() != "version" {
		t.Errorf("got %d commands for `version`, want it alone", len(version))
	}
	for _, args := range [][]string{{"policies", "list"}, {"polcy"}, {"help", "version"}, {"-q", "version"}} { // the first is an alias of `policy`
		root := (&app{}).root(args)
		if command, _, err := root.Find([]string{"policy", "list"}); err != nil || command.Name() != "list" {
			t.Errorf("%v: got %v, %v, want Name=list", args, command, err)
		}
	}
}

func TestProgram_PackagesWithSlowInit_AreNotLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		for _, dropped := range droppedPackages {
			if strings.HasPrefix(line, dropped) {
				t.Errorf("%s is linked again: `go mod why` names the importing package", strings.TrimSpace(line))
			}
		}
	}
}
