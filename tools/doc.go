// Package tools is the catalog of operations. Each is declared once: name, sentence, toolset, permission, hints, input
// and output types, function, and how each door spells it. MCP, the command line and docs/tools.md are projections of the
// catalog; none has logic of its own.
package tools
