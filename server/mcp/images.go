package mcp

import (
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
)

// picture is an answer that also has an image, such as a plot. Its JSON contains the same data.
type picture interface {
	Image() (mimeType string, data []byte)
}

// addImage adds the image of an answer, if any, for the person. Model providers do not accept SVG and refuse a
// conversation that contains one.
func addImage(result *mcp.CallToolResult, value any) *mcp.CallToolResult {
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
