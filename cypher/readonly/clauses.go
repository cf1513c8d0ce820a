package readonly

import "strings"

// union parses a query: parts joined by UNION.
func (p *parser) union() {
	mark, rows, generated := p.mark(), p.rows, p.generated
	p.part()
	for p.accept("UNION") {
		if !p.accept("ALL") {
			p.accept("DISTINCT")
		}
		columns, sum, limit := p.exports, p.rows, p.generated
		p.exports = nil
		p.restore(mark)
		p.rows, p.generated = rows, generated
		p.part()
		p.rows, p.generated = p.rows+sum, max(p.generated, limit)
		for i, c := range columns {
			if i < len(p.exports) && p.exports[i].name == c.name {
				p.exports[i].value = join(p.exports[i].value, c.value)
			} else if i >= len(p.exports) {
				p.exports = append(p.exports, c)
			}
		}
	}
}

// part parses clauses up to UNION, a bracket, a semicolon or the end. The server checks the order of the clauses: each
// of them only reads.
func (p *parser) part() {
	if !p.enter() {
		return
	}
	defer p.leave()
	for first := true; ; first = false {
		switch p.tok().name {
		case "MATCH":
			p.advance()
			p.match()
		case "OPTIONAL":
			p.advance()
			if p.accept("CALL") {
				p.call()
			} else {
				p.expect("MATCH")
				p.match()
			}
		case "WITH", "RETURN":
			p.projection()
		case "UNWIND":
			p.advance()
			p.unwind()
		case "CALL":
			p.advance()
			p.call()
		case "WHERE", "ORDER", "SKIP", "OFFSET", "LIMIT":
			p.refine()
		case "FINISH":
			p.advance()
		default:
			if t := p.tok(); first || t.kind != end && t.name != ";" && t.name != "}" && t.name != "UNION" {
				p.unexpected("a clause that reads")
			}
			return
		}
	}
}

// match parses the rest of MATCH.
func (p *parser) match() {
	p.matched, p.rows = true, infinite
	p.patterns()
	for p.accept("USING") {
		p.hint()
	}
}

// hint parses the rest of USING: INDEX n:Label(key), TEXT INDEX SEEK n:Label(key), SCAN n:Label, JOIN ON n, m.
func (p *parser) hint() {
	if p.accept("JOIN") {
		p.expect("ON")
		p.name()
		for p.accept(",") {
			p.name()
		}
		return
	}
	if !p.accept("SCAN") {
		if p.at("TEXT") || p.at("RANGE") || p.at("POINT") {
			p.advance()
		}
		p.expect("INDEX")
		if p.at("SEEK") && p.peek(1).name != ":" {
			p.advance()
		}
	}
	p.name()
	p.expect(":")
	p.name()
	if p.accept("(") {
		p.name()
		for p.accept(",") {
			p.name()
		}
		p.expect(")")
	}
}

// refine parses WHERE, ORDER BY, SKIP, OFFSET or LIMIT.
func (p *parser) refine() {
	switch t := p.tok(); t.name {
	case "WHERE":
		p.advance()
		p.expression()
	case "ORDER":
		p.advance()
		p.expect("BY")
		for {
			p.expression()
			if p.at("ASC") || p.at("ASCENDING") || p.at("DESC") || p.at("DESCENDING") {
				p.advance()
			}
			if !p.accept(",") {
				return
			}
		}
	default:
		p.advance()
		if n := p.expression(); t.name == "LIMIT" && n.scalar() && n.hi >= 0 {
			p.rows = min(p.rows, max(n.hi, 1))
		}
	}
}

// projection parses WITH or RETURN.
func (p *parser) projection() {
	returns := p.at("RETURN")
	p.advance()
	p.accept("DISTINCT")
	p.exports = p.exports[:0]
	volume := 0.0
	if p.accept("*") {
		if returns && p.base >= 0 { // the subquery returns all its names
			for _, u := range p.undo[p.base:] {
				p.exports = append(p.exports, binding{u.name, p.vars[u.name]})
			}
		}
		if !p.accept(",") {
			return
		}
	}
	items := len(p.exports)
	for p.refusal == nil {
		start := p.tok()
		v := p.expression()
		name := ""
		if p.accept("AS") {
			name = p.spelling(p.name())
		} else if start.end == p.toks[max(p.i-1, 0)].end && (start.kind == word || start.kind == quoted) {
			name = p.spelling(start)
		}
		if volume += v.total; volume > maxValues {
			p.refuse(start, "makes a row too large", adviceValues)
		}
		p.volume = max(p.volume, volume)
		if name != "" {
			p.exports = append(p.exports, binding{name, v})
		}
		if !p.accept(",") {
			break
		}
	}
	for _, b := range p.exports[items:] {
		p.bind(b.name, b.value)
	}
}

// unwind parses the rest of UNWIND.
func (p *parser) unwind() {
	list := p.expression()
	p.expect("AS")
	p.rows *= max(list.size, 1)
	if list.made {
		p.generated *= max(list.size, 1)
	}
	p.bind(p.spelling(p.name()), list.element())
}

// call parses the rest of CALL: a subquery or a procedure.
func (p *parser) call() {
	if p.accept("(") {
		if !p.accept("*") && !p.at(")") {
			p.name()
			for p.accept(",") {
				p.name()
			}
		}
		p.expect(")")
		if !p.at("{") {
			p.unexpected("{")
		}
	}
	if p.at("{") {
		rows, generated := p.rows, p.generated
		p.rows, p.generated = 1, 1
		p.subquery(p.union)
		p.rows, p.generated = p.rows*rows, p.generated*generated
		if p.at("IN") {
			p.refuse(p.tok(), "begins IN TRANSACTIONS, which commits while the query runs",
				"Use CALL { ... } without IN TRANSACTIONS.")
		}
		return
	}
	p.procedure()
}

// subquery parses { body }. Names of the subquery end with it; returned names remain.
func (p *parser) subquery(body func()) {
	p.expect("{")
	mark, outer, base := p.mark(), p.exports, p.base
	p.exports, p.base = nil, mark
	body()
	p.expect("}")
	p.base = base
	p.restore(mark)
	for _, b := range p.exports {
		p.bind(b.name, b.value)
	}
	p.exports = outer
}

// show parses a SHOW command.
func (p *parser) show() {
	p.advance()
	kind := ""
	for kind == "" {
		t := p.tok()
		switch t.name {
		case "INDEX", "INDEXES", "CONSTRAINT", "CONSTRAINTS", "FUNCTION", "FUNCTIONS", "PROCEDURE", "PROCEDURES":
			kind = t.name
		case "ALL", "FULLTEXT", "LOOKUP", "POINT", "RANGE", "TEXT", "VECTOR", "UNIQUE", "UNIQUENESS", "EXIST",
			"EXISTENCE", "PROPERTY",
			"NODE", "REL", "RELATIONSHIP", "KEY", "TYPE", "BUILT", "IN", "DEFINED":
		case "USER":
			if p.peek(1).name != "DEFINED" {
				p.refuse(t, "shows accounts", oneSession)
				return
			}
		default:
			if why, ok := refusedClauses()[t.name]; ok && !strings.HasPrefix(why[0], "writes") {
				p.refuse(t, why[0], why[1])
			} else {
				p.refuse(t, "is not something that SHOW may show here",
					"SHOW INDEXES, CONSTRAINTS, FUNCTIONS and PROCEDURES are allowed.")
			}
			return
		}
		p.advance()
	}
	if p.accept("EXECUTABLE") && p.accept("BY") {
		if !p.accept("CURRENT") || !p.accept("USER") {
			p.refuse(p.tok(), "asks about another account", "Use EXECUTABLE BY CURRENT USER, or leave it out.")
		}
	}
	if p.accept("YIELD") {
		p.yield()
	}
	for p.refusal == nil {
		switch p.tok().name {
		case "WHERE", "ORDER", "SKIP", "OFFSET", "LIMIT":
			p.refine()
		case "RETURN":
			p.projection()
		default:
			if t := p.tok(); t.kind != end && t.name != ";" {
				p.unexpected("YIELD, WHERE or RETURN")
			}
			return
		}
	}
}

// yield parses the rest of YIELD.
func (p *parser) yield() {
	if p.accept("*") {
		return
	}
	for {
		t := p.name()
		if p.accept("AS") {
			t = p.name()
		}
		p.bind(p.spelling(t), stored)
		if !p.accept(",") {
			return
		}
	}
}
