package trace

import (
	"strings"

	"nomograph/internal/redact"
)

// Actor returns the name of the acting agent: the one in the call, else the caller. Names that look like secrets are
// masked.
func Actor(agentID, by string) string {
	for _, name := range []string{agentID, by} {
		if name = strings.TrimSpace(name); name != "" {
			return redact.Mask(name)
		}
	}
	return "unknown"
}
