// Package envvar expands ${VAR} references in configuration texts.
package envvar

import (
	"os"

	"nomograph/internal/pattern"
)

var reference = pattern.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Expand puts the value of each ${VARIABLE} in its place. unset is the last of them that has none, as it is written, and "" where all have one.
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

// Only tells whether a text holds nothing but references, so that the file it stands in holds no secret.
func Only(text string) bool { return reference.ReplaceAllString(text, "") == "" }
