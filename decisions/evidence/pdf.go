package evidence

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"nomograph/internal/render"
)

const (
	margin = 18.0 // millimeters
	line   = 5.0
)

// pdf renders the bundle as PDF on A4 pages, with the same content as markdown.
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
	f.AddUTF8FontFromBytes("mono", "", gomono.TTF)
	f.SetFooterFunc(func() {
		f.SetY(-margin + line)
		f.SetFont("go", "", 8)
		f.CellFormat(0, line, fmt.Sprintf("Evidence of %s, page %d", c.GeneratedAt.Format(time.RFC3339), f.PageNo()), "", 0, "R", false, 0, "")
	})
	write := func(family, style string, size float64, format string, args ...any) {
		f.SetFont(family, style, size)
		f.MultiCell(0, size*0.5, onPage(fmt.Sprintf(format, args...)), "", "L", false)
	}
	f.AddPage()
	write("go", "B", 18, "Evidence")
	f.Ln(line)
	state := "intact"
	if !c.ChainIntact {
		state = "BROKEN: do not rely on this bundle"
	}
	write("go", "", 10, "Created at %s. Pieces of evidence: %d. The hash chain is %s; its head:", c.GeneratedAt.Format(time.RFC3339), c.TotalEvents, state)
	write("mono", "", 8, "%s", render.OrDash(c.ChainHeadHash))
	f.Ln(line)
	for _, class := range []struct {
		name string
		of   Coverage
	}{{"Observed by other systems", c.Coverage.Observed}, {"Attested here", c.Coverage.Attested}} {
		write("go", "", 10, "%s: %d pieces, of which %d are mapped to a control (%.1f %%)", class.name, class.of.Total, class.of.Mapped, class.of.Percent)
	}
	for _, part := range []struct {
		title string
		rows  []Mapping
	}{{"Controls", c.Mappings}, {"Missing evidence", c.Insufficient}} {
		f.Ln(line)
		write("go", "B", 13, "%s", part.title)
		f.Ln(line / 2)
		for _, m := range part.rows {
			write("go", "B", 9, "%s %s, %s", m.Framework, m.FunctionID, m.ControlName)
			write("go", "", 9, "%s (%s, piece %d%s)", render.OneLine(m.Description+m.Reason), m.Class, m.Seq, moment(m.At))
			f.Ln(line / 2)
		}
		if len(part.rows) == 0 {
			write("go", "", 9, "none")
		}
	}
	if len(c.AttestedOnly) > 0 {
		f.Ln(line)
		write("go", "", 10, "Controls with only attested evidence: %s.", strings.Join(c.AttestedOnly, ", "))
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
