// Package transcripts reads conversations as clients keep or export them: Claude Code's session files, Cursor's transcripts and exports,
// ChatGPT's export, Markdown and JSON lines. It gives what was said message by message, so that a file of any size is read in bounded memory. It
// knows no graph.
package transcripts
