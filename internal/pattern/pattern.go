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

// inTest tells a test without package testing, which would become part of the program.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New gives the pattern of an expression. In a test it is compiled at once, so that a wrong one fails the tests of its package; elsewhere
// it panics when it is used.
func New(expression string) *Pattern {
	p := &Pattern{text: expression}
	if inTest {
		p.Regexp()
	}
	return p
}

// Regexp is the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}

// MatchString is that of [regexp.Regexp].
func (p *Pattern) MatchString(text string) bool { return p.Regexp().MatchString(text) }

// FindString is that of [regexp.Regexp].
func (p *Pattern) FindString(text string) string { return p.Regexp().FindString(text) }

// FindStringIndex is that of [regexp.Regexp].
func (p *Pattern) FindStringIndex(text string) []int { return p.Regexp().FindStringIndex(text) }

// FindStringSubmatch is that of [regexp.Regexp].
func (p *Pattern) FindStringSubmatch(text string) []string {
	return p.Regexp().FindStringSubmatch(text)
}

// FindStringSubmatchIndex is that of [regexp.Regexp].
func (p *Pattern) FindStringSubmatchIndex(text string) []int {
	return p.Regexp().FindStringSubmatchIndex(text)
}

// FindAllString is that of [regexp.Regexp].
func (p *Pattern) FindAllString(text string, n int) []string {
	return p.Regexp().FindAllString(text, n)
}

// FindAllStringIndex is that of [regexp.Regexp].
func (p *Pattern) FindAllStringIndex(text string, n int) [][]int {
	return p.Regexp().FindAllStringIndex(text, n)
}

// FindAllStringSubmatch is that of [regexp.Regexp].
func (p *Pattern) FindAllStringSubmatch(text string, n int) [][]string {
	return p.Regexp().FindAllStringSubmatch(text, n)
}

// FindAllStringSubmatchIndex is that of [regexp.Regexp].
func (p *Pattern) FindAllStringSubmatchIndex(text string, n int) [][]int {
	return p.Regexp().FindAllStringSubmatchIndex(text, n)
}

// ReplaceAllString is that of [regexp.Regexp].
func (p *Pattern) ReplaceAllString(text, with string) string {
	return p.Regexp().ReplaceAllString(text, with)
}

// ReplaceAllLiteralString is that of [regexp.Regexp].
func (p *Pattern) ReplaceAllLiteralString(text, with string) string {
	return p.Regexp().ReplaceAllLiteralString(text, with)
}

// ReplaceAllStringFunc is that of [regexp.Regexp].
func (p *Pattern) ReplaceAllStringFunc(text string, with func(string) string) string {
	return p.Regexp().ReplaceAllStringFunc(text, with)
}

// Split is that of [regexp.Regexp].
func (p *Pattern) Split(text string, n int) []string { return p.Regexp().Split(text, n) }

// FindSubmatch is that of [regexp.Regexp].
func (p *Pattern) FindSubmatch(text []byte) [][]byte { return p.Regexp().FindSubmatch(text) }

// FindAllSubmatch is that of [regexp.Regexp].
func (p *Pattern) FindAllSubmatch(text []byte, n int) [][][]byte {
	return p.Regexp().FindAllSubmatch(text, n)
}
