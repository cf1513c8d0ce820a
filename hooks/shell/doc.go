// Package shell parses a shell command and reports its effects without running it: programs, paths read, written and
// deleted, hosts contacted, and data flows. Parse is the entry point. Text counts as a command only where a shell would
// run it: a commit message, a search pattern or the body of a heredoc is data. The package reads no graph.
package shell
