package views

import (
	"fmt"
	"strings"
	"time"

	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/policies/circuit"
)

// circuitWasReset formats the result of resetting a circuit breaker.
func circuitWasReset(r circuit.WasReset) string {
	return fmt.Sprintf("%s (it was %s)\n", r.Message, strings.ReplaceAll(r.PreviousState, "_", "-"))
}

// circuitState formats the state of a circuit breaker.
func circuitState(c circuit.State, page terminal.Page) string {
	var b strings.Builder
	circuitWrite(c, &b, page)
	return b.String()
}

func circuitWrite(c circuit.State, b *strings.Builder, page terminal.Page) {
	fmt.Fprintf(b, "%s  %s", c.Scope, page.Colorize(c.State, strings.ReplaceAll(c.State, "_", "-")))
	switch c.State {
	case circuit.Unknown:
		fmt.Fprintf(b, "\n    %s\n", c.Error)
	case circuit.Closed:
		fmt.Fprintf(b, "  %d of %d failures within %s\n", c.FailureCount, c.FailureThreshold, circuitSpan(c.WindowMS))
	default:
		if c.FailureCount > 0 {
			fmt.Fprintf(b, "  after %s", render.Plural(c.FailureCount, "failure"))
			if c.OpenedAt != nil && c.HalfOpenAt != nil {
				fmt.Fprintf(b, ", opened %s", page.Time(*c.OpenedAt))
			}
		} else { // half-open after a reset without having been open
			b.WriteString("  since it was reset")
		}
		b.WriteByte('\n')
		switch {
		case c.ProbeInFlight && c.ProbeExpiresAt != nil:
			fmt.Fprintf(b, "    decision %s is the probe: review it, or wait until %s\n", c.ProbeID,
				page.Time(*c.ProbeExpiresAt))
		case c.State == circuit.HalfOpen:
			b.WriteString("    the next decision is the probe\n")
		case c.HalfOpenAt != nil:
			fmt.Fprintf(b, "    half-open in %s, at %s\n", circuitSpan(c.CooldownRemainingMS),
				c.HalfOpenAt.Format(time.RFC3339))
		}
	}
	fmt.Fprintf(b, "    policy %s, %s, %s\n", c.Policy, c.Mode, c.Severity)
	if r := c.LastReset; r != nil {
		fmt.Fprintf(b, "    reset %s by %s", page.Time(r.At), r.By)
		render.WriteNonEmpty(b, ": %s", r.Reason)
		b.WriteByte('\n')
	}
}

// circuitSpan formats a duration in milliseconds, rounded to seconds.
func circuitSpan(ms int64) string {
	text := (time.Duration(ms) * time.Millisecond).Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// circuitBreakerList formats the states of all circuit breakers.
func circuitBreakerList(l circuit.BreakerList, page terminal.Page) string {
	if l.Total == 0 {
		return "no active policy is a circuit breaker\n"
	}
	var b strings.Builder
	for _, state := range l.Breakers {
		circuitWrite(state, &b, page)
	}
	return b.String()
}
