// Package rule reads what a policy says to actions: a guardrail, or a circuit breaker, compiled from the properties of its node.
// It evaluates no pattern and knows no store.
//
// GuardrailOf compiles a policy into a Guardrail, which tells whom it concerns, what it reads, and what it says where it
// objects. What cannot be understood makes it broken, which is then as strict as a rule can be. IsGuardrail tells a rule
// from plain data, Judging what a policy does, and BreakerOf what makes it a circuit breaker.
package rule
