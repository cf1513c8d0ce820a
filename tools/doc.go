// Package tools is the catalog of operations. Each operation is declared once: name, description, toolset, permission,
// hints, input and output types, function, and its name in each transport. MCP, REST, the command line and
// docs/reference/tools.md are projections of the catalog and have no logic of their own.
package tools
