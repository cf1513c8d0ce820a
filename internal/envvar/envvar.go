// Package envvar expands ${VAR} references in configuration texts.
package envvar

import (
	"os"

	"nomograph/internal/pattern"
)

var reference = pattern.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Expand replaces each ${VARIABLE} with its value. unset is the last variable without a value, as written, or "".
func Expand(text string) (expanded, unset string) {
	expanded = reference.ReplaceAllStringFunc(text, func(written string) string {
		value := os.Getenv(reference.FindStringSubmatch(written)[1])
		if value == "" {
			unset = written
		}
		return value
	})
	return expanded, unset
}

// Only reports whether a text consists of references only, so that its file contains no secret.
func Only(text string) bool { return reference.ReplaceAllString(text, "") == "" }
