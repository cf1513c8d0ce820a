package policies

import "strings"

func nullable[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func lowerOrNull(text string) any {
	if text == "" {
		return nil
	}
	return strings.ToLower(text)
}

func nullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}
