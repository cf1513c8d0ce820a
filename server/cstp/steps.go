package cstp

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// steps makes several steps, until one returns an error.
func steps(all ...step) step {
	return func(ctx context.Context, params object) error {
		for _, one := range all {
			if err := one(ctx, params); err != nil {
				return err
			}
		}
		return nil
	}
}

// forEach makes a step that cannot fail for each of the names.
func forEach(names []string, visit func(params object, name string)) step {
	return func(_ context.Context, params object) error {
		for _, name := range names {
			visit(params, name)
		}
		return nil
	}
}

// renamed renames a parameter. It returns a validation_error if both names are given with different values; null
// counts as absent.
func renamed(to string, from ...string) step {
	return func(_ context.Context, params object) error {
		for _, name := range from {
			value, ok := params[name]
			delete(params, name)
			if !ok || value == nil {
				continue
			}
			if err := setParam(params, to, value, name, to); err != nil {
				return err
			}
		}
		return nil
	}
}

// setParam sets a parameter from its value under the name one, unless the call also has it under the name other. It
// returns a validation_error if the values differ.
func setParam(params object, name string, value any, one, other string) error {
	switch there := params[name]; {
	case there == nil:
		params[name] = value
	case value != nil && !reflect.DeepEqual(there, value):
		return apperr.Newf(apperr.Validation, "`%s` and `%s` differ", one, other).
			WithHint("Set only one, or both to the same value")
	}
	return nil
}

// leaveOut drops members of an object.
func leaveOut(params object, names ...string) {
	for _, name := range names {
		delete(params, name)
	}
}

// without drops parameters that CSTP clients send and that have no effect here.
func without(names ...string) step {
	return forEach(names, func(params object, name string) { delete(params, name) })
}

// nonNull drops parameters that are null.
func nonNull(names ...string) step {
	return forEach(names, func(params object, name string) {
		if params[name] == nil {
			delete(params, name)
		}
	})
}

// listed wraps single values in lists.
func listed(names ...string) step {
	return forEach(names, func(params object, name string) {
		if one, ok := params[name].(string); ok {
			params[name] = []any{one}
		}
	})
}

// standard sets a parameter that is absent or null.
func standard(name string, value any) step {
	return forEach([]string{name}, func(params object, name string) { present(value, name)(params) })
}

// atMost caps a parameter at the operation's maximum.
func atMost(name string, limit int64) step {
	return forEach([]string{name}, func(params object, name string) {
		n, _ := params[name].(json.Number)
		if input, err := n.Int64(); err == nil && input > limit {
			params[name] = json.Number(strconv.FormatInt(limit, 10))
		}
	})
}

// within makes a step in an object parameter, if there is one.
func within(name string, one step) step {
	return func(ctx context.Context, params object) error {
		if child := childOf(params, name); child != nil {
			return one(ctx, child)
		}
		return nil
	}
}

// opened moves the members of an object parameter to the top level. It returns a validation_error if one exists there
// with a different value.
func opened(names ...string) step {
	return func(_ context.Context, params object) error {
		for _, name := range names {
			value := params[name]
			members, ok := value.(object)
			if !ok && value != nil {
				return apperr.Newf(apperr.Validation, "`%s` is not an object", name).WithHint("Send a JSON object")
			}
			delete(params, name)
			for key, member := range members {
				if err := setParam(params, key, member, name+"."+key, key); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func childOf(params object, name string) object {
	child, _ := params[name].(object)
	return child
}

func eachItem(answer object, name string, visit func(one object)) {
	list, _ := answer[name].([]any)
	for _, one := range list {
		if one, ok := one.(object); ok {
			visit(one)
		}
	}
}

// timeWithoutZone matches a time without a zone, which means UTC in CSTP.
var timeWithoutZone = pattern.New(`^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$`)

// inUTC adds the zone UTC to times without a zone.
func inUTC(names ...string) step {
	return forEach(names, func(params object, name string) {
		if at, ok := params[name].(string); ok && timeWithoutZone.MatchString(at) {
			at = strings.Replace(at, " ", "T", 1)
			if strings.Count(at, ":") == 1 {
				at += ":00"
			}
			params[name] = at + "Z"
		}
	})
}

// changes makes several changes.
func changes(all ...change) change {
	return func(answer object) {
		for _, one := range all {
			one(answer)
		}
	}
}

// each changes each object in a list.
func each(name string, all ...change) change {
	return func(answer object) { eachItem(answer, name, changes(all...)) }
}

// inside changes an object in the answer, if there is one.
func inside(name string, one change) change {
	return func(answer object) {
		if child := childOf(answer, name); child != nil {
			one(child)
		}
	}
}

// copied adds a member under another name.
func copied(to, from string) change { return func(answer object) { answer[to] = answer[from] } }

// set sets a member.
func set(name string, value any) change { return func(answer object) { answer[name] = value } }

// present sets members that are absent or null.
func present(value any, names ...string) change {
	return func(answer object) {
		for _, name := range names {
			if answer[name] == nil {
				answer[name] = value
			}
		}
	}
}

// moved renames a member that exists.
func moved(to, from string) change {
	return func(answer object) {
		if value, ok := answer[from]; ok {
			delete(answer, from)
			answer[to] = value
		}
	}
}

// snaked renames members to snake case.
func snaked(names ...string) change {
	return func(answer object) {
		for _, name := range names {
			var snake strings.Builder
			for _, r := range name {
				if unicode.IsUpper(r) {
					snake.WriteByte('_')
				}
				snake.WriteRune(unicode.ToLower(r))
			}
			moved(snake.String(), name)(answer)
		}
	}
}
