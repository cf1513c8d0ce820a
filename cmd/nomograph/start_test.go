package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"nomograph/graph/graphtest"
)

// droppedPackages allocate much memory at every start, so they must not be imported again.
var droppedPackages = []string{"github.com/mattn/go-runewidth", "github.com/charmbracelet/x/ansi",
	"github.com/zricethezav/gitleaks", "github.com/spf13/viper", "github.com/hashicorp/hcl",
	"github.com/tetratelabs/wazero", "github.com/dlclark/regexp2", "github.com/tiktoken-go/tokenizer",
	"google.golang.org/grpc"}

// TestStart_Version_RunsNoCollection: package heap must be initialized before the libraries that make most of what is
// on the heap then.
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
		if err != nil || len(rest) > 0 || got.CommandPath() != want.CommandPath() ||
			got.UsageString() != want.UsageString() || got.Long != want.Long {
			t.Errorf("%v: got %v, %v and the usage\n%s\nwant\n%s", words, err, rest, got.UsageString(),
				want.UsageString())
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
	for _, args := range [][]string{{"policies", "list"}, {"polcy"}, {"help", "version"},
		{"-q", "version"}} { // the first is an alias of `policy`
		root := (&app{}).root(args)
		if command, _, err := root.Find([]string{"policy", "list"}); err != nil || command.Name() != "list" {
			t.Errorf("%v: got %v, %v, want Name=list", args, command, err)
		}
	}
}

func TestProgram_PackagesWithSlowInit_AreNotLinked(t *testing.T) {
	out := graphtest.Must(exec.Command("go", "list", "-deps", ".").Output())(t)
	for line := range strings.Lines(string(out)) {
		for _, dropped := range droppedPackages {
			if strings.HasPrefix(line, dropped) {
				t.Errorf("%s is linked again: `go mod why` names the importing package", strings.TrimSpace(line))
			}
		}
	}
}
