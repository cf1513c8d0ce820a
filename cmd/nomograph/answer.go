package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/files"
	"nomograph/cmd/nomograph/output"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/tools"
)

// answer prints the answer of an operation: the text for people, or the whole answer.
func (a *app) answer(cmd *cobra.Command, o tools.Operation, out any) error {
	w := cmd.OutOrStdout()
	a.form.Schema, a.form.Recorded = o.Output(), o.Recorded()
	if path, _ := cmd.Flags().GetString("out"); path != "" && o.CLI.Document != "" {
		return a.writeDocument(cmd, o, out, path)
	}
	if a.form.Name == "markdown" {
		return a.answerMarkdown(w, o, out)
	}
	if len(a.form.Fields) > 0 || a.form.Name != "" || o.CLI.Print+o.CLI.Document == "" {
		return a.form.Print(w, out)
	}
	text, err := output.Text(out, o.CLI.Print+o.CLI.Document)
	switch {
	case err != nil:
		return err
	case text == "":
		return a.form.Print(w, out)
	}
	output.Notes(cmd.ErrOrStderr(), out, text)
	text = strings.TrimSuffix(text, "\n") + "\n"
	switch {
	case o.CLI.Document == "":
		page := a.form.Page(w)
		if strings.HasPrefix(text, "#") { // all other texts are written for terminals
			text = page.Markdown(text)
		}
		text = page.Finish(text)
	case output.OnTerminal(w):
		text = render.EscapeControl(text)
	}
	return output.Write(w, text)
}

// answerMarkdown prints the Markdown of an answer, as a comment on a pull request needs it.
func (a *app) answerMarkdown(w io.Writer, o tools.Operation, out any) error {
	for _, name := range []string{o.CLI.Print, o.CLI.Document, "markdown"} {
		if text, err := output.Text(out, name); err != nil || text != "" {
			return errors.Join(err, output.Write(w, render.EscapeControl(strings.TrimSuffix(text, "\n")+"\n")))
		}
	}
	return arguments.Usagef("this answer has no Markdown: use another --output")
}

// writeDocument writes the document of an answer to a file, completely or not at all, and prints a message.
func (a *app) writeDocument(cmd *cobra.Command, o tools.Operation, out any, path string) error {
	text, err := output.Text(out, o.CLI.Document)
	if err != nil {
		return err
	}
	if text == "" {
		return apperr.Newf(apperr.Validation, "The answer has no %s to write to a file", o.CLI.Document).
			WithHint("Run the command without --out to see the answer")
	}
	if kind := strings.ToLower(filepath.Ext(path)); o.CLI.Document == "svg" &&
		slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"}, kind) {
		return apperr.Newf(apperr.Validation, "The plot is an SVG, and %s has another extension", path).
			WithHint("Use a file name that ends in .svg")
	}
	text = strings.TrimSuffix(text, "\n") + "\n"
	overwrite, _ := cmd.Flags().GetBool("overwrite")
	if err := files.WriteText(path, overwrite, 0o600, []byte(text)); err != nil {
		return err
	}
	output.Notes(cmd.ErrOrStderr(), out, "")
	return a.form.Print(cmd.OutOrStdout(), writtenFile{path, len(text)})
}

// writtenFile describes a file that was written.
type writtenFile struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
}

func (f writtenFile) String() string { return fmt.Sprintf("wrote %s (%d bytes)\n", f.File, f.Bytes) }
