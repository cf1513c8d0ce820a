package render

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// sequences matches terminal escape sequences: colors, cursor movements, titles, links (OSC 8), clipboard (OSC 52).
var sequences = sync.OnceValue(func() *regexp.Regexp {
	const (
		control = "(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]"
		text    = "(?:\x1b[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)"
		short   = "\x1b[ -/]*[0-~]"
	)
	return regexp.MustCompile(control + "|" + text + "|" + short)
})

// flags are the three emoji for which Unicode recommends tag characters. Other tags are hidden text.
var flags = [...]string{tagSequence("gbeng"), tagSequence("gbsct"), tagSequence("gbwls")}

const (
	blackFlag = '\U0001f3f4'
	tags      = '\U000e0000' // tag of NUL; those of the other ASCII characters follow
	lastTag   = '\U000e007f'
)

func tagSequence(region string) string {
	return string(blackFlag) + strings.Map(func(r rune) rune { return tags + r }, region) + string(lastTag)
}

// Clean removes characters from a recorded text that its reader cannot see. These are escape sequences, control
// characters except newline and tab, bidirectional controls, invisible characters, and invalid UTF-8. Other line breaks
// become newlines. Joiners and variation selectors remain where scripts and emoji need them. The result is never
// longer, and cleaning it again changes nothing.
func Clean(text string) string {
	if isPlain(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "")
	if strings.ContainsAny(text, "\x1b\u0090\u0098\u009b\u009d\u009e\u009f") {
		text = sequences().ReplaceAllLiteralString(text, "")
	}
	var b strings.Builder
	b.Grow(len(text))
	before := rune(0) // last character that was kept
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		if r == blackFlag {
			for _, flag := range flags {
				if strings.HasPrefix(text[i:], flag) {
					size = len(flag)
				}
			}
		}
		written := text[i : i+size]
		i += size
		switch {
		case r == '\r' && strings.HasPrefix(rest, "\n"):
			continue
		case strings.ContainsRune("\r\v\f\u0085\u2028\u2029", r):
			r, written = '\n', "\n"
		case hidden(r) && !isNeeded(before, r):
			continue
		}
		b.WriteString(written)
		before = r
	}
	return b.String()
}

// isPlain reports whether a text consists of printable ASCII, newlines and tabs. Most texts do.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// hidden reports whether the character has no visible form.
func hidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
			unicode.Noncharacter_Code_Point) &&
			!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// isNeeded reports whether a hidden character changes how the previous one is shown in scripts and emoji.
func isNeeded(before, r rune) bool {
	const (
		nonJoiner, joiner    = '\u200c', '\u200d'
		asText, asEmoji      = '\ufe0e', '\ufe0f'
		emojiAmongCharacters = "#*0123456789‼⁉〰ℹ"
	)
	switch {
	case r == joiner || r == nonJoiner: // Persian, scripts of India, family emoji
		return before > unicode.MaxASCII && unicode.In(before, unicode.L, unicode.M, unicode.So, unicode.Sk) &&
			!unicode.In(before, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han)
	case r == asText || r == asEmoji:
		return unicode.In(before, unicode.So, unicode.Sm) || strings.ContainsRune(emojiAmongCharacters, before)
	case unicode.Is(unicode.Variation_Selector, r):
		return unicode.In(before, unicode.Han, unicode.Mongolian, unicode.Myanmar, unicode.Phags_Pa, unicode.Sm)
	}
	return false
}

// CleanValue returns a value with Clean applied to all texts in it, including map keys, and with empty lists in place
// of the nil ones that JSON would show as null. It changes nothing in place: changed parts are copied, and a value
// without them is returned unchanged. Unexported fields and fields with the tag recorded:"exact" remain, because their
// bytes are verified or parsed again.
func CleanValue(value any) any { return edit{change: Clean}.apply(value) }

// QuoteValue returns a value with "> " before each line of its texts except the first, so that recorded lines cannot be
// taken for Nomograph's own text. Fields with the tag recorded:"lines" remain, because their type quotes them itself or
// wrote the lines.
func QuoteValue(value any) any { return edit{change: quoteRest, lines: true}.apply(value) }

const quote = "> "

func quoteRest(text string) string { return strings.ReplaceAll(text, "\n", "\n"+quote) }

// Quote puts "> " before each line of a text.
func Quote(text string) string { return quote + quoteRest(text) }

// edit changes all texts in a value.
type edit struct {
	change func(string) string
	lines  bool // skip fields tagged "lines", and JSON
}

func (e edit) apply(value any) any {
	if value == nil {
		return nil
	}
	if edited, changed := e.value(reflect.ValueOf(value)); changed {
		return edited.Interface()
	}
	return value
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

// value returns v with all its texts changed, and whether a text changed.
func (e edit) value(v reflect.Value) (_ reflect.Value, changed bool) {
	if !holdsText(v.Type()) {
		return v, false
	}
	switch v.Kind() {
	case reflect.String:
		text := e.change(v.String())
		if text == v.String() {
			return v, false
		}
		return reflect.ValueOf(text).Convert(v.Type()), true
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v, false
		}
		inside, changed := e.value(v.Elem())
		if !changed || v.Kind() == reflect.Interface {
			return inside, changed
		}
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(inside)
		return copied, true
	case reflect.Slice:
		if v.Type() == rawJSON {
			if e.lines {
				return v, false
			}
			return e.json(v)
		}
		return e.list(v)
	case reflect.Map:
		return e.dict(v)
	case reflect.Struct:
		copied := v
		for _, f := range texts(v.Type()) {
			if e.lines && f.lines {
				continue
			}
			field, dirty := e.value(v.FieldByIndex(f.path))
			if f.shown && field.IsNil() {
				field, dirty = reflect.MakeSlice(field.Type(), 0, 0), true
			}
			if !dirty {
				continue
			}
			if !changed {
				copied, changed = reflect.New(v.Type()).Elem(), true
				copied.Set(v)
			}
			copied.FieldByIndex(f.path).Set(field)
		}
		return copied, changed
	}
	return v, false
}

func (e edit) list(v reflect.Value) (copied reflect.Value, changed bool) {
	copied = v
	for i := range v.Len() {
		member, dirty := e.value(v.Index(i))
		if !dirty {
			continue
		}
		if !changed {
			copied, changed = reflect.MakeSlice(v.Type(), v.Len(), v.Len()), true
			reflect.Copy(copied, v)
		}
		copied.Index(i).Set(member)
	}
	return copied, changed
}

// dict processes keys in order, so that the last of several keys that become equal always wins.
func (e edit) dict(v reflect.Value) (copied reflect.Value, changed bool) {
	for pairs := v.MapRange(); pairs.Next() && !changed; {
		_, renamed := e.value(pairs.Key())
		_, dirty := e.value(pairs.Value())
		changed = renamed || dirty
	}
	if !changed {
		return v, false
	}
	copied = reflect.MakeMapWithSize(v.Type(), v.Len())
	keys := v.MapKeys()
	if v.Type().Key().Kind() == reflect.String {
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	}
	for _, key := range keys {
		name, _ := e.value(key)
		member, _ := e.value(v.MapIndex(key))
		copied.SetMapIndex(name, member)
	}
	return copied, true
}

// json changes the texts in foreign JSON. Invalid JSON remains unchanged.
func (e edit) json(v reflect.Value) (reflect.Value, bool) {
	decoder := json.NewDecoder(bytes.NewReader(v.Bytes()))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || value == nil {
		return v, false
	}
	edited, changed := e.value(reflect.ValueOf(value))
	if !changed {
		return v, false
	}
	text, err := json.Marshal(edited.Interface())
	if err != nil { // impossible: it was decoded from JSON
		return v, false
	}
	return reflect.ValueOf(json.RawMessage(text)), true
}

var (
	withText sync.Map // by type: whether its values can change
	fields   sync.Map // by struct type: fields that can contain text
)

func holdsText(t reflect.Type) bool {
	if known, ok := withText.Load(t); ok {
		return known.(bool)
	}
	holds := mayHold(t, map[reflect.Type]bool{})
	withText.Store(t, holds)
	return holds
}

func mayHold(t reflect.Type, above map[reflect.Type]bool) bool {
	if above[t] {
		return false
	}
	above[t] = true
	switch t.Kind() {
	case reflect.String, reflect.Interface:
		return true
	case reflect.Map:
		return mayHold(t.Key(), above) || mayHold(t.Elem(), above)
	case reflect.Pointer, reflect.Slice:
		return t == rawJSON || mayHold(t.Elem(), above)
	case reflect.Struct:
		return slices.ContainsFunc(editableFields(t),
			func(f reflect.StructField) bool { return shownList(f) || mayHold(f.Type, above) })
	}
	return false
}

// textField is a struct field that can contain text, or a list that JSON shows.
type textField struct {
	path  []int
	lines bool
	shown bool // a list that JSON shows even if it is empty
}

func texts(t reflect.Type) (all []textField) {
	if known, ok := fields.Load(t); ok {
		return known.([]textField)
	}
	for _, f := range editableFields(t) {
		if holdsText(f.Type) || shownList(f) {
			all = append(all, textField{f.Index, f.Tag.Get(tag) == "lines", shownList(f)})
		}
	}
	fields.Store(t, all)
	return all
}

// shownList reports whether a field is a list that JSON does not leave out. Without a name in JSON it is no answer's.
func shownList(f reflect.StructField) bool {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return f.Type.Kind() == reflect.Slice && f.Type != rawJSON && name != "" && name != "-" &&
		!strings.Contains(options, "omit")
}

const tag = "recorded"

// editableFields returns the fields of a struct that can be set and may be changed. Fields of embedded structs are
// included.
func editableFields(t reflect.Type) (all []reflect.StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Tag.Get(tag) == "exact":
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			for _, inner := range editableFields(f.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				all = append(all, inner)
			}
		case f.IsExported():
			all = append(all, f)
		}
	}
	return all
}
