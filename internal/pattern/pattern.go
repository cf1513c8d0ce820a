// Package pattern compiles regular expressions on first use. A process uses few of them, and compiling all of them took
// a tenth of its startup time.
package pattern

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Pattern is a regular expression. It is safe for concurrent use.
type Pattern struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// inTest reports whether this is a test binary. It avoids importing package testing into the program.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns a pattern. In tests the expression is compiled immediately, so that an invalid one fails the tests of its
// package. Elsewhere it panics on first use.
func New(expression string) *Pattern {
	p := &Pattern{text: expression}
	if inTest {
		p.Regexp()
	}
	return p
}

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}

// MatchString is [regexp.Regexp.MatchString].
func (p *Pattern) MatchString(text string) bool { return p.Regexp().MatchString(text) }

// FindString is [regexp.Regexp.FindString].
func (p *Pattern) FindString(text string) string { return p.Regexp().FindString(text) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (p *Pattern) FindStringIndex(text string) []int { return p.Regexp().FindStringIndex(text) }

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (p *Pattern) FindStringSubmatch(text string) []string {
	return p.Regexp().FindStringSubmatch(text)
}

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (p *Pattern) FindStringSubmatchIndex(text string) []int {
	return p.Regexp().FindStringSubmatchIndex(text)
}

// FindAllString is [regexp.Regexp.FindAllString].
func (p *Pattern) FindAllString(text string, n int) []string {
	return p.Regexp().FindAllString(text, n)
}

// FindAllStringIndex is [regexp.Regexp.FindAllStringIndex].
func (p *Pattern) FindAllStringIndex(text string, n int) [][]int {
	return p.Regexp().FindAllStringIndex(text, n)
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (p *Pattern) FindAllStringSubmatch(text string, n int) [][]string {
	return p.Regexp().FindAllStringSubmatch(text, n)
}

// FindAllStringSubmatchIndex is [regexp.Regexp.FindAllStringSubmatchIndex].
func (p *Pattern) FindAllStringSubmatchIndex(text string, n int) [][]int {
	return p.Regexp().FindAllStringSubmatchIndex(text, n)
}

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (p *Pattern) ReplaceAllString(text, with string) string {
	return p.Regexp().ReplaceAllString(text, with)
}

// ReplaceAllStringFunc is [regexp.Regexp.ReplaceAllStringFunc].
func (p *Pattern) ReplaceAllStringFunc(text string, with func(string) string) string {
	return p.Regexp().ReplaceAllStringFunc(text, with)
}

// Split is [regexp.Regexp.Split].
func (p *Pattern) Split(text string, n int) []string { return p.Regexp().Split(text, n) }

// FindSubmatch is [regexp.Regexp.FindSubmatch].
func (p *Pattern) FindSubmatch(text []byte) [][]byte { return p.Regexp().FindSubmatch(text) }
