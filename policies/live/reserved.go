package live

import (
	_ "embed" // the list of names
	"path"
	"strings"
	"sync"
)

// DefaultPrefix is the prefix of variables for thresholds that the caller did not name.
const DefaultPrefix = "NOMOGRAPH_T_"

//go:embed reserved.txt
var reservedList string

// reservedNames are the names and patterns of reserved.txt.
var reservedNames = sync.OnceValue(func() (patterns []string) {
	for line := range strings.Lines(reservedList) {
		if !strings.HasPrefix(line, "#") {
			patterns = append(patterns, strings.Fields(line)...)
		}
	}
	return patterns
})

// isReserved reports whether a common program interprets the variable. A threshold is data and must not decide what
// runs.
func isReserved(name, prefix string) bool {
	if strings.HasPrefix(name, DefaultPrefix) {
		return false
	}
	for _, pattern := range reservedNames() {
		if pattern[0] == '*' && prefix != "" {
			continue
		}
		if matches, _ := path.Match(pattern, name); matches { // a name has no slash, and TestReservedNames_List_IsWellFormed checks the patterns
			return true
		}
	}
	return false
}
