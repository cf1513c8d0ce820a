package readonly

import (
	"math"
	"reflect"
	"strings"
)

// parameter parses $name and returns what is known about its value.
func (p *parser) parameter() value {
	p.expect("$")
	t := p.tok()
	if t.kind != word && t.kind != quoted && t.kind != integer {
		p.unexpected("the name of a parameter")
		return plain
	}
	p.advance()
	name := p.spelling(t)
	p.query.Uses = append(p.query.Uses, p.use(name))
	if v, ok := p.given[name]; ok {
		return v
	}
	v := unknown
	if value, ok := p.params[name]; ok {
		v = measure(value)
		v.made = true
	}
	p.given[name] = v
	p.query.Parameters = append(p.query.Parameters, name)
	return v
}

// use determines how a parameter is used from what follows it.
func (p *parser) use(name string) Use {
	u, next := Use{Parameter: name}, p.peek(1)
	named := func(t *token) bool { return t.kind == word || t.kind == quoted }
	switch {
	case p.at(".") && named(next):
		u.Key = p.spelling(next)
	case p.at("[") && next.kind == text && p.peek(2).name == "]" && !strings.Contains(p.src[next.start:next.end], `\`):
		u.Key = p.src[next.start+1 : next.end-1]
	case p.at("[") && next.name == "$" && named(p.peek(2)) && p.peek(3).name == "." && named(p.peek(4)) &&
		p.peek(5).name == "]":
		u.Other, u.Key = p.spelling(p.peek(2)), p.spelling(p.peek(4))
	}
	return u
}

// measure returns the size of a parameter.
func measure(param any) value {
	switch r := reflect.ValueOf(param); r.Kind() {
	case reflect.Invalid, reflect.Bool, reflect.Struct: // null, a truth value; date, point or duration of the driver
		return plain
	case reflect.Int, reflect.Int32, reflect.Int64:
		return number(float64(r.Int()), float64(r.Int()))
	case reflect.Uint8: // of bytes
		return number(0, math.MaxUint8)
	case reflect.Float64:
		return number(r.Float(), r.Float())
	case reflect.String:
		n := float64(r.Len())
		return value{size: n, least: n, total: 1 + n/16, known: true, str: r.String()}
	case reflect.Slice:
		v := emptyList()
		for _, element := range r.Seq2() {
			v.push(measure(element.Interface()))
		}
		return v
	case reflect.Map:
		v := value{total: 1, least: infinite}
		for _, element := range r.Seq2() {
			v = contain(v, measure(element.Interface()))
		}
		v.list, v.num = false, false
		return v
	}
	return unknown
}
