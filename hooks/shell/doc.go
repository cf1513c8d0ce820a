// Package shell protects against mistakes and against instructions that a model followed, in the forms that agents
// write. It does not chase a person who hides a command.
//
// It parses a command and reports its effects without running it: programs, paths read, written and deleted, hosts
// contacted, and data flows. Parse is the entry point. Text counts as a command only where a shell would run it: a
// commit message, a search pattern or the body of a heredoc is data. The package reads no graph.
//
// # From a command to its effects
//
//	text --parse--> statements --stmt--> words --expand--> values
//	                    ^                                    |
//	    code that the   |                           run, one call of a program
//	    program runs    |                                    |
//	                    +--- handler, operations, rows of packs, unknownProgram
//	                                                         |
//	             read, write, remove, send, noteCode --> Effects: places, flows
//
// The steps:
//
//  1. parse (shell.go) makes a syntax tree: Bash first, then zsh and mksh. translate (powershell.go) turns code of
//     PowerShell and cmd into a script with the same effects. It also reads text that no parser accepts, as simple
//     commands.
//  2. state (state.go) is the shell while it runs: variables, arrays, functions, descriptors, the directory, and the
//     files that the command has written. child is a subshell. statements.go walks the tree in the order of execution.
//     A branch that might not run is conditional: what it assigns is one more alternative, and what it writes is
//     appended.
//  3. A word becomes values (expand.go). A value has its text as far as it is known, incomplete if a part is missing,
//     and labels that say where the data comes from: a secret, the network, decoding. A word may have several
//     alternatives.
//  4. run (statements.go) takes the words of one call and finds the handler of the program. programGroups
//     (handlers.go) lists the handlers, which are in files by kind: files.go, text.go, transfers.go, git.go. A wrapper
//     such as sudo or xargs runs the rest of its words. A program without a handler is an unknownProgram: what goes in
//     may come out.
//  5. A handler notes effects and returns what the program prints, which flows into the next program, a file or a
//     variable. read, write and remove note paths, and places.go says what a path belongs to. send notes data that
//     leaves the machine.
//  6. noteCode gets the labels of everything that is run as code. A flow is a label at the wrong place: a secret at
//     send, network or decoded data at noteCode.
//  7. Code of other languages is not parsed. scanCode (code.go) looks for calls that start programs, delete, read,
//     write, send and evaluate, and applies them to the texts next to them. foldTexts (fold.go) first computes texts
//     that code builds from parts.
//
// # Tables
//
// Most knowledge is in tables with one line for each entry. operations.tsv maps the words of a call to a meaning.
// programs.tsv lists programs by their role: they run others, run code, install packages or manage other systems, and
// their options take values. places.tsv says what a path belongs to. functions.tsv lists functions of other
// languages by what they do, and cmdlets.tsv maps cmdlets and aliases of PowerShell to programs. A new program needs a
// handler only if it moves data or runs commands in a way that no table can say.
//
// # Unknown parts
//
// An incomplete value never counts as harmless text. Code that consists only of an unknown value is HiddenCode.
// maxSteps, maxDepth, maxNesting and maxText bound the work. A command beyond them is TooComplex, and rules stop it.
package shell
