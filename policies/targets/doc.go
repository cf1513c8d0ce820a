// Package targets finds the paths, commands and git branches that an action names, in any spelling, and matches them with
// patterns. Conditions of rules use it.
package targets
