package evidence

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

const (
	margin = 18.0 // millimeters
	line   = 5.0
)

// pdf renders the lines of markdown as PDF on A4 pages.
func (c content) pdf() ([]byte, error) {
	f := fpdf.New("P", "mm", "A4", "")
	f.SetMargins(margin, margin, margin)
	f.SetAutoPageBreak(true, margin)
	f.SetTitle("Evidence", true)
	f.SetCreator("Nomograph", true)
	f.SetCreationDate(c.GeneratedAt)
	f.SetModificationDate(c.GeneratedAt)
	f.AddUTF8FontFromBytes("go", "", goregular.TTF)
	f.AddUTF8FontFromBytes("go", "B", gobold.TTF)
	f.SetFooterFunc(func() {
		f.SetY(-margin + line)
		f.SetFont("go", "", 8)
		f.CellFormat(0, line, fmt.Sprintf("Evidence of %s, page %d", c.GeneratedAt.Format(time.RFC3339), f.PageNo()),
			"", 0, "R", false, 0, "")
	})
	f.AddPage()
	for row := range strings.Lines(c.markdown()) {
		text, style, size := strings.TrimSpace(row), "", 9.0
		switch {
		case strings.HasPrefix(text, "## "):
			text, style, size = text[3:], "B", 13
		case strings.HasPrefix(text, "# "):
			text, style, size = text[2:], "B", 18
		}
		f.SetFont("go", style, size)
		f.MultiCell(0, size*0.5, onPage(text), "", "L", false)
	}
	var out bytes.Buffer
	err := f.Output(&out)
	return out.Bytes(), err
}

func moment(at string) string {
	if at == "" {
		return ""
	}
	return ", " + at
}

// onPage replaces characters that PDF fonts cannot address; they have 65,536 glyphs.
func onPage(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r < ' ':
			return ' '
		case r > 0xFFFF:
			return '\uFFFD'
		}
		return r
	}, text)
}
