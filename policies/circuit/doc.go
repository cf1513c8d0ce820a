// Package circuit reads the state of circuit breakers and resets them.
//
// Store.State returns one breaker, Breakers all of them, and StatesOf those of given rules. Reset appends a
// CircuitReset and changes nothing else, because the state is derived from reviews on every read.
package circuit
