package mcp

import (
	"time"

	"github.com/mark3labs/mcp-go/server"

	httpserver "nomograph/server"
)

// Library returns the MCP server, to which tests add tools, resources and prompts.
func (d *Server) Library() *server.MCPServer { return d.mcp }

// LimitStreams sets other limits for streams. Call it before the first stream.
func (d *Server) LimitStreams(limit, ofCaller int) {
	d.streams = httpserver.NewStreams(limit, ofCaller)
}

// VerifyAfter verifies a secret that was valid for a time.
func VerifyAfter(valid time.Duration) error {
	q := newQuestions(func() ([]byte, error) { return []byte("key"), nil })
	secret, err := q.seal(questionState{Caller: "bot"}, valid)
	if err != nil {
		return err
	}
	return q.verify(secret, questionState{Caller: "bot"})
}
