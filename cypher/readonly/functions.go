package readonly

import (
	_ "embed"
	"math"
	"strings"
	"sync"
)

//go:embed functions.txt
var functionList string

// functions maps each allowed function to its kind of result.
var functions = sync.OnceValue(func() map[string]string { return wordMap(functionList) })

func wordMap(text string) map[string]string {
	set := map[string]string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			name, result, _ := strings.Cut(line, " ")
			set[name] = result
		}
	}
	return set
}

// dottedName reads a name with its namespaces, without blanks, comments and backticks.
func (p *parser) dottedName() string {
	var name strings.Builder
	name.WriteString(p.spelling(p.name()))
	for p.accept(".") {
		name.WriteString("." + p.spelling(p.name()))
	}
	return name.String()
}

// Work of a function besides iterating over its arguments once.
const (
	plainWork = iota
	searching // searching its other arguments in the first one
	parsing   // reading the digits of a number
)

// function parses a function call.
func (p *parser) function() value {
	begin := p.i
	t := p.tok()
	written := p.dottedName()
	name := strings.ToLower(written)
	result, ok := functions()[name]
	if !ok || !ascii(written) { // ToLower turns some other characters into letters
		p.refuseCall(begin, "function", name)
		return plain
	}
	work := plainWork
	switch name {
	case "replace", "split", "btrim", "ltrim", "rtrim", "trim":
		work = searching
	case "tointeger", "tointegerornull", "tointegerlist":
		work = parsing
	}
	direct := begin > 0 && p.toks[begin-1].name == "UNWIND" && p.peek(p.tok().closing+1-p.i).name == "AS"
	slice := p.peek(p.tok().closing + 1 - p.i).name
	p.expect("(")
	if p.atEither("DISTINCT", "ALL") && p.peek(1).name != ")" && p.peek(1).name != "," && p.peek(1).name != "." {
		p.advance()
	}
	if p.accept("*") { // count(*)
		p.expect(")")
		return anyNumber
	}
	args := p.arguments()
	p.expect(")")
	if p.refusal != nil {
		return plain
	}
	if result == "range" {
		return p.rangeOf(t, sizeOfRange(args), direct, slice == "[")
	}
	p.spendOn(t, args...)
	switch work {
	case searching:
		for _, other := range args[min(1, len(args)):] {
			p.search(t, args[0], other)
		}
	case parsing:
		for _, v := range args { // each digit costs as much as all digits before it
			digits := v.size
			if v.list {
				digits = v.inner
			}
			p.spend(t, p.loops*digits*digits/1000)
		}
	}
	return p.checkSize(t, p.resultOf(t, result, args))
}

// arguments parses the arguments of a function. Those of trim() have keywords between them.
func (p *parser) arguments() (args []value) {
	for p.refusal == nil && !p.at(")") {
		if p.at("BOTH") || p.at("LEADING") || p.at("TRAILING") {
			p.advance()
			if p.accept("FROM") {
				continue
			}
		}
		args = append(args, p.expression())
		if !p.accept(",") && !p.accept("FROM") {
			break
		}
	}
	return args
}

// refuseCall refuses a call and names the whole dotted name.
func (p *parser) refuseCall(begin int, subject, name string) {
	t := p.toks[begin]
	t.end = p.toks[max(p.i-1, begin)].end
	why, advice := "is not a "+subject+" that is known to only read", "Use the built-in "+subject+"s that read."
	if w, ok := refusedClauses()[t.name]; ok {
		why, advice = w[0], w[1]
	}
	switch head, _, _ := strings.Cut(name, "."); head {
	case "file", "linenumber":
		why = "belongs to LOAD CSV"
	case "graph":
		why, advice = "chooses another graph", "Leave it out; the database is chosen outside the query."
	case "apoc", "gds":
		why, advice = "belongs to a plug-in, whose "+subject+"s are not allowed",
			"Write it with Cypher's own clauses and functions."
	}
	p.refuse(&t, why, advice)
}

// rangeOf refuses ranges that are too long or of unknown length. Two cases are allowed. A slice limits a range, because
// the server creates its elements on demand, and UNWIND of a range can be interrupted.
func (p *parser) rangeOf(t *token, v value, direct, sliced bool) value {
	if sliced {
		p.advance()
		v = p.index(v)
	} else if math.IsInf(v.size, 1) && direct {
		return v
	}
	switch {
	case math.IsInf(v.size, 1):
		p.refuse(t, "has bounds that are not known before the query runs", adviceRange)
	case v.size > maxRangeLength:
		p.refuse(t, "spans more than 100,000 elements", adviceRange)
	}
	return v
}

func (p *parser) resultOf(t *token, result string, args []value) value {
	if len(args) == 0 {
		args = []value{plain}
	}
	first := args[0]
	switch result {
	case "plain":
		return plain
	case "number":
		if first.scalar() && len(args) == 1 {
			switch strings.ToLower(p.src[t.start:t.end]) {
			case "tointeger", "tofloat", "floor", "ceil", "round":
				return number(first.lo-1, first.hi+1)
			case "abs":
				return number(0, max(math.Abs(first.lo), math.Abs(first.hi)))
			}
		}
		return anyNumber
	case "stored":
		v := stored
		v.uses = first.uses
		return v
	case "size":
		if first.uses > 0 {
			return anyNumber
		}
		return number(0, max(first.size, storedSize))
	case "part":
		return first.part()
	case "collect":
		return p.collect(t, first)
	case "split":
		v := first
		v.inner, v.list, v.num, v.known = first.size, true, false, false
		v.size++
		v.total = max(v.total, v.size/16)
		return v
	case "replace":
		return replaceResult(args)
	}
	v := first
	for _, a := range args[1:] {
		size, total, uses := v.size+a.size, v.total+a.total, v.uses+a.uses
		v = join(v, a)
		if result != "either" {
			v.size, v.total, v.uses = size, total, uses
		}
	}
	if result == "text" {
		v.size, v.num = max(v.size, 64), false
	}
	v.known = false
	return v
}

// replaceResult returns the result of replace(original, search, replacement). It grows if the replacement is longer
// than the search string, or if that may be empty.
func replaceResult(args []value) value {
	if len(args) != 3 {
		return unknown
	}
	v, search, by := args[0], args[1], args[2]
	v.known = false
	if v.uses += 2 * by.uses; by.uses > 0 {
		v.grown = true
		return v
	}
	if by.size == 0 || by.size <= search.least {
		return v
	}
	factor := 1 + by.size
	if search.least > 0 {
		factor = by.size / search.least
	}
	v.size = v.size*factor + by.size
	v.total = v.total*factor + by.total
	v.uses, v.grown = 2*v.uses, v.uses > 0
	return v
}
