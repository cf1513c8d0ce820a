// Package shell reads a shell command and tells what it would do, without running it: the programs it starts, the paths it reads,
// writes and deletes, the hosts it contacts, and where data flows. Parse is the entry. Text is a command only where a shell would run it:
// a commit message, a search pattern or the body of a heredoc is data. The package knows no graph.
package shell
