package graph

import "time"

// Text reads a property that is a text; empty where it is none.
func Text(p map[string]any, name string) string {
	text, _ := p[name].(string)
	return text
}

// Time reads a property that is a time, in UTC; zero where it is none.
func Time(p map[string]any, name string) time.Time {
	at, _ := p[name].(time.Time)
	return at.UTC()
}

// Texts reads a list of texts, as made here or as Bolt gives it. What is no text is left out.
func Texts(value any) []string {
	switch list := value.(type) {
	case []string:
		return list
	case []any:
		out := make([]string, 0, len(list))
		for _, item := range list {
			if text, isText := item.(string); isText {
				out = append(out, text)
			}
		}
		return out
	}
	return nil
}

// Number reads a number, as a float or an integer, which is what a sum over nothing is; 0 for what is none.
func Number(value any) float64 {
	switch n := value.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	}
	return 0
}

// NullIfEmpty is a text as a parameter that may be left out: null where it is empty.
func NullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// List is a list of texts as Bolt and JSON have it.
func List(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}
