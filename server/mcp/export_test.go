package mcp

import "github.com/mark3labs/mcp-go/server"

// Library is what a test gives tools, resources and prompts of its own.
func (d *Door) Library() *server.MCPServer { return d.mcp }
