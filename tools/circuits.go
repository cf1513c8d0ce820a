package tools

import (
	"nomograph/policies/check"
	"nomograph/policies/circuit"
)

var circuitOperations = inToolset("decisions",
	define(Operation{
		Name:       "list_breakers",
		Title:      "Circuit breakers",
		Use:        "List circuit breakers with scope, state and failures. A breaker stops work that keeps failing. Shows when each allows the next decision.",
		Listing:    ListedNever,
		Permission: Read,
		Command:    "circuit list",
		REST:       "GET /v1/circuits",
		CSTP:       "cstp.listBreakers",
	}, method((*circuit.Store).Breakers)),
	define(Operation{
		Name:       "get_circuit_state",
		Title:      "Circuit breaker",
		Use:        "Show the state of a circuit breaker, such as stakes:high. Shows whether it is closed, open (with its end) or half-open (with its probe). Reading the state does not use up the probe.",
		Listing:    ListedNever,
		Permission: Read,
		Command:    "circuit show SCOPE",
		Names:      "circuit",
		REST:       "GET /v1/circuits/{scope}",
		CSTP:       "cstp.getCircuitState",
	}, method((*circuit.Store).State)),
	define(Operation{
		Name:       "reset_circuit",
		Title:      "Reset a circuit breaker",
		Toolset:    "manage",
		Use:        "Close a circuit breaker. Earlier failures no longer count. With `probe_first`, one decision is tried first. The author and the reason are stored.",
		Permission: Govern,
		Command:    "circuit reset SCOPE",
		Names:      "circuit",
		REST:       "POST /v1/circuits/{scope}/reset",
		CSTP:       "cstp.resetCircuit",
	}, method((*circuit.Store).Reset)),
	define(Operation{
		Name:       "get_autonomy",
		Title:      "Earned autonomy",
		Toolset:    "lab",
		Use:        "Show the autonomy that an agent has earned, by stakes. Returns each level with its evidence, and what the next level needs. Needs the pack autonomy, whose rule is in shadow mode.",
		Permission: Read,
		Command:    "autonomy show AGENT",
		CLI:        CommandLine{Print: "summary"},
		REST:       "GET /v1/autonomy/{agent}",
	}, method((*check.Store).Autonomy)),
)
