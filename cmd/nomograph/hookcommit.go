package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
)

// cutLine follows the comment string in the line above which Git cuts a message.
const cutLine = " ------------------------ >8 ------------------------\n"

// automaticComments are the comment characters among which Git chooses with core.commentChar=auto.
const automaticComments = "#;@!$%^&|:"

// storedMessage returns the message that Git stores for the text of a commit's file: without comments, without the
// diff that `git commit -v` adds, and with the white space that the cleanup mode leaves. The option --cleanup of the
// commit is not known here.
func storedMessage(ctx context.Context, text string) (string, error) {
	edited := os.Getenv("GIT_EDITOR") != ":" // Git says so if it opens no editor
	mode, comment := "", "#"
	for setting := range strings.Lines(gitOutput(ctx, "config", "--get-regexp",
		`^(commit\.cleanup|core\.comment(char|string))$`)) {
		name, value, _ := strings.Cut(strings.TrimRight(setting, "\r\n"), " ")
		if name == "commit.cleanup" {
			mode = value
		} else {
			comment = value
		}
	}
	if comment == "auto" {
		comment = automaticComment(text)
	}
	if edited && comment != "" {
		verbose := strings.TrimSpace(gitOutput(ctx, "config", "--get", "commit.verbose"))
		text = withoutDiff(text, comment, mode == "scissors" || verbose != "" && verbose != "false" && verbose != "0")
	}
	arguments := []string{"stripspace"}
	switch {
	case mode == "verbatim":
		return text, nil
	case comment != "" && (mode == "strip" || edited && mode != "whitespace" && mode != "scissors"):
		arguments = []string{"-c", "core.commentChar=" + comment, "-c", "core.commentString=" + comment, "stripspace",
			"--strip-comments"}
	}
	strip := exec.CommandContext(ctx, "git", arguments...)
	strip.Stdin = strings.NewReader(text)
	out, err := strip.Output()
	return string(out), err
}

// withoutDiff cuts a message at the line that Git writes above a diff. Without the setting, `git commit -v` is
// recognized by the diff.
func withoutDiff(text, comment string, always bool) string {
	above, below, found := strings.Cut("\n"+text, "\n"+comment+cutLine)
	if !found {
		return text
	}
	for line := range strings.Lines(below) {
		if always || strings.HasPrefix(line, "diff --") {
			break
		}
		if !strings.HasPrefix(line, comment) && strings.TrimSpace(line) != "" {
			return text
		}
	}
	return strings.TrimPrefix(above+"\n", "\n")
}

// automaticComment returns the comment character that Git chose for a message, by the comments that it wrote at the
// end, or "".
func automaticComment(text string) string {
	if at := strings.Index("\n"+text, cutLine); at > 1 && strings.ContainsRune(automaticComments, rune(text[at-2])) {
		return text[at-2 : at-1]
	}
	last := ""
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			last = line
		}
	}
	if last != "" && strings.ContainsRune(automaticComments, rune(last[0])) {
		return last[:1]
	}
	return ""
}

// gitOutput returns what Git prints, or "" if it fails, for example because a setting does not exist.
func gitOutput(ctx context.Context, arguments ...string) string {
	out, _ := exec.CommandContext(ctx, "git", arguments...).Output()
	return string(bytes.TrimLeft(out, "\n"))
}
