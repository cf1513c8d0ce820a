package readonly

import (
	"slices"
	"strings"
)

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
	p.path(true)
}

// path parses a sequence of nodes, relationships and parenthesized paths, or shortestPath(...) of one. Nodes with
// secrets are hidden except in an expression's shortestPath, whose nodes must be known already and have no label
// expression.
func (p *parser) path(hide bool) {
	if !p.enter() {
		return
	}
	defer p.leave()
	if p.atEither("SHORTESTPATH", "ALLSHORTESTPATHS") {
		p.advance()
		p.expect("(")
		p.path(hide)
		p.expect(")")
		return
	}
	if !p.at("(") {
		p.unexpected("a path pattern")
	}
	for afterNode := false; ; {
		switch {
		case p.at("(") && p.peek(1).name == "(":
			p.advance()
			p.path(hide)
			if p.accept("WHERE") {
				p.expression()
			}
			p.expect(")")
			if t := p.tok(); p.quantifier() && !(afterNode && p.at("(") && p.peek(1).name != "(") {
				p.refuse(t, "may repeat nothing, and then matches a node that the pattern does not name",
					"Write a node before and after it, such as (a) ((x)-->(y))* (b).")
			}
			afterNode = false
		case p.at("("):
			p.node(hide)
			afterNode = true
		case p.atEither("-", "<"):
			p.relationship()
			p.quantifier()
		default:
			return
		}
	}
}

// quantifier parses + * {2} {1,3} {,3} {1,} or nothing, and reports whether it allows no repetition.
func (p *parser) quantifier() (none bool) {
	if p.accept("+") {
		return false
	}
	if p.accept("*") {
		return true
	}
	if !p.accept("{") {
		return false
	}
	none = p.at(",") || strings.Trim(p.src[p.tok().start:p.tok().end], "0_xXoO") == ""
	for p.at(",") || p.tok().kind == integer {
		p.advance()
	}
	p.expect("}")
	return none
}

func (p *parser) node(hide bool) {
	p.expect("(")
	p.filler(hide)
	p.expect(")")
}

func (p *parser) relationship() {
	p.accept("<")
	p.expect("-")
	if p.accept("[") {
		p.filler(false)
		p.expect("]")
	}
	p.expect("-")
	p.accept(">")
}

// filler parses the inside of a node or relationship: name, labels, length, properties, WHERE.
func (p *parser) filler(hide bool) {
	if p.namesElement() {
		p.bind(p.spelling(p.name()), stored)
	}
	labeled := p.atEither(":", "IS")
	if labeled {
		p.advance()
	}
	start := p.tok().start
	plain := labeled && p.labels()
	if hide && !plain {
		p.hideSecrets(labeled, start, p.toks[p.i-1].end)
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

// labels parses a label expression after its colon or IS. It reports whether the expression consists of names only, so
// that a node of another label cannot match it.
func (p *parser) labels() (plain bool) {
	if !p.enter() {
		return false
	}
	defer p.leave()
	plain = true
	for {
		for p.accept("!") {
			plain = false
		}
		switch {
		case p.accept("("):
			plain = p.labels() && plain
			p.expect(")")
		case p.accept("%"):
			plain = false
		case p.accept("$"):
			plain = false
			if p.atEither("ALL", "ANY") {
				p.advance()
			}
			p.expect("(")
			p.expression()
			p.expect(")")
		default:
			if t := p.name(); slices.Contains(SecretLabels, p.spelling(t)) {
				p.refuse(t, "holds hashes of secrets", "Use `list_tokens` or `nomograph token list`, which show everything else.")
			}
		}
		if p.at("|") && p.i != p.bar {
			p.advance()
			p.accept(":")
		} else if !p.accept("&") && !p.accept(":") {
			return plain
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
		return next == ")" || next == ":" || next == "{" || next == "IS" || next == "WHERE" || first.name == "IS" ||
			first.name == "WHERE"
	}
	return false
}
