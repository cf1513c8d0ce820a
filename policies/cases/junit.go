package cases

import (
	"encoding/xml"
	"fmt"
	"nomograph/internal/render"
	"nomograph/policies/pack"
	"strings"
)

// The JUnit format that CI servers read: https://llg.cubic.org/docs/junit.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"` // seconds
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`

		took float64
	}
	junitCase struct {
		Name      string       `xml:"name,attr"`
		Classname string       `xml:"classname,attr"`
		File      string       `xml:"file,attr,omitempty"`
		Line      int          `xml:"line,attr,omitempty"`
		Time      string       `xml:"time,attr"`
		Failure   *junitDetail `xml:"failure"`
		Skipped   *junitDetail `xml:"skipped"`
		Note      string       `xml:"system-out,omitempty"`
	}
	junitDetail struct {
		Message string `xml:"message,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// junit writes a suite for each pack. Insufficient coverage fails in a suite of its own, so that the file explains why
// the run failed.
func (r Report) junit(packs []pack.Pack) string {
	all := junitSuites{Name: "nomograph policy test"}
	for i, pack := range packs {
		suite := junitSuite{Name: render.Printable(pack.Name), Cases: []junitCase{}}
		for _, c := range r.Cases {
			if c.pack == i {
				suite.add(c.junit(), c.TookMS)
			}
		}
		all.add(suite)
	}
	if required := r.Coverage.Required; required > 0 {
		c := junitCase{Name: fmt.Sprintf("at least %v %%", required), Classname: "coverage", Time: seconds(0)}
		if !r.Coverage.enough() {
			c.Failure = &junitDetail{fmt.Sprintf("coverage is %v %%", r.Coverage.Percent), render.Printable(strings.Join(r.Coverage.Missed, "\n"))}
		}
		suite := junitSuite{Name: "coverage"}
		suite.add(c, 0)
		all.add(suite)
	}
	took := 0.0
	for _, suite := range all.Suites {
		took += suite.took
	}
	all.Time = seconds(took)
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil { // cannot happen: only numbers and valid text
		panic(err)
	}
	return xml.Header + string(text) + "\n"
}

func (c Result) junit() junitCase {
	out := junitCase{Name: render.Printable(c.Name), Classname: render.Printable(c.Pack), File: render.Printable(c.file), Line: c.line, Time: seconds(c.TookMS), Note: render.Printable(c.Note)}
	switch {
	case c.Problem != "":
		first, _, _ := strings.Cut(c.Problem, "\n")
		out.Failure = &junitDetail{render.Printable(first), render.Printable(c.Place + "\n" + c.Problem)}
	case !c.Passed:
		out.Skipped = &junitDetail{Message: "not run"}
	}
	return out
}

func (s *junitSuite) add(c junitCase, tookMS float64) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.took += tookMS
	s.Time = seconds(s.took)
}

func (s *junitSuites) add(suite junitSuite) {
	if suite.Time == "" {
		suite.Time = seconds(0)
	}
	s.Suites = append(s.Suites, suite)
	s.Tests, s.Failures, s.Skipped = s.Tests+suite.Tests, s.Failures+suite.Failures, s.Skipped+suite.Skipped
}

func seconds(ms float64) string { return fmt.Sprintf("%.3f", ms/1000) }
