package readonly

import (
	"strings"
	"unicode/utf8"
)

// A Query is the result of Parse.
type Query struct {
	// Body is the query without its final semicolon, a leading EXPLAIN, PROFILE or CYPHER 5, and nodes that hold secrets.
	Body       string
	Explain    bool     // begins with EXPLAIN
	Profile    bool     // begins with PROFILE
	Volume     float64  // maximum number of values in one row; a string counts as one value per 16 bytes
	Parameters []string // names of used parameters in the order of first use
	Uses       []Use    // all uses of parameters

	begin int         // place of Body in the source
	added []insertion // texts of Body that are not in the source
}

// A Use is a use of a parameter. $name.key and $name['key'] have a Key; $name[$other.key] has Other and Key. Both are
// empty if the whole parameter or an unknown part of it is used.
type Use struct{ Parameter, Key, Other string }

// Check reports whether query may run as a read with these parameters. It returns nil or a *Refusal.
func Check(query string, params map[string]any) error {
	_, err := Parse(query, params)
	return err
}

// Parse is like Check and also describes the query. Its error is nil or a *Refusal. A parameter that is missing from
// params is not an error; a limit that depends on it counts as exceeded.
func Parse(query string, params map[string]any) (Query, error) {
	if !utf8.ValidString(query) {
		i := strings.IndexRune(query, utf8.RuneError)
		return Query{}, refusalAt(query, i, i+1, "is not valid UTF-8 text", "Send the query as UTF-8.")
	}
	toks, refusal := tokens(query)
	if refusal != nil {
		return Query{}, refusal
	}
	p := &parser{src: query, params: params, toks: toks, scope: newScope()}
	p.statement()
	if p.refusal != nil {
		return Query{}, p.refusal
	}
	p.query.Volume = p.volume
	return p.query, nil
}

// A parser reads the tokens once. The first refusal is kept and moves the parser to the last token, so that all loops
// end.
type parser struct {
	src     string
	toks    []token
	i       int
	depth   int // recursion depth
	bar     int // index of the | of the current list comprehension, as opposed to one in a label expression
	params  map[string]any
	query   Query
	refusal *Refusal
	added   []insertion
	scope
}

func (p *parser) tok() *token { return &p.toks[p.i] }

func (p *parser) peek(n int) *token { return &p.toks[min(p.i+n, len(p.toks)-1)] }

func (p *parser) at(name string) bool { return p.toks[p.i].name == name }

func (p *parser) atEither(a, b string) bool { return p.at(a) || p.at(b) }

func (p *parser) advance() {
	if p.i < len(p.toks)-1 {
		p.i++
	}
}

func (p *parser) accept(name string) bool {
	if p.at(name) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(name string) {
	if !p.accept(name) {
		p.unexpected(name)
	}
}

// name accepts a name and returns its token.
func (p *parser) name() *token {
	t := p.tok()
	if t.kind != word && t.kind != quoted {
		p.unexpected("a name")
	}
	p.advance()
	return t
}

// spelling returns the name of a token without backticks.
func (p *parser) spelling(t *token) string {
	s := p.src[t.start:t.end]
	if t.kind != quoted {
		return s
	}
	s = s[1 : len(s)-1]
	if strings.Contains(s, "``") {
		s = strings.ReplaceAll(s, "``", "`")
	}
	return s
}

// refuse records the first refusal and stops the parser.
func (p *parser) refuse(t *token, reason, instead string) {
	if p.refusal == nil {
		p.refusal = refusalAt(p.src, t.start, t.end, reason, instead)
	}
	p.i = len(p.toks) - 1
}

func (p *parser) unexpected(wanted string) {
	t := p.tok()
	if why, ok := refusedClauses()[t.name]; ok {
		p.refuse(t, why[0], why[1])
		return
	}
	if t.kind == word && !ascii(p.src[t.start:t.end]) {
		p.refuse(t, "is not a known word, and is not written in plain letters",
			"Keywords are written in ASCII letters.")
		return
	}
	if t.name == ";" {
		p.refuse(t, "ends the query too early", "Send one query at a time.")
		return
	}
	p.refuse(t, "stands where "+wanted+" is expected", "Only reading Cypher 5 is understood here.")
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// enter counts the recursion depth, which brackets alone do not limit (CASE has none).
func (p *parser) enter() bool {
	p.depth++
	if p.depth > 4*maxNestDepth {
		p.refuse(p.tok(), "nests too deeply", "Split the expression with WITH.")
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// statement parses the whole text.
func (p *parser) statement() {
prefix:
	for {
		switch t := p.tok(); t.name {
		case "EXPLAIN", "PROFILE":
			if p.query.Explain || p.query.Profile {
				p.refuse(t, "is a second EXPLAIN or PROFILE", "Use one of them.")
			}
			p.query.Explain, p.query.Profile = t.name == "EXPLAIN", t.name == "PROFILE"
		case "CYPHER":
			p.advance()
			if p.src[p.tok().start:p.tok().end] != "5" || p.peek(1).name == "=" {
				p.refuse(t, "sets options of the planner, the runtime or the language",
					"Leave it out, or write CYPHER 5.")
			}
		default:
			break prefix
		}
		p.advance()
	}
	begin := p.tok().start
	if p.at("SHOW") {
		p.show()
	} else {
		p.union()
	}
	stop := p.tok().start
	if p.accept(";") && p.tok().kind != end {
		p.refuse(p.tok(), "begins a second statement", "Send one query at a time.")
	}
	if p.refusal == nil && p.tok().kind != end {
		p.unexpected("a clause")
	}
	if p.refusal == nil {
		p.query.begin = begin
		p.query.Body, p.query.added = p.withoutSecrets(begin, stop)
	}
}
