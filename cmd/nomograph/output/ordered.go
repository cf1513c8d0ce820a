package output

import "github.com/tidwall/gjson"

// field is a member of a JSON object.
type field struct {
	name  string
	value gjson.Result
}

// membersOf returns the members of an object in their order, and none of another value.
func membersOf(value gjson.Result) []field {
	object := []field{}
	if !value.IsObject() {
		return object
	}
	value.ForEach(func(name, member gjson.Result) bool {
		object = append(object, field{name.String(), member})
		return true
	})
	return object
}

// member returns the named member, or null.
func member(object []field, name string) gjson.Result {
	for _, f := range object {
		if f.name == name {
			return f.value
		}
	}
	return gjson.Result{}
}
