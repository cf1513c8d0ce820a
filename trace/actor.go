package trace

import (
	"strings"

	"nomograph/internal/redact"
)

// Actor names who acts: the agent that the call names, else the caller. A name that looks like a secret is masked.
func Actor(agentID, by string) string {
	for _, name := range []string{agentID, by} {
		if name = strings.TrimSpace(name); name != "" {
			return redact.Mask(name)
		}
	}
	return "unknown"
}
