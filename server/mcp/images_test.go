package mcp

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/graph/graphtest"
	"nomograph/tools"
)

// plotted is an answer with an image.
type plotted struct {
	Title string `json:"title"`
	svg   []byte
}

func (p plotted) Image() (mimeType string, data []byte) { return "image/svg+xml", p.svg }

func TestPlotCalibration_Image_IsBesideTheText(t *testing.T) {
	out := plotted{"Calibration", []byte("<svg/>")}
	result := addImage(answer(tools.Operation{Ours: "a test"}, out), out)
	if len(result.Content) != 2 || result.IsError {
		t.Fatalf("got %+v, want two parts without an error", result)
	}
	graphtest.Equal(t, result.Content[0].(mcp.TextContent).Text, `{"title":"Calibration"}`, "the text")
	image := result.Content[1].(mcp.ImageContent)
	if data, err := base64.StdEncoding.DecodeString(image.Data); err != nil || string(data) != "<svg/>" ||
		image.MIMEType != "image/svg+xml" || image.Type != "image" || len(image.Annotations.Audience) != 1 {
		t.Errorf("the picture is %+v", image)
	}
	if strings.Contains(string(jsonText(result.StructuredContent)), "svg") {
		t.Errorf("the picture is repeated in %v", result.StructuredContent)
	}
	for _, none := range []any{plotted{Title: "nothing to draw"}, "text"} {
		if result := addImage(answer(tools.Operation{Ours: "a test"}, none), none); len(result.Content) != 1 {
			t.Errorf("%v becomes %+v", none, result)
		}
	}
}
