package readonly

import (
	"encoding/json"
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
	switch x := param.(type) {
	case nil, bool:
		return plain
	case int:
		return number(float64(x), float64(x))
	case int64:
		return number(float64(x), float64(x))
	case float64:
		return number(x, x)
	case json.Number:
		f, err := x.Float64()
		if err != nil {
			return anyNumber
		}
		return number(f, f)
	case string:
		n := float64(len(x))
		return value{size: n, least: n, total: 1 + n/16, known: true, str: x}
	case []any:
		v := emptyList()
		for _, e := range x {
			v.push(measure(e))
		}
		return v
	case map[string]any:
		v := value{total: 1, least: infinite}
		for _, e := range x {
			v = contain(v, measure(e))
		}
		v.list, v.num = false, false
		return v
	}
	switch r := reflect.ValueOf(param); r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return number(float64(r.Int()), float64(r.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return number(float64(r.Uint()), float64(r.Uint()))
	case reflect.Float32, reflect.Float64:
		return number(r.Float(), r.Float())
	case reflect.String:
		return measure(r.String())
	case reflect.Slice, reflect.Array:
		v := emptyList()
		for i := range r.Len() {
			v.push(measure(r.Index(i).Interface()))
		}
		return v
	case reflect.Map:
		v := value{total: 1, least: infinite}
		for it := r.MapRange(); it.Next(); {
			v = contain(v, measure(it.Value().Interface()))
		}
		v.list, v.num = false, false
		return v
	case reflect.Pointer, reflect.Interface:
		if r.IsNil() {
			return plain
		}
		return measure(r.Elem().Interface())
	case reflect.Struct: // date, point or duration of the driver
		return plain
	}
	return unknown
}
