package readonly

// patterns parses a list of path patterns, as in MATCH.
func (p *parser) patterns() {
	p.pattern()
	for p.accept(",") {
		p.pattern()
	}
}

// pattern parses one path pattern: a name, a selector such as ALL SHORTEST, and the path.
func (p *parser) pattern() {
	if p.peek(1).name == "=" {
		p.bind(p.spelling(p.name()), stored)
		p.advance()
	}
	for {
		switch t := p.tok(); {
		case t.name == "ANY" || t.name == "ALL" || t.name == "SHORTEST" || t.name == "PATH" || t.name == "PATHS" ||
			t.name == "GROUP" || t.name == "GROUPS" || t.kind == integer:
			p.advance()
			continue
		case t.name == "$":
			p.parameter()
			continue
		}
		break
	}
	p.path()
}

// path parses a sequence of nodes, relationships and parenthesized paths, or shortestPath(...) of one.
func (p *parser) path() {
	if !p.enter() {
		return
	}
	defer p.leave()
	if p.atEither("SHORTESTPATH", "ALLSHORTESTPATHS") {
		p.advance()
		p.expect("(")
		p.path()
		p.expect(")")
		return
	}
	if !p.at("(") {
		p.unexpected("a path pattern")
	}
	for {
		switch {
		case p.at("(") && p.peek(1).name == "(":
			p.advance()
			p.path()
			if p.accept("WHERE") {
				p.expression()
			}
			p.expect(")")
			p.quantifier()
		case p.at("("):
			p.node()
		case p.atEither("-", "<"):
			p.relationship()
			p.quantifier()
		default:
			return
		}
	}
}

// quantifier parses + * {2} {1,3} {,3} {1,} or nothing.
func (p *parser) quantifier() {
	if p.accept("+") || p.accept("*") || !p.accept("{") {
		return
	}
	for p.at(",") || p.tok().kind == integer {
		p.advance()
	}
	p.expect("}")
}

func (p *parser) node() {
	p.expect("(")
	p.filler()
	p.expect(")")
}

func (p *parser) relationship() {
	p.accept("<")
	p.expect("-")
	if p.accept("[") {
		p.filler()
		p.expect("]")
	}
	p.expect("-")
	p.accept(">")
}

// filler parses the inside of a node or relationship: name, labels, length, properties, WHERE.
func (p *parser) filler() {
	if p.namesElement() {
		p.bind(p.spelling(p.name()), stored)
	}
	if p.atEither(":", "IS") {
		p.advance()
		p.labels()
	}
	if p.accept("*") {
		for p.at("..") || p.tok().kind == integer {
			p.advance()
		}
	}
	if p.at("{") {
		p.mapLiteral()
	} else if p.at("$") {
		p.parameter()
	}
	if p.accept("WHERE") {
		p.expression()
	}
}

// namesElement distinguishes a name from the words WHERE and IS, which may also be names.
func (p *parser) namesElement() bool {
	t := p.tok()
	if t.kind == quoted {
		return true
	}
	if t.kind != word {
		return false
	}
	switch next := p.peek(1).name; next {
	case ")", "]", ":", "{", "*", "$", "IS", "WHERE":
		return true
	}
	return t.name != "WHERE" && t.name != "IS"
}

// labels parses a label expression after its colon or IS.
func (p *parser) labels() {
	if !p.enter() {
		return
	}
	defer p.leave()
	for {
		for p.accept("!") {
		}
		switch {
		case p.accept("("):
			p.labels()
			p.expect(")")
		case p.accept("%"):
		case p.accept("$"):
			if p.atEither("ALL", "ANY") {
				p.advance()
			}
			p.expect("(")
			p.expression()
			p.expect(")")
		default:
			p.name()
		}
		if p.at("|") && p.i != p.bar {
			p.advance()
			p.accept(":")
		} else if !p.accept("&") && !p.accept(":") {
			return
		}
	}
}

// startsPattern reports whether the current ( starts a path pattern in an expression, without backtracking: the inside
// looks like a node, and a relationship follows.
func (p *parser) startsPattern() bool {
	after := p.tok().closing + 1
	sign := func(n int) string { return p.toks[min(after+n, len(p.toks)-1)].name }
	n := 0
	if sign(n) == "<" {
		n++
	}
	if sign(n) != "-" || sign(n+1) != "[" && sign(n+1) != "-" {
		return false
	}
	switch first := p.peek(1); {
	case first.name == ")" || first.name == ":" || first.name == "{":
		return true
	case first.kind == word || first.kind == quoted:
		next := p.peek(2).name
		return next == ")" || next == ":" || next == "{" || next == "IS" || next == "WHERE" || first.name == "IS" || first.name == "WHERE"
	}
	return false
}
