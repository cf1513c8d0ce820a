package readonly

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

const (
	maxPatternLength  = 1000
	maxWays           = 1 << 10
	maxTries          = 200_000_000 // attempts of one match: two seconds
	triesPerIteration = 10          // attempts that count as one loop iteration
	adviceRegex       = "Use CONTAINS, STARTS WITH or ENDS WITH, or a pattern with fewer and simpler repeats."
)

// regex checks subject =~ pattern. The server's regular expressions backtrack without interruption. The pattern must
// therefore be known, its shape must limit backtracking, and the subject must not be too long for that shape.
func (p *parser) regex(t *token, subject, pattern value) {
	if !pattern.known {
		p.refuse(t, "takes a pattern that is not known before the query runs",
			"Give the pattern as a literal or a parameter, or as literals and parameters joined with +.")
		return
	}
	shape, why := checkPattern(pattern.str)
	if why != "" {
		p.refuse(t, "takes a pattern that "+why, adviceRegex)
		return
	}
	tries := shape.ways * max(20, math.Pow(max(subject.size, subject.inner), float64(max(1, shape.repeats))))
	for n := range shape.repeats { // consecutive repeats divide the text
		tries /= float64(n + 1)
	}
	if !(tries <= maxTries) {
		p.refuse(t, "lets a pattern with "+strconv.Itoa(shape.repeats)+" open repeats meet a text too long for it",
			"Shorten the text with left() or substring(), or use CONTAINS, STARTS WITH or ENDS WITH.")
		return
	}
	p.spend(t, p.loops*tries/triesPerIteration)
}

// checkPattern returns the shape of a pattern, and what is wrong with it, or "".
//
// It allows no repeated group that itself repeats or has alternatives, no back references and no lookaround.
// Consecutive repeats that can match the same text multiply the number of attempts by the length of the text; three of
// them are allowed. Two repeats are separate if something must occur between them that the earlier one cannot match,
// as in [0-9]+-[0-9]+.
func checkPattern(s string) (shape, string) {
	if len(s) > maxPatternLength {
		return shape{}, "is longer than 1,000 characters"
	}
	r := &pattern{s: s}
	result := r.alternatives(0)
	switch {
	case r.why != "":
		return result, r.why
	case r.i < len(s):
		return result, "has a ) that closes nothing"
	case result.repeats > 3:
		return result, "has more than three open repeats that can match the same text"
	case result.ways > maxWays:
		return result, "can be read in more than 1,024 ways"
	}
	return result, ""
}

// chars is the set of characters that an atom matches. All non-ASCII characters count as one.
type chars struct {
	low, high uint64
	other     bool
}

var anyChar = chars{^uint64(0), ^uint64(0), true}

func oneChar(c byte) chars {
	switch {
	case c >= 128:
		return chars{other: true}
	case c >= 64:
		return chars{high: 1 << (c - 64)}
	}
	return chars{low: 1 << c}
}

func span(from, to byte) (s chars) {
	for c := int(from); c <= int(to); c++ {
		s = s.or(oneChar(byte(c)))
	}
	return s
}

func (a chars) or(b chars) chars { return chars{a.low | b.low, a.high | b.high, a.other || b.other} }

func (a chars) not() chars { return chars{^a.low, ^a.high, true} }

func (a chars) disjoint(b chars) bool {
	return a.low&b.low == 0 && a.high&b.high == 0 && !(a.other && b.other)
}

func (a chars) single() bool {
	return !a.other && bits.OnesCount64(a.low)+bits.OnesCount64(a.high) == 1
}

// bothCases adds the other case of each letter, because (?i) may be active.
func (a chars) bothCases() chars {
	const letters = 0x07fffffe
	a.high |= a.high & letters << 32
	a.high |= a.high >> 32 & letters
	return a
}

// shape describes the backtracking of a part of a pattern.
type shape struct {
	repeats int     // consecutive repeats that can match the same text
	last    chars   // characters of the last of them
	fixed   bool    // always matches the same number of characters and has no alternatives
	ways    float64 // number of combinations of its choices
}

type pattern struct {
	s     string
	i     int
	steps int // number of optional parts so far
	why   string
}

func (r *pattern) fail(why string) {
	if r.why == "" {
		r.why = why
	}
	r.i = len(r.s)
}

func (r *pattern) more() bool { return r.i < len(r.s) }

func (r *pattern) accept(s string) bool {
	if strings.HasPrefix(r.s[r.i:], s) {
		r.i += len(s)
		return true
	}
	return false
}

// alternatives parses sequences joined by |.
func (r *pattern) alternatives(depth int) shape {
	if depth > 20 {
		r.fail("nests groups too deeply")
	}
	all := r.sequence(depth)
	for r.accept("|") {
		one := r.sequence(depth)
		all.repeats = max(all.repeats, one.repeats)
		all.ways += one.ways
		all.last = all.last.or(one.last)
		all.fixed = false
	}
	return all
}

func (r *pattern) sequence(depth int) shape {
	all := shape{fixed: true, ways: 1}
	for r.more() && r.s[r.i] != '|' && r.s[r.i] != ')' {
		atom, set, width := r.atom(depth)
		minimum, limit := r.quantifier()
		switch {
		case limit > 1 && !atom.fixed:
			r.fail("repeats a group that itself repeats or chooses")
		case limit-minimum > 1:
			atom.repeats, atom.last = 1, set
		case minimum != limit:
			atom.ways *= 2
			if r.steps++; r.steps > 8 {
				r.fail("has more than eight optional parts")
			}
		}
		all.ways *= atom.ways
		all.fixed = all.fixed && atom.fixed && minimum == limit
		// A required character that the previous repeat cannot match separates the two.
		if width && minimum > 0 && all.repeats > 0 && set.disjoint(all.last) {
			all.repeats = 0
		}
		if atom.repeats > 0 {
			all.repeats += atom.repeats
			all.last = all.last.or(atom.last)
		}
		if all.repeats > 3 {
			r.fail("has more than three open repeats that can match the same text")
		}
	}
	return all
}

// quantifier parses ? * + {n} {n,} {n,m}, optionally followed by ? or +.
func (r *pattern) quantifier() (minimum, limit int) {
	const open = 1 << 30
	minimum, limit = 1, 1
	switch {
	case r.accept("?"):
		minimum = 0
	case r.accept("*"):
		minimum, limit = 0, open
	case r.accept("+"):
		limit = open
	case r.accept("{"):
		minimum = r.count()
		limit = minimum
		if r.accept(",") {
			if limit = open; r.more() && r.s[r.i] != '}' {
				limit = r.count()
			}
		}
		if !r.accept("}") {
			r.fail("has a { that is not a count")
		}
	default:
		return 1, 1
	}
	if !r.accept("?") {
		r.accept("+")
	}
	if r.more() && strings.IndexByte("?*+{", r.s[r.i]) >= 0 {
		r.fail("repeats a repeat")
	}
	return minimum, limit
}

func (r *pattern) count() int {
	n, begin := 0, r.i
	for r.more() && r.s[r.i] >= '0' && r.s[r.i] <= '9' && r.i-begin < 5 {
		n = 10*n + int(r.s[r.i]-'0')
		r.i++
	}
	if r.i == begin {
		r.fail("has a { that is not a count")
	}
	return n
}

// atom parses one character, class or group. It returns its shape, the characters, and whether it matches exactly one
// character.
func (r *pattern) atom(depth int) (shape, chars, bool) {
	plain := shape{fixed: true, ways: 1}
	c := r.s[r.i]
	r.i++
	switch c {
	case '.':
		return plain, anyChar, true
	case '^', '$':
		return plain, chars{}, false
	case '[':
		return plain, r.class(0).bothCases(), true
	case '\\':
		set, one := r.escape()
		return plain, set.bothCases(), one
	case '(':
		if r.accept("?") && !r.groupKind() {
			return plain, chars{}, false // flags such as (?i)
		}
		inner := r.alternatives(depth + 1)
		if !r.accept(")") {
			r.fail("has a ( that is never closed")
		}
		return inner, anyChar, false
	case '*', '+', '?', '{':
		r.fail("begins with a repeat")
	}
	return plain, oneChar(c).bothCases(), true
}

// groupKind parses what follows (? and reports whether it starts a group.
func (r *pattern) groupKind() bool {
	if r.accept(":") {
		return true
	}
	if r.accept("<") && r.more() && r.s[r.i] != '=' && r.s[r.i] != '!' {
		for r.more() && r.s[r.i] != '>' {
			r.i++
		}
		return r.accept(">")
	}
	for r.more() && strings.IndexByte("imsu-", r.s[r.i]) >= 0 {
		r.i++
	}
	switch {
	case r.accept(")"):
		return false
	case r.accept(":"):
		return true
	}
	r.fail("looks ahead or behind, or sets a flag other than i, m, s, u")
	return false
}

// class parses a [...] after its bracket.
func (r *pattern) class(depth int) (set chars) {
	negated := r.accept("^")
	mixed := false // nested classes, which are assumed to match anything
	for first := true; ; first = false {
		switch {
		case !r.more() || depth > 3:
			r.fail("has a [ that is never closed")
			return set
		case r.accept("&&"):
			mixed = true
		case !first && r.accept("]"):
			switch {
			case mixed:
				return anyChar
			case negated:
				return set.not()
			}
			return set
		case r.accept("["):
			mixed = true
			r.class(depth + 1)
		default:
			one := r.classMember()
			if r.i+1 < len(r.s) && r.s[r.i] == '-' && r.s[r.i+1] != ']' && one.single() {
				r.i++
				to := r.classMember()
				if low, high := lowest(one), lowest(to); to.single() && low <= high {
					one = span(low, high)
				} else {
					one = anyChar
				}
			}
			set = set.or(one)
		}
	}
}

func (r *pattern) classMember() chars {
	if r.accept(`\`) {
		set, _ := r.escape()
		return set
	}
	c := r.s[r.i]
	r.i++
	return oneChar(c)
}

func lowest(a chars) byte {
	if a.low != 0 {
		return byte(bits.TrailingZeros64(a.low))
	}
	return byte(64 + bits.TrailingZeros64(a.high))
}

// escape parses what follows a backslash. It returns the characters, and whether it matches exactly one character.
func (r *pattern) escape() (chars, bool) {
	if !r.more() {
		r.fail("ends with a backslash")
		return anyChar, false
	}
	c := r.s[r.i]
	r.i++
	digit, space := span('0', '9'), oneChar(' ').or(span('\t', '\r'))
	letter := digit.or(span('a', 'z')).or(span('A', 'Z')).or(oneChar('_'))
	switch c {
	case 'd':
		return digit, true
	case 'D':
		return digit.not(), true
	case 's':
		return space, true
	case 'S':
		return space.not(), true
	case 'w':
		return letter, true
	case 'W':
		return letter.not(), true
	case 'b', 'B', 'A', 'z', 'Z':
		return chars{}, false
	case 't', 'n', 'r', 'f':
		return space, true
	case 'p', 'P':
		if stop := strings.IndexByte(r.s[r.i:], '}'); r.accept("{") && stop > 0 {
			r.i += stop
		} else {
			r.fail("has an unknown escape")
		}
		return anyChar, true
	case 'Q':
		stop := strings.Index(r.s[r.i:], `\E`)
		if stop < 0 {
			r.i = len(r.s)
		} else {
			r.i += stop + 2
		}
		return anyChar, false
	}
	if c >= '1' && c <= '9' || c == 'k' {
		r.fail("refers back to what a group matched")
	} else if c|0x20 >= 'a' && c|0x20 <= 'z' || c == '0' {
		r.fail("has an unknown escape")
	}
	return oneChar(c), true
}
