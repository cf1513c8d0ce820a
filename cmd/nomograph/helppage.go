package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/internal/pattern"
	"nomograph/internal/terminal"
)

// helpTexts holds the help of commands that are not operations, and of groups of operations: after "== " and the words
// of the command its short help, then its description, then its examples.
//
//go:embed help.txt
var helpTexts string

// addHelp gives commands their help from helpTexts. Help that depends on constants of the program is set by the
// commands.
func addHelp(root *cobra.Command) {
	for text := range strings.SplitSeq(strings.TrimPrefix(helpTexts, "== "), "\n== ") {
		words, text, _ := strings.Cut(text, "\n")
		short, text, _ := strings.Cut(text, "\n")
		long, examples, _ := strings.Cut(text, "Examples:\n")
		command, rest, err := root.Find(strings.Fields(words))
		if err != nil || command == root || len(rest) > 0 { // not created for these arguments
			continue
		}
		command.Short = cmp.Or(command.Short, short)
		command.Long = cmp.Or(command.Long, strings.Trim(long, "\n"))
		command.Example = cmp.Or(command.Example, strings.TrimRight(examples, "\n"))
	}
}

// wrapHelp wraps help at the width of the terminal. Other output remains unchanged.
func (a *app) wrapHelp(root *cobra.Command) {
	write := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); len(words) > 0 && cmd.Annotations[isGroup] != "" {
			a.misnamed = unknownCommand(cmd, words[0])
			return
		}
		out := cmd.OutOrStdout()
		page := a.form.Page(out)
		if page.Width == 0 {
			write(cmd, args)
			return
		}
		var text bytes.Buffer
		cmd.SetOut(&text)
		write(cmd, args)
		cmd.SetOut(out)
		cmd.Print(wrapText(page, text.String()))
	})
}

// labeled matches a line of a list: a command or flag with its description.
var labeled = pattern.New(`^(?:( +\S+(?: \S+)* {2,})(\S.*)|(  [a-z-]+ )(\p{Lu}.*))$`)

// wrapText wraps prose and lists. Examples stay on one line, so that they can be copied.
func wrapText(page terminal.Page, help string) string {
	var lines []string
	prose := false // whether the previous line was prose
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		list := labeled.FindStringSubmatch(line)
		switch last := len(lines) - 1; {
		case list != nil:
			line = page.HangingIndent(list[1]+list[3], list[2]+list[4])
		case prose && line != "" && !strings.HasPrefix(line, " "):
			lines[last] += " " + line
			continue
		}
		prose = line != "" && !strings.HasPrefix(line, " ")
		lines = append(lines, line)
	}
	for i, line := range lines {
		if line != "" && !strings.HasPrefix(line, " ") {
			lines[i] = page.HangingIndent("", line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
