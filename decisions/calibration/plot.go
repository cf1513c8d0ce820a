package calibration

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"

	"nomograph/internal/render"
)

// Positions in the plot, in its own units.
const (
	plotWidth, plotHeight = 480, 640

	square           = 360 // the diagram's side
	margin           = 24
	left, top        = 76, 56
	barsTop          = 468
	barsHeight       = 72
	largest, tiniest = 11.0, 3.5 // radius of points
	maxTitle         = 46        // characters that fit; the tooltip has the whole title
)

// plotStyle follows the reader's color scheme; the default is light.
const plotStyle = `<style>
text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:#24292f}
.title{font-size:15px;font-weight:600}.small{font-size:11px;fill:#57606a}.bold{font-weight:600}
.page{fill:#ffffff}.grid{stroke:#d8dee4;stroke-width:1}.frame{fill:none;stroke:#8c959f;stroke-width:1}
.ideal{stroke:#8c959f;stroke-width:1.5;stroke-dasharray:5 4}.curve{fill:none;stroke:#0969da;stroke-width:1.5;stroke-opacity:.55}
.range{stroke:#0969da;stroke-width:1.5}.point{fill:#0969da;fill-opacity:.85;stroke:#ffffff;stroke-width:1}
.all{fill:#d0d7de}.judged{fill:#0969da;fill-opacity:.8}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.small{fill:#9198a1}.page{fill:#0d1117}.grid{stroke:#262c36}.frame,.ideal{stroke:#6e7681}
.curve,.range{stroke:#58a6ff}.point{fill:#58a6ff;stroke:#0d1117}.all{fill:#3d444d}.judged{fill:#58a6ff}}
</style>
`

// plot writes an SVG.
type plot struct {
	bytes.Buffer
	cell *Cell
}

// Plot draws the mean outcome by confidence as a self-contained SVG, without scripts and fonts. The title is plain
// text.
func Plot(c Cell, title string) []byte {
	p := &plot{cell: &c}
	escaped := escape(title)
	p.f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s: %s">`+"\n",
		plotWidth, plotHeight, plotWidth, plotHeight, escaped, escape(p.summary()))
	p.f("<title>%s</title>\n<desc>%s</desc>\n", escaped, escape(p.summary()))
	p.WriteString(plotStyle)
	p.f(`<rect class="page" width="%d" height="%d"/>`+"\n", plotWidth, plotHeight)
	p.f(`<text class="title" x="%d" y="26">%s</text>`+"\n", margin,
		escape(render.Shorten(title, maxTitle)))
	p.axes()
	if c.scoredReviews() == 0 {
		const offset = 130 // to the left of the diagonal
		p.f(`<text class="bold" x="%d" y="%d" text-anchor="middle">nothing reviewed yet</text>`+"\n", left+offset,
			top+offset)
		p.f(`<text class="small" x="%d" y="%d" text-anchor="middle">that had a confidence</text>`+"\n", left+offset,
			top+offset+18)
	} else {
		p.points()
	}
	p.bars()
	p.f(`<text x="%d" y="%d">%s</text>`+"\n", left, plotHeight-40, escape(p.caption()))
	p.f(`<text class="small" x="%d" y="%d">Dashed: confidence that is earned. Lines: 95 %% intervals (Wilson).</text>`+
		"\n", left, plotHeight-20)
	p.WriteString("</svg>\n")
	return p.Bytes()
}

func (p *plot) f(format string, a ...any) { fmt.Fprintf(p, format, a...) }

// x and y convert a value from 0 to 1 to a position.
func x(value float64) float64 { return left + value*square }

func y(value float64) float64 { return top + (1-value)*square }

func (p *plot) axes() {
	for tenth := 0; tenth <= Bins; tenth += 2 {
		at := float64(tenth) / Bins
		p.f(`<path class="grid" d="M%.1f %dV%dM%d %.1fH%d"/>`, x(at), top, top+square, left, y(at), left+square)
		p.f(`<text class="small" x="%.1f" y="%d" text-anchor="middle">%.1f</text>`, x(at), top+square+17, at)
		p.f(`<text class="small" x="%d" y="%.1f" text-anchor="end">%.1f</text>`+"\n", left-8, y(at)+4, at)
	}
	p.f(`<rect class="frame" x="%d" y="%d" width="%d" height="%d"/>`, left, top, square, square)
	p.f(`<path class="ideal" d="M%.1f %.1fL%.1f %.1f"/>`+"\n", x(0), y(0), x(1), y(1))
	p.f(`<text x="%d" y="%d" text-anchor="middle">confidence</text>`, left+square/2, top+square+36)
	p.f(`<text transform="translate(%d %d) rotate(-90)" text-anchor="middle">mean outcome</text>`+"\n", left-46,
		top+square/2)
}

// points draws points whose area is proportional to their number of decisions.
func (p *plot) points() {
	all := curve(p.cell)
	var limit int64
	var line bytes.Buffer
	for i, at := range all {
		limit = max(limit, at.Decisions)
		fmt.Fprintf(&line, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], x(at.MeanConfidence),
			y(at.MeanOutcome))
	}
	p.f(`<path class="curve" d="%s"/>`+"\n", line.String())
	for _, at := range all {
		middle, low, high := x(at.MeanConfidence), y(at.Interval.Low), y(at.Interval.High)
		p.f(`<path class="range" d="M%.1f %.1fV%.1fM%.1f %.1fh8M%.1f %.1fh8"/>`, middle, low, high, middle-4, low,
			middle-4, high)
	}
	for _, at := range all {
		radius := max(tiniest, largest*math.Sqrt(float64(at.Decisions)/float64(limit)))
		p.f(`<circle class="point" cx="%.1f" cy="%.1f" r="%.1f"><title>%.1f to %.1f: %s, mean confidence %.3f, mean outcome %.3f (%.3f to %.3f)</title></circle>`+"\n",
			x(at.MeanConfidence), y(at.MeanOutcome), radius, at.Low, at.High,
			render.PluralOf(at.Decisions, "decision", "decisions"),
			at.MeanConfidence, at.MeanOutcome, at.Interval.Low, at.Interval.High)
	}
}

// bars draws the number of decisions by confidence: wide bars show all decisions, narrow bars the reviewed ones.
func (p *plot) bars() {
	var all [Bins]int64
	for slot, n := range p.cell.Confidences {
		all[min(slot/(100/Bins), Bins-1)] += n
	}
	var limit int64
	for bin := range all {
		limit = max(limit, all[bin], p.cell.BinReviewed[bin])
	}
	const bottom = barsTop + barsHeight
	bar := func(class string, bin int, n int64, width float64) {
		if n <= 0 {
			return
		}
		height := max(1, barsHeight*float64(n)/float64(limit))
		middle := x((float64(bin) + 0.5) / Bins)
		p.f(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%.1f to %.1f: %d</title></rect>`,
			class, middle-width/2, bottom-height, width, height, float64(bin)/Bins, float64(bin+1)/Bins, n)
	}
	for bin := range all {
		bar("all", bin, all[bin], 30)
		bar("judged", bin, p.cell.BinReviewed[bin], 16)
	}
	p.f("\n"+`<path class="frame" d="M%d %dH%d"/>`, left, bottom, left+square)
	if limit > 0 {
		p.f(`<text class="small" x="%d" y="%d" text-anchor="end">%d</text>`, left-8, barsTop+4, limit)
	}
	p.f(`<text class="small" x="%d" y="%d" text-anchor="end">0</text>`+"\n", left-8, bottom+4)
	p.f(`<rect class="all" x="%d" y="%d" width="10" height="10"/><text class="small" x="%d" y="%d">decisions with a confidence</text>`, left, bottom+11, left+16, bottom+20)
	p.f(`<rect class="judged" x="%d" y="%d" width="10" height="10"/><text class="small" x="%d" y="%d">reviewed</text>`+
		"\n", left+190, bottom+11, left+206, bottom+20)
}

func (p *plot) caption() string {
	n := p.cell.scoredReviews()
	if n == 0 {
		return render.PluralOf(total(p.cell.Confidences[:]), "decision", "decisions") +
			" with a confidence, none reviewed"
	}
	f := p.cell.figures()
	words := fmt.Sprintf("Brier score %.3f, n = %d, gap %+.3f", f.BrierScore, n, f.CalibrationGap+0)
	if n < smallSample {
		words += " (small sample)"
	}
	return words
}

// summary describes the plot in words for screen readers.
func (p *plot) summary() string {
	if p.cell.scoredReviews() == 0 {
		return "reliability diagram, nothing reviewed yet"
	}
	return "reliability diagram, mean outcome by confidence. " + p.caption()
}

// escape escapes text for XML; characters that XML cannot have become U+FFFD.
func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer never fails
	return b.String()
}
