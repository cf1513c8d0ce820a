package cases

import (
	"encoding/xml"
	"fmt"
	"strings"

	"nomograph/internal/render"
	"nomograph/policies/pack"
)

// The JUnit format that CI servers read: https://llg.cubic.org/docs/junit.
type (
	junitSuite struct {
		XMLName  xml.Name
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"` // seconds
		Suites   []junitSuite `xml:"testsuite"`
		Cases    []junitCase  `xml:"testcase"`

		took float64 // milliseconds
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
	all := newSuite("testsuites", "nomograph policy test")
	for i, pack := range packs {
		suite := newSuite("testsuite", render.Printable(pack.Name))
		for _, c := range r.Cases {
			if c.pack == i {
				suite.add(c.junit(), c.TookMS)
			}
		}
		all.include(suite)
	}
	if required := r.Coverage.Required; required > 0 {
		c := junitCase{Name: fmt.Sprintf("at least %v %%", required), Classname: "coverage", Time: seconds(0)}
		if !r.Coverage.enough() {
			c.Failure = &junitDetail{fmt.Sprintf("coverage is %v %%", r.Coverage.Percent),
				render.Printable(strings.Join(r.Coverage.Missed, "\n"))}
		}
		suite := newSuite("testsuite", "coverage")
		suite.add(c, 0)
		all.include(suite)
	}
	text, _ := xml.MarshalIndent(all, "", "  ") // cannot fail: only numbers and valid text
	return xml.Header + string(text) + "\n"
}

func (c Result) junit() junitCase {
	out := junitCase{Name: render.Printable(c.Name), Classname: render.Printable(c.Pack),
		File: render.Printable(c.file), Line: c.line, Time: seconds(c.TookMS), Note: render.Printable(c.Note)}
	switch {
	case c.Problem != "":
		first, _, _ := strings.Cut(c.Problem, "\n")
		out.Failure = &junitDetail{render.Printable(first), render.Printable(c.Place + "\n" + c.Problem)}
	case !c.Passed:
		out.Skipped = &junitDetail{Message: "not run"}
	}
	return out
}

func newSuite(element, name string) junitSuite {
	return junitSuite{XMLName: xml.Name{Local: element}, Name: name, Time: seconds(0)}
}

func (s *junitSuite) add(c junitCase, tookMS float64) {
	s.Cases = append(s.Cases, c)
	one := junitSuite{Tests: 1, took: tookMS}
	if c.Failure != nil {
		one.Failures++
	}
	if c.Skipped != nil {
		one.Skipped++
	}
	s.count(one)
}

func (s *junitSuite) include(suite junitSuite) {
	s.Suites = append(s.Suites, suite)
	s.count(suite)
}

func (s *junitSuite) count(more junitSuite) {
	s.Tests, s.Failures, s.Skipped, s.took = s.Tests+more.Tests, s.Failures+more.Failures, s.Skipped+more.Skipped,
		s.took+more.took
	s.Time = seconds(s.took)
}

func seconds(ms float64) string { return fmt.Sprintf("%.3f", ms/1000) }
