// Package rule compiles the properties of a policy node into a guardrail or a circuit breaker. It evaluates no pattern
// and knows no store.
//
// GuardrailOf returns a Guardrail, with the actions to which it applies, the facts that it reads, and the text of its
// violations. A policy that cannot be parsed becomes a broken guardrail, which denies. IsGuardrail distinguishes rules
// from plain data, PolicyEffect returns what a policy does, and BreakerOf what makes it a circuit breaker.
package rule
