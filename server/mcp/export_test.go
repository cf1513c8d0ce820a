package mcp

import (
	"github.com/mark3labs/mcp-go/server"

	httpserver "nomograph/server"
)

// Library returns the MCP server, to which tests add tools, resources and prompts.
func (d *Server) Library() *server.MCPServer { return d.mcp }

// LimitStreams sets other limits for streams. Call it before the first stream.
func (d *Server) LimitStreams(limit, ofCaller int) {
	d.streams = httpserver.NewStreams(limit, ofCaller)
}
