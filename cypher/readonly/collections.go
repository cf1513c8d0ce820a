package readonly

// projectionOf parses a map projection after its variable: {.*, .name, key: expression, other}.
func (p *parser) projectionOf(of value) value {
	p.expect("{")
	v := of
	for p.refusal == nil && !p.at("}") {
		switch {
		case p.accept("."):
			if !p.accept("*") {
				p.name()
			}
			v.total++
		case p.peek(1).name == ":":
			t := p.name()
			p.advance()
			v = p.checkSize(t, contain(v, p.expression()))
		default:
			t := p.tok()
			v = p.checkSize(t, contain(v, p.nameOrCall()))
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
	v.known = false
	return v
}

func (p *parser) mapLiteral() value {
	v := value{total: 1, made: true, least: infinite}
	p.expect("{")
	for p.refusal == nil && !p.at("}") {
		t := p.name()
		p.expect(":")
		v = p.checkSize(t, contain(v, p.expression()))
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
	return v
}

// brackets parses a list, a list comprehension or a pattern comprehension.
func (p *parser) brackets() value {
	open := p.tok()
	p.advance()
	if (p.tok().kind == word || p.tok().kind == quoted) && p.peek(1).name == "IN" {
		return p.comprehension(open)
	}
	if p.at("(") && p.startsPattern() || p.peek(1).name == "=" && p.peek(2).name == "(" && p.tok().kind != symbol &&
		p.patternAfter(2) {
		return p.patternComprehension(open)
	}
	v := emptyList()
	for p.refusal == nil && !p.at("]") {
		t := p.tok()
		v.push(p.expression())
		p.checkSize(t, v)
		if !p.accept(",") {
			break
		}
	}
	p.expect("]")
	return v
}

func (p *parser) patternAfter(n int) bool {
	p.i += n
	ok := p.startsPattern()
	p.i -= n
	return ok
}

// lastBar returns the index of the | of the comprehension that starts at open: the last one outside of other brackets.
func (p *parser) lastBar(open *token) int {
	last := 0
	for i := p.i; i < open.closing; i++ {
		if c := p.toks[i].closing; c > 0 {
			i = c
		} else if p.toks[i].name == "|" {
			last = i
		}
	}
	return last
}

// comprehension parses [x IN list WHERE condition | expression] after its bracket.
func (p *parser) comprehension(open *token) value {
	outerBar, mark := p.bar, p.mark()
	p.bar = p.lastBar(open)
	name := p.spelling(p.name())
	p.expect("IN")
	list := p.expression()
	p.bind(name, list.element())
	outer := p.enterLoop(open, list)
	if p.accept("WHERE") {
		p.expression()
	}
	v := list
	if p.accept("|") {
		body := p.expression()
		v = body
		v.size, v.inner, v.total = list.size, max(body.size, body.inner), max(1, list.size*body.total)
		v.made = list.made && body.made
		v.uses = list.uses + 2*body.uses
		v.grown = v.uses > 0
		v.level = max(list.level, body.level)
		v.nested = body.list
	}
	v.list, v.known = true, false
	p.loops, p.bar = outer, outerBar
	p.restore(mark)
	p.expect("]")
	return p.checkSize(open, v)
}

func (p *parser) patternComprehension(open *token) value {
	outerBar, mark := p.bar, p.mark()
	p.bar = p.lastBar(open)
	p.pattern()
	if p.accept("WHERE") {
		p.expression()
	}
	p.expect("|")
	rows, matched := p.rows, p.matched
	p.rows, p.matched = infinite, true
	v := p.expression()
	small := v.total
	v = p.collect(open, v)
	v.total = small * matchesOfOne
	p.rows, p.matched, p.bar = rows, matched, outerBar
	p.restore(mark)
	p.expect("]")
	return v
}
