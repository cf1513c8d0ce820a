package readonly

import "math"

var infinite = math.Inf(1)

// Limits on the work of one expression, because the server cannot interrupt an expression. They were chosen with Neo4j
// 5.26 on two cores, where one loop iteration takes 70 to 160 ns.
const (
	maxRangeLength = 100_000     // elements of one range()
	maxIterations  = 20_000_000  // iterations of nested loops
	maxWork        = 100_000_000 // iterations of all loops in a query, and the steps of functions in them
	maxValues      = 5_000_000   // values in one computed list or row
	// iterations of a reduce() that builds a list; at 20,000 the server's stack overflows and the server never answers
	maxGrowthLength = 5_000

	// Assumed sizes of stored data, which the query does not show.
	storedSize    = 300    // elements of a property, a path or labels
	collectedSize = 20_000 // elements of collect()
	matchesOfOne  = 100    // increase of the size of a result per node, by a pattern comprehension
)

const (
	adviceRange  = "Give range() literal bounds or parameters of at most 100,000 elements, or take a slice: range(a, b)[..1000]."
	adviceLoop   = "Use UNWIND and WHERE, which can be interrupted, or bound the lists with a slice such as list[..1000]."
	adviceValues = "Return rows with UNWIND and LIMIT instead of one large value."
	adviceReduce = "Use the accumulator once, or compute with UNWIND and sum() or collect()."
)

// A value describes the possible results of an expression: an interval for numbers, a maximum size for lists and
// strings.
type value struct {
	lo, hi float64 // interval of all numbers in it, if num
	size   float64 // elements of the list or characters of the string
	inner  float64 // largest size of any nested value
	total  float64 // number of values at any depth
	least  float64 // smallest size of a string in it
	num    bool    // only numbers
	list   bool    // certainly a list
	nested bool    // certainly a list of lists
	made   bool    // built from the query and its parameters only
	lazy   bool    // contains a range(), which the server's memory limit does not count
	uses   int     // number of times the accumulator of reduce() flows into it
	level  int     // nesting level of that reduce(), from the outside
	grown  bool    // something was added to the accumulator
	known  bool    // a string with the known text str
	str    string
}

var (
	stored    = value{size: storedSize, inner: storedSize, total: 1}
	unknown   = value{size: collectedSize, inner: collectedSize, total: collectedSize}
	plain     = value{total: 1} // true, null, a date
	anyNumber = number(math.Inf(-1), math.Inf(1))
)

func number(lo, hi float64) value {
	if lo != lo {
		lo = math.Inf(-1)
	}
	if hi != hi {
		hi = math.Inf(1)
	}
	return value{lo: lo, hi: hi, num: true, total: 1}
}

func (v value) scalar() bool { return v.num && !v.list }

// element returns the value of one element or one property of v.
func (v value) element() value {
	e := v
	e.size, e.list, e.nested, e.known = v.inner, v.nested, v.nested, false
	e.total = 1
	if v.size > 1 && v.size < infinite {
		e.total = max(1, v.total/v.size)
	} else if v.size <= 1 {
		e.total = max(1, v.total)
	}
	return e
}

// join returns a value that covers a and b.
func join(a, b value) value {
	v := a
	v.lo, v.hi, v.num = min(a.lo, b.lo), max(a.hi, b.hi), a.num && b.num
	v.size, v.inner, v.total = max(a.size, b.size), max(a.inner, b.inner), max(a.total, b.total)
	v.least = min(a.least, b.least)
	v.list, v.nested = a.list || b.list, a.nested || b.nested
	v.made, v.lazy = a.made && b.made, a.lazy || b.lazy
	v.uses, v.level, v.grown = max(a.uses, b.uses), max(a.level, b.level), a.grown || b.grown
	v.known = false
	return v
}

// contain returns the value of a list or map of a and b, or of a with b added.
func contain(a, b value) value {
	v := join(a, b)
	v.size = a.size
	v.inner = max(a.inner, b.inner, b.size)
	v.total = a.total + b.total
	v.uses = a.uses + b.uses
	v.grown = v.uses > 0
	v.list = a.list
	v.nested = a.nested || b.list
	return v
}

func emptyList() value {
	return value{num: true, list: true, made: true, total: 1, least: infinite, lo: infinite, hi: -infinite}
}

// push appends e to the list v.
func (v *value) push(e value) {
	*v = contain(*v, e)
	v.size++
}

// add returns a + b: a sum, a longer string or a longer list.
func add(a, b value) value {
	if a.scalar() && b.scalar() {
		return number(a.lo+b.lo, a.hi+b.hi)
	}
	v := join(a, b)
	v.size = a.size + b.size
	if a.list != b.list {
		v.size++ // an item may be added to the list
		v.inner = max(a.inner, b.inner, min(a.size, b.size))
	}
	v.total = a.total + b.total
	v.uses = a.uses + b.uses
	v.grown = v.uses > 0
	if a.known && b.known && len(a.str)+len(b.str) <= 2*maxPatternLength {
		v.known, v.str, v.least = true, a.str+b.str, a.least+b.least
	}
	return v
}

// arithmetic returns the result of any other operation on numbers.
func arithmetic(op string, a, b value) value {
	if !a.scalar() || !b.scalar() {
		return anyNumber
	}
	switch op {
	case "-":
		return number(a.lo-b.hi, a.hi-b.lo)
	case "*":
		p, q, r, s := a.lo*b.lo, a.lo*b.hi, a.hi*b.lo, a.hi*b.hi
		return number(min(p, q, r, s), max(p, q, r, s))
	case "/":
		if b.lo > 0 {
			return number(min(a.lo/b.lo, a.lo/b.hi)-1, max(a.hi/b.lo, a.hi/b.hi)+1)
		}
	case "%":
		if limit := max(math.Abs(b.lo), math.Abs(b.hi)); a.lo >= 0 {
			return number(0, limit)
		} else {
			return number(-limit, limit)
		}
	}
	return anyNumber
}

// scope is the state of the analysis of a query.
type scope struct {
	vars      map[string]value
	undo      []undo
	exports   []binding // columns of the last WITH or RETURN
	given     map[string]value
	loops     float64 // iterations of the enclosing loops
	work      float64
	generated float64 // rows of UNWIND over lists that the query builds
	volume    float64 // maximum number of values at the same time
	rows      float64 // maximum number of rows, infinite after a MATCH
	matched   bool
	reducing  int // number of enclosing reduce()
	base      int // index in undo at which the names of the current subquery begin, or -1
}

type binding struct {
	name string
	value
}

type undo struct {
	binding
	had bool
}

func newScope() scope {
	return scope{vars: map[string]value{}, given: map[string]value{}, loops: 1, generated: 1, rows: 1, base: -1}
}

func (s *scope) bind(name string, v value) {
	old, ok := s.vars[name]
	s.undo = append(s.undo, undo{binding{name, old}, ok})
	s.vars[name] = v
}

func (s *scope) mark() int { return len(s.undo) }

func (s *scope) restore(mark int) {
	for len(s.undo) > mark {
		u := s.undo[len(s.undo)-1]
		s.undo = s.undo[:len(s.undo)-1]
		if u.had {
			s.vars[u.name] = u.value
		} else {
			delete(s.vars, u.name)
		}
	}
}

// spend adds work to the total of the query and refuses the query above the limit.
func (p *parser) spend(t *token, steps float64) {
	p.work += steps
	if !(p.work <= maxWork) {
		p.refuse(t, "makes the query compute too much in one expression, where the server cannot interrupt it",
			adviceLoop)
	}
}

// enterLoop begins a loop over list. It returns the number of iterations outside of it, which its caller restores
// afterwards.
func (p *parser) enterLoop(t *token, list value) float64 {
	outer := p.loops
	p.loops *= max(1, list.size)
	if !(p.loops <= maxIterations) {
		p.refuse(t, "goes through lists within lists for too long, where the server cannot interrupt it", adviceLoop)
	}
	p.spend(t, p.loops)
	return outer
}

// checkSize refuses values that are too large to build.
func (p *parser) checkSize(t *token, v value) value {
	if !(v.total <= maxValues) || !(v.size <= 100*maxValues) {
		p.refuse(t, "makes a value too large", adviceValues)
	}
	p.volume = max(p.volume, v.total)
	return v
}

// sizeOfRange returns the list that range() returns for these arguments, of infinite size if unknown.
func sizeOfRange(args []value) value {
	from, to := anyNumber, anyNumber
	if len(args) > 1 && args[0].scalar() && args[1].scalar() {
		from, to = args[0], args[1]
	}
	up, down := to.hi-from.lo, from.hi-to.lo
	span := up
	if len(args) > 2 {
		switch step := args[2]; {
		case step.scalar() && step.lo > 0:
			span = up / step.lo
		case step.scalar() && step.hi < 0:
			span = down / -step.hi
		default:
			span = max(up, down)
		}
	}
	v := number(min(from.lo, to.lo), max(from.hi, to.hi))
	v.size = math.Floor(max(span, -1)) + 1
	if v.size != v.size {
		v.size = math.Inf(1)
	}
	v.total, v.list, v.made, v.lazy = max(1, v.size), true, true, true
	return v
}
