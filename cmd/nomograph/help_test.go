package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

func TestHelp_EveryCommand_MatchesTheGoldenFile(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	root := (&app{}).root(nil)
	root.InitDefaultHelpCmd()
	var page, help bytes.Buffer
	root.SetOut(&help)
	var describe func(command *cobra.Command)
	describe = func(command *cobra.Command) {
		if command.Hidden || command.Name() == "help" {
			return
		}
		help.Reset()
		command.InitDefaultHelpFlag()
		if err := command.Help(); err != nil {
			t.Errorf("%s: got %v, want no error", command.CommandPath(), err)
		}
		if strings.Contains(help.String(), "--log-format") {
			t.Errorf("the help of %s lists global flags", command.CommandPath())
		}
		if n := len(command.Short); command != root && (n == 0 || n > 60) {
			t.Errorf("the short help of %s has %d bytes, want 1 to 60: %q", command.CommandPath(), n, command.Short)
		}
		fmt.Fprintf(&page, "$ %s --help\n%s\n", command.CommandPath(), help.String())
		for _, sub := range command.Commands() {
			describe(sub)
		}
	}
	describe(root)
	help.Reset()
	root.SetArgs([]string{"options"})
	graphtest.OK(t, root.Execute())
	fmt.Fprintf(&page, "$ nomograph options\n%s", help.String())
	golden.Check(t, "testdata/help.txt", page.String())
}
