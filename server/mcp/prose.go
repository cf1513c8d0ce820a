package mcp

import (
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/tools"
)

// toolErrorCode is the code of a failed tool whose source document requires a protocol error.
const toolErrorCode = -32002

// toolError is the protocol error of such a tool.
type toolError struct {
	tool string
	is   *apperr.Error
}

// Error names the tool and includes the hint.
func (e toolError) Error() string { return fmt.Sprintf("Tool '%s' failed: %s", e.tool, e.is.Error()) }

// Unwrap returns the wrapped error.
func (e toolError) Unwrap() error { return e.is }

// block is an answer with a text for a prompt. The text is "" if JSON was requested.
type block interface{ Block() string }

// proseAnswer replaces the text of an answer for operations that answer in prose. Text with quoted recorded lines
// marks them. A text that only lists names is that of its source document, verbatim, so a second text marks it.
func proseAnswer(o tools.Operation, result *mcp.CallToolResult, value any) *mcp.CallToolResult {
	if written, ok := value.(block); ok && !result.IsError && written.Block() != "" {
		result.Content = []mcp.Content{mcp.NewTextContent(written.Block())}
		return result
	}
	reply, speaks := value.(fmt.Stringer)
	if !speaks || o.Prose == "" || result.IsError {
		return result
	}
	text := reply.String()
	result.Content = []mcp.Content{mcp.NewTextContent(text)}
	if strings.Contains(text, "\n") && !strings.Contains(text, "\n> ") {
		result.Content = append(result.Content, mcp.NewTextContent(render.RecordedSentence))
	}
	return result
}

// failureOf returns an error in the form of the operation.
func failureOf(o tools.Operation, f *apperr.Error) (*mcp.CallToolResult, error) {
	switch o.Prose {
	case tools.ProseAnswers:
		return nil, toolError{o.Name, f}
	case tools.ProseThroughout:
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("Error: " + f.Error())}, IsError: true},
			nil
	}
	return failure(f), nil
}
