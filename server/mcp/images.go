package mcp

import (
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
)

// picture is an answer that can also be seen, such as a plot. Its JSON says the same without the picture.
type picture interface {
	Image() (mimeType string, data []byte)
}

// seen adds the picture of an answer, where it has one, to what a client shows. It is meant for the person: model providers take
// no SVG, and refuse a conversation that has one.
func seen(result *mcp.CallToolResult, value any) *mcp.CallToolResult {
	p, ok := value.(picture)
	if !ok || result.IsError {
		return result
	}
	if mimeType, data := p.Image(); len(data) > 0 {
		image := mcp.NewImageContent(base64.StdEncoding.EncodeToString(data), mimeType)
		image.Annotations = &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}}
		result.Content = append(result.Content, image)
	}
	return result
}
