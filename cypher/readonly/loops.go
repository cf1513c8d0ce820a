package readonly

// queryOf parses EXISTS, COUNT or COLLECT { ... }.
func (p *parser) queryOf() value {
	t := p.tok()
	p.advance()
	rows, generated, matched, outerBar := p.rows, p.generated, p.matched, p.bar
	var column value
	p.rows, p.generated = 1, 1
	p.subquery(func() {
		if p.at("(") || p.peek(1).name == "=" || p.atEither("SHORTEST", "ANY") ||
			p.atEither("SHORTESTPATH", "ALLSHORTESTPATHS") ||
			p.at("ALL") {
			p.patterns()
			if p.accept("WHERE") {
				p.expression()
			}
		} else {
			p.union()
		}
		if len(p.exports) > 0 {
			column = p.exports[0].value
		}
		if t.name == "COLLECT" {
			column = p.collect(t, column)
		}
		p.exports = nil
	})
	p.rows, p.generated, p.matched, p.bar = rows, generated, matched, outerBar
	switch t.name {
	case "COUNT":
		return anyNumber
	case "COLLECT":
		return column
	}
	return plain
}

// collect returns the list of v over the current rows.
func (p *parser) collect(t *token, v value) value {
	if !(p.generated <= maxValues) {
		p.refuse(t, "collects more rows than one value should hold",
			"Bound the rows with LIMIT before collecting them.")
	}
	c := v
	c.size = max(collectedSize, p.generated)
	c.made = !p.matched || p.generated > maxGrowthLength
	if !p.matched || p.rows < c.size {
		c.size = p.rows
	}
	c.inner = max(v.size, v.inner)
	c.nested = v.list || v.nested
	c.list, c.known = true, false
	c.total = max(1, c.size, v.total)
	if v.lazy || c.made {
		c.total = max(1, c.size*v.total)
	}
	return p.checkSize(t, c)
}

// quantifiedTest parses all, any, none or single (x IN list WHERE condition).
func (p *parser) quantifiedTest() value {
	t := p.tok()
	p.advance()
	p.expect("(")
	mark := p.mark()
	name := p.spelling(p.name())
	p.expect("IN")
	list := p.expression()
	p.bind(name, list.element())
	outer := p.enterLoop(t, list)
	if p.accept("WHERE") {
		p.expression()
	}
	p.loops = outer
	p.restore(mark)
	p.expect(")")
	return plain
}

const maxReduceDepth = 3

// reduce parses reduce(total = start, x IN list | body). The body is parsed twice: first with an empty accumulator to
// measure how much one iteration adds to it, then with its maximum size to measure the work of all iterations.
func (p *parser) reduce() value {
	t := p.tok()
	p.advance()
	p.expect("(")
	accumulator := p.spelling(p.name())
	p.expect("=")
	start := p.expression()
	p.expect(",")
	mark := p.mark()
	name := p.spelling(p.name())
	p.expect("IN")
	list := p.expression()
	p.expect("|")
	if p.reducing++; p.reducing > maxReduceDepth {
		p.refuse(t, "nests reduce() more than three deep", adviceReduce)
	}
	outer := p.enterLoop(t, list)
	begin, work := p.i, p.work

	acc := start
	acc.size, acc.inner, acc.total, acc.uses, acc.level, acc.known = 0, start.inner, 0, 1, p.reducing, false
	if acc.num {
		acc.lo, acc.hi = anyNumber.lo, anyNumber.hi
	}
	again := func(acc value) value {
		if p.refusal != nil {
			return plain
		}
		p.i, p.work = begin, work
		p.bind(accumulator, acc)
		p.bind(name, list.element())
		return p.expression()
	}
	body := again(acc)
	if acc.num && !body.scalar() { // the accumulator starts as a number but does not remain one
		acc.num = false
		body = again(acc)
	}
	if p.refusal != nil {
		return plain
	}
	if body.uses > 1 && !(body.scalar() && start.scalar()) {
		p.refuse(t, "uses its accumulator more than once, so that it can double with each turn", adviceReduce)
		return plain
	}
	final := p.reduceResult(t, start, list, body)

	acc = final
	acc.uses, acc.level, acc.known = 1, p.reducing, false
	if limit := again(acc); !final.scalar() {
		final = join(final, limit)
		final.uses, final.level, final.grown = 0, 0, false
	}

	p.loops = outer
	p.reducing--
	p.restore(mark)
	p.expect(")")
	return final
}

// reduceResult returns the result of reduce(), given the result of one iteration with an empty accumulator.
func (p *parser) reduceResult(t *token, start, list, body value) value {
	if body.scalar() && start.scalar() {
		return anyNumber
	}
	v := join(start, body)
	v.uses, v.level, v.grown, v.num = 0, 0, false, false
	v.made = start.made && list.made && body.made
	if body.uses == 0 || !body.grown {
		return v
	}
	turns := max(1, list.size)
	if (start.list || body.list) && turns > maxGrowthLength && (list.made || turns > collectedSize) {
		p.refuse(t, "builds a list in more turns than the server can bear",
			"Use a list comprehension, or UNWIND and collect().")
	}
	v.size = start.size + turns*body.size
	v.total = start.total + turns*body.total
	p.spend(t, p.loops*v.total/32)
	return p.checkSize(t, v)
}
