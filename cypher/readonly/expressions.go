package readonly

import (
	"math"
	"strconv"
	"strings"
)

// precedence returns the precedence of a binary operator. NOT is between AND and the comparisons.
func precedence(op string) int {
	switch op {
	case "OR":
		return 1
	case "XOR":
		return 2
	case "AND":
		return 3
	case "=", "<>", "<", "<=", ">", ">=":
		return 5
	case "=~", "IN", "STARTS", "ENDS", "CONTAINS", "IS", "::":
		return 6
	case "+", "-", "||":
		return 7
	case "*", "/", "%":
		return 8
	case "^":
		return 9
	}
	return 0
}

func (p *parser) expression() value { return p.operation(1) }

// operation parses an expression with operators of at least the precedence least.
func (p *parser) operation(minimum int) value {
	if !p.enter() {
		return plain
	}
	defer p.leave()
	if p.at("NOT") && minimum <= 4 {
		for p.accept("NOT") {
		}
		p.operation(5)
		return p.operators(plain, minimum)
	}
	return p.operators(p.unary(), minimum)
}

// operators parses what follows the operand left. CASE x WHEN > 3 also begins here.
func (p *parser) operators(left value, minimum int) value {
	for {
		t := p.tok()
		bound := precedence(t.name)
		if bound == 0 || bound < minimum {
			return left
		}
		p.advance()
		switch t.name {
		case "IS", "::":
			p.testOf(t.name)
			left = plain
			continue
		case "STARTS", "ENDS":
			p.expect("WITH")
		}
		right := p.operation(bound + 1)
		switch t.name {
		case "+", "||":
			p.spendOn(t, left, right)
			left = p.checkSize(t, add(left, right))
		case "-", "*", "/", "%", "^":
			left = arithmetic(t.name, left, right)
		case "=~":
			p.regex(t, left, right)
			left = plain
		case "IN": // the server uses a set
			left = plain
		case "CONTAINS":
			p.search(t, left, right)
			left = plain
		default:
			p.spendOn(t, left, right)
			left = plain
		}
	}
}

// spendOn counts the work of iterating over large operands.
func (p *parser) spendOn(t *token, values ...value) {
	steps := 0.0
	for _, v := range values {
		steps += v.total
	}
	if steps > 64 {
		p.spend(t, p.loops*steps/64)
	}
}

// search counts the work of searching one string in another. The server compares them again at every position.
func (p *parser) search(t *token, in, subject value) {
	p.spendOn(t, in, subject)
	p.spend(t, p.loops*max(in.size, in.inner)*max(subject.size, subject.inner)/64)
}

// testOf parses what follows IS or ::, which is NULL, a type, a normal form or labels.
func (p *parser) testOf(op string) {
	if op == "::" {
		p.typeName()
		return
	}
	p.accept("NOT")
	switch {
	case p.accept("NULL"):
	case p.accept("::") || p.accept("TYPED"):
		p.typeName()
	case p.atEither("NFC", "NFD") || p.atEither("NFKC", "NFKD"):
		p.advance()
		p.expect("NORMALIZED")
	case p.accept("NORMALIZED"):
	default:
		p.labels()
	}
}

func (p *parser) typeName() {
	if !p.enter() {
		return
	}
	defer p.leave()
	for words := 0; ; words++ {
		switch p.tok().name {
		case "ANY", "ARRAY", "BOOL", "BOOLEAN", "DATE", "DATETIME", "DURATION", "EDGE", "FLOAT", "INT", "INTEGER",
			"LIST", "LOCAL", "MAP",
			"NODE", "NOTHING", "NULL", "PATH", "PATHS", "POINT", "PROPERTY", "RELATIONSHIP", "SIGNED", "STRING", "TIME",
			"TIMESTAMP",
			"TIMEZONE", "VALUE", "VARCHAR", "VERTEX", "WITHOUT", "ZONE", "ZONED":
			p.advance()
			continue
		case "WITH":
			if strings.HasPrefix(p.peek(1).name, "TIME") {
				p.advance()
				continue
			}
		case "NOT":
			if p.peek(1).name == "NULL" {
				p.advance()
				continue
			}
		case "<":
			p.advance()
			p.typeName()
			p.expect(">")
			continue
		case "|":
			if p.i != p.bar {
				p.advance()
				continue
			}
		}
		if words == 0 {
			p.unexpected("a type")
		}
		return
	}
}

// unary parses an operand with its signs and suffixes: properties, indexes, slices, labels.
func (p *parser) unary() value {
	minus := false
	signed := false
	for p.atEither("+", "-") {
		minus = minus != p.at("-")
		signed = true
		p.advance()
	}
	v := p.postfix(p.operand())
	if minus {
		return arithmetic("-", number(0, 0), v)
	}
	if signed {
		return arithmetic("*", number(1, 1), v)
	}
	return v
}

func (p *parser) postfix(v value) value {
	for p.refusal == nil {
		switch {
		case p.accept("."):
			p.name()
			v = v.part()
		case p.accept("["):
			v = p.index(v)
		case p.accept(":"):
			p.labels()
			v = plain
		default:
			return v
		}
	}
	return v
}

// part returns the value of one part of v. For a list of lists it may be the largest.
func (v value) part() value {
	e := v.element()
	if v.nested || v.inner > storedSize {
		e.total = v.total
	}
	return e
}

// index parses an index or a slice after its [.
func (p *parser) index(v value) value {
	from, to := number(0, 0), anyNumber
	open := true
	if !p.at("..") {
		from = p.expression()
		open = false
	}
	if !p.accept("..") {
		p.expect("]")
		return v.part()
	}
	if !p.at("]") {
		to = p.expression()
	}
	p.expect("]")
	width := math.Inf(1)
	switch {
	case (open || from.scalar() && from.lo >= 0) && to.scalar() && to.lo >= 0:
		width = to.hi - from.lo
	case from.scalar() && from.hi < 0 && !(to.scalar() && to.lo >= 0):
		width = -from.lo
	}
	if width < v.size {
		v.size = max(width, 0)
	}
	if v.made && !v.nested {
		v.total = min(v.total, max(1, v.size))
	}
	v.known = false
	return v
}

// operand parses one value without operators.
func (p *parser) operand() value {
	t := p.tok()
	switch t.kind {
	case integer, decimal:
		p.advance()
		return p.literalNumber(t)
	case text:
		p.advance()
		return literalString(p.src[t.start+1 : t.end-1])
	case quoted:
		return p.nameOrCall()
	case word:
		return p.wordOperand()
	}
	switch t.name {
	case "$":
		return p.parameter()
	case "(":
		if p.startsPattern() {
			p.path(true)
			return stored
		}
		p.advance()
		v := p.expression()
		p.expect(")")
		return v
	case "[":
		return p.brackets()
	case "{":
		return p.mapLiteral()
	}
	p.unexpected("an expression")
	return plain
}

func (p *parser) wordOperand() value {
	t := p.tok()
	next := p.peek(1).name
	switch t.name {
	case "CASE":
		return p.caseOf()
	case "TRUE", "FALSE", "NULL":
		p.advance()
		return plain
	case "INF", "INFINITY", "NAN":
		p.advance()
		return anyNumber
	case "EXISTS", "COUNT", "COLLECT":
		if next == "{" && p.peek(2).name != "." && (p.peek(3).name != ":" || p.peek(2).kind == symbol) {
			return p.queryOf()
		}
	case "ALL", "ANY", "NONE", "SINGLE":
		if next == "(" {
			return p.quantifiedTest()
		}
	case "REDUCE":
		if next == "(" {
			return p.reduce()
		}
	case "SHORTESTPATH", "ALLSHORTESTPATHS":
		if next == "(" {
			p.path(false)
			return stored
		}
	}
	return p.nameOrCall()
}

func (p *parser) nameOrCall() value {
	n := 1
	for p.peek(n).name == "." && (p.peek(n+1).kind == word || p.peek(n+1).kind == quoted) {
		n += 2
	}
	if p.peek(n).name == "(" {
		return p.function()
	}
	t := p.name()
	v, ok := p.vars[p.spelling(t)]
	if !ok {
		v = unknown
	}
	if v.level > 0 && v.level != p.reducing {
		p.refuse(t, "is the accumulator of an outer reduce()", adviceReduce)
	}
	if p.at("{") {
		return p.projectionOf(v)
	}
	return v
}

func (p *parser) caseOf() value {
	p.advance()
	if !p.at("WHEN") {
		p.expression()
	}
	var v value
	branches := 0
	branch := func() {
		b := p.expression()
		if branches++; branches == 1 {
			v = b
		} else {
			v = join(v, b)
		}
	}
	for p.accept("WHEN") {
		for {
			if precedence(p.tok().name) >= 5 && !p.atEither("+", "-") && !p.at("IN") {
				p.operators(plain, 5)
			} else {
				p.expression()
			}
			if !p.accept(",") {
				break
			}
		}
		p.expect("THEN")
		branch()
	}
	if p.accept("ELSE") {
		branch()
	}
	p.expect("END")
	return v
}

func (p *parser) literalNumber(t *token) value {
	s := p.src[t.start:t.end]
	if strings.IndexByte(s, '_') >= 0 {
		s = strings.ReplaceAll(s, "_", "")
	}
	v := anyNumber
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		v = number(float64(n), float64(n))
	} else if f, err := strconv.ParseFloat(s, 64); err == nil && t.kind == decimal {
		v = number(f, f)
	}
	v.made = true
	return v
}

// literalString returns the value of a string literal. Its text is known if only quotes and backslashes are escaped,
// which is sufficient for regular expressions.
func literalString(s string) value {
	n := float64(len(s))
	v := value{size: n, least: n, total: 1 + n/16, made: true, known: true, str: s}
	if strings.IndexByte(s, '\\') < 0 {
		return v
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; strings.IndexByte(`\'"`, s[i]) < 0 {
				switch {
				case s[i] == 'u':
					v.known = false
				case strings.IndexByte("bfnrt", s[i]) >= 0:
					b.WriteByte(' ')
					continue
				default:
					b.WriteByte('\\')
				}
			}
		}
		b.WriteByte(s[i])
	}
	v.str = b.String()
	v.least = min(v.least, float64(b.Len())/6)
	return v
}
