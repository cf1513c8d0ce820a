package mcp

import (
	"github.com/mark3labs/mcp-go/server"

	doors "nomograph/server"
)

// Library is what a test gives tools, resources and prompts of its own.
func (d *Door) Library() *server.MCPServer { return d.mcp }

// LimitStreams bounds streams otherwise than the product does. It is called before the first one.
func (d *Door) LimitStreams(most, ofCaller int) { d.streams = doors.NewStreams(most, ofCaller) }
