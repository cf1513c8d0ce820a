package tools

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"
)

//go:embed examples.txt
var exampleLines string

// examples are the command lines of examples.txt by operation.
var examples = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(exampleLines) {
		name, command, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		all[name] = command
	}
	return all
})

// Example returns a command line of the operation without the program's name. Without an example, such as for a named
// query, it returns the usage.
func (o Operation) Example() string {
	return cmp.Or(examples()[o.Name], o.Usage())
}
