package cases_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/pack"
)

func TestJUnit_AnyText_IsWellFormed(t *testing.T) {
	source := pack.Source{Name: "od<d>&\x01.yaml", Text: `{pack: odd, version: 1.0.0,
		policies: [{name: "a<b>&\"c\"", active: true, requires: "false", message: "\x1b[31mred\x07 ]]> \uFFFE & <x>"}],
		tests: [{name: "fails \x00 <&>", action: {description: x}, expect: {allowed: true}},
			{name: holds, action: {description: x}, expect: {allowed: false}}]}`}
	report := runTests(t, 100, source)
	decoder := xml.NewDecoder(strings.NewReader(report.JUnit))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("got %v, want no error\n%s", err, report.JUnit)
		}
	}
	for _, r := range report.JUnit + report.Summary {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFD || r == 0x7F {
			t.Errorf("%q is in\n%s", r, report.JUnit)
		}
	}
	var read struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Tests int    `xml:"tests,attr"`
			Cases []struct {
				Name    string `xml:"name,attr"`
				Class   string `xml:"classname,attr"`
				File    string `xml:"file,attr"`
				Line    int    `xml:"line,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	graphtest.OK(t, xml.Unmarshal([]byte(report.JUnit), &read))
	if read.Tests != 3 || read.Failures != 1 || len(read.Suites) != 2 || read.Suites[0].Name != "odd" ||
		len(read.Suites[0].Cases) != 2 {
		t.Fatalf("got %+v\n%s, want Tests=3, Failures=1, len(Suites)=2, Name=odd, len(Cases)=2", read, report.JUnit)
	}
	failing := read.Suites[0].Cases[0]
	if failing.Name != "fails  <&>" || failing.Class != "odd" || failing.Line != 3 || failing.File != "od<d>&.yaml" ||
		failing.Failure == nil ||
		failing.Failure.Message != "allowed: expected true, got false" ||
		!strings.Contains(failing.Failure.Text, `a<b>&"c": [31mred ]]>  & <x>`) {
		t.Errorf("got %+v\n%s, want Name=\"fails  <&>\", Class=odd, Line=3, File=od<d>&.yaml, non-nil Failure, Message=\"allowed: expected true, got false\", Text with a<b>&\"c\": [31mred ]]>  & <x>", failing, report.JUnit)
	}
	if read.Suites[0].Cases[1].Failure != nil || read.Suites[1].Cases[0].Failure != nil {
		t.Errorf("got a failure for a case that holds:\n%s", report.JUnit)
	}
}

func TestJUnit_LowCoverage_IsAFailure(t *testing.T) {
	report := runTests(t, 90, testedPack(t, "name: one, action: {description: x}, expect: {allowed: true}"))
	golden.Contains(t, "JUnit", report.JUnit, `<testcase name="at least 90 %" classname="coverage"`,
		`<testsuites name="nomograph policy test" tests="2" failures="1"`)
}
