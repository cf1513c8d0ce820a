package readonly

import (
	_ "embed"
	"sync"
)

//go:embed procedures.txt
var procedureList string

// procedures lists the allowed procedures.
var procedures = sync.OnceValue(func() map[string]string { return wordMap(procedureList) })

// maxNeighbors is the maximum number of results of a vector index query, which allocates memory for all of them.
const maxNeighbors = 10_000

// procedure parses a procedure call after CALL.
func (p *parser) procedure() {
	begin := p.i
	if k := p.tok().kind; k != word && k != quoted {
		p.unexpected("a procedure or a subquery")
		return
	}
	name := p.dottedName()
	if _, ok := procedures()[name]; !ok {
		p.refuseCall(begin, "procedure", name)
		return
	}
	p.matched = true
	p.rows = infinite
	vector := name == "db.index.vector.queryNodes" || name == "db.index.vector.queryRelationships"
	fullText := name == "db.index.fulltext.queryNodes" || name == "db.index.fulltext.queryRelationships"
	if (vector || fullText) && !p.at("(") {
		p.unexpected("( and the arguments") // without arguments the server uses parameters that the guard does not see
		return
	}
	if p.accept("(") {
		for n := 0; p.refusal == nil && !p.at(")"); n++ {
			t := p.tok()
			v := p.expression()
			if n == 1 && vector && !(v.scalar() && v.hi <= maxNeighbors) {
				p.refuse(t, "asks a vector index for more neighbors than 10,000, or for a number that is not known before the query runs",
					"Give the number as a literal or a parameter.")
			}
			if n == 1 && fullText {
				p.fullText(t, v)
			}
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
	}
	if p.accept("YIELD") {
		p.yield()
	}
}
