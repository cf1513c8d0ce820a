package mcp

import (
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/tools"
)

// toolErrorCode is that of a failed tool whose source document has it fail as an error of the protocol.
const toolErrorCode = -32002

// toolError is such a failure.
type toolError struct {
	tool string
	is   *apperr.Error
}

// Error names the tool, and says what to do.
func (e toolError) Error() string { return fmt.Sprintf("Tool '%s' failed: %s", e.tool, e.is.Error()) }

// Unwrap gives the fault.
func (e toolError) Unwrap() error { return e.is }

// block is an answer that was asked for as a text to be put into a prompt as it is; "" where it was not.
type block interface{ Block() string }

// worded puts what people read in the place of the text of an answer, for operations that answer so. A text that quotes its recorded
// lines says what they are; one that only lists names is that of its source document to the letter, so another text says it.
func worded(o tools.Operation, result *mcp.CallToolResult, value any) *mcp.CallToolResult {
	if written, ok := value.(block); ok && !result.IsError && written.Block() != "" {
		result.Content = []mcp.Content{mcp.NewTextContent(written.Block())}
		return result
	}
	said, speaks := value.(fmt.Stringer)
	if !speaks || o.Prose == "" || result.IsError {
		return result
	}
	text := said.String()
	result.Content = []mcp.Content{mcp.NewTextContent(text)}
	if strings.Contains(text, "\n") && !strings.Contains(text, "\n> ") {
		result.Content = append(result.Content, mcp.NewTextContent(render.RecordedSentence))
	}
	return result
}

// failureOf says what went wrong in the way of the operation.
func failureOf(o tools.Operation, f *apperr.Error) (*mcp.CallToolResult, error) {
	switch o.Prose {
	case tools.ProseAnswers:
		return nil, toolError{o.Name, f}
	case tools.ProseThroughout:
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("Error: " + f.Error())}, IsError: true}, nil
	}
	return failure(f), nil
}
