// Package transcripts reads conversations as clients store or export them: Claude Code's session files, Cursor's
// transcripts and exports, ChatGPT's export, Markdown and JSON lines. It streams messages, so memory is bounded for
// files of any size. It reads no graph.
package transcripts
