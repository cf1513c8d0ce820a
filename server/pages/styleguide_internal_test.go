package pages

import (
	"strconv"
	"strings"

	"nomograph/internal/apperr"
)

// styleguide is the data of the page that shows scales and components.
type styleguide struct{ Colors, Texts, Spaces, Corners []scaled }

// scaled is a value of a scale in style/pages.css.
type scaled struct {
	Name, Value string
	Pixels      float64 // 0 for a color
}

// init adds the page to those of tests. Programs do not serve it.
func init() {
	table = append(table, Page{Name: "styleguide", Path: "/styleguide", Title: "Style guide", Show: showStyleguide})
}

const rootPixels = 16 // default of browsers for 1rem

// showStyleguide reads the scales from the style sheet, so that page and style cannot differ.
func showStyleguide(*Visit) (any, error) {
	text, err := assetFiles.ReadFile("style/pages.css")
	if err != nil {
		return nil, apperr.From(err)
	}
	_, root, _ := strings.Cut(string(text), ":root {")
	root, _, _ = strings.Cut(root, "}")
	var out styleguide
	for _, declaration := range strings.Split(root, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(declaration), ": ")
		name, own := strings.CutPrefix(name, "--")
		if !own {
			continue
		}
		one := scaled{Name: name, Value: value}
		if rem, ok := strings.CutSuffix(value, "rem"); ok {
			number, _ := strconv.ParseFloat(rem, 64) // a test reads the scales
			one.Pixels = number * rootPixels
		}
		switch scale, _, _ := strings.Cut(name, "-"); {
		case one.Pixels == 0:
			out.Colors = append(out.Colors, one)
		case scale == "text":
			out.Texts = append(out.Texts, one)
		case scale == "space":
			out.Spaces = append(out.Spaces, one)
		default:
			out.Corners = append(out.Corners, one)
		}
	}
	return out, nil
}
