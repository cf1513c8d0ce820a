package calibration

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// drawn counts the elements of an SVG by name and class. It fails on invalid XML.
func drawn(t interface {
	Helper()
	Fatalf(format string, a ...any)
}, svg []byte) map[string]int {
	t.Helper()
	count := map[string]int{}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return count
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if element, ok := token.(xml.StartElement); ok {
			name := element.Name.Local
			for _, a := range element.Attr {
				if a.Name.Local == "class" {
					name += "." + a.Value
				}
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("got %s %s=%q, want Value without NaN, Value without Inf", name, a.Name.Local, a.Value)
				}
			}
			count[name]++
		}
	}
}

func TestPlot_Cells_DrawPointsAndRanges(t *testing.T) {
	c := merged(repeated(40, 0.9, "success"), repeated(10, 0.9, "failure"), repeated(6, 0.55, "partial"),
		repeated(1, 0, "failure"), repeated(3, 0.7, ""))
	const title = `a <b> & "c"` + "\x00"
	svg := Plot(c, title)
	count := drawn(t, svg)
	if count["circle.point"] != 3 || count["path.range"] != 3 || count["rect.judged"] != 4 || count["rect.all"] != 5 ||
		count["path.ideal"] != 1 {
		t.Errorf("got %v, want circle.point=3, path.range=3, rect.judged=4, rect.all=5, path.ideal=1", count)
	}
	for _, want := range []string{"a &lt;b&gt; &amp; &#34;c&#34;�", "Brier score 0.", "n = 57",
		"prefers-color-scheme:dark", ">confidence<", ">mean outcome<"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("%q is not in %s", want, svg)
		}
	}
	for _, absent := range []string{"<b>", "<script", "href", "url("} {
		if bytes.Contains(svg, []byte(absent)) {
			t.Errorf("%q is in it", absent)
		}
	}
	if bytes.Contains(svg, []byte("small sample")) {
		t.Error("57 are a small sample")
	}
	if svg := Plot(repeated(5, 1, "success"), strings.Repeat("long ", 30)); !bytes.Contains(svg, []byte("…</text>")) ||
		!bytes.Contains(svg, []byte("small sample")) {
		t.Errorf(`got %s, want svg with …</text>, svg with "small sample"`, svg)
	}
	for _, c := range []Cell{{}, repeated(3, 0.7, ""), cellOf(Sample{Outcome: "success"})} {
		svg := Plot(c, "")
		if count := drawn(t, svg); count["circle.point"] != 0 || !bytes.Contains(svg, []byte("nothing reviewed yet")) {
			t.Errorf(`got %s, want circle.point=0, svg with "nothing reviewed yet"`, svg)
		}
	}
}
