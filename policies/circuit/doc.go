// Package circuit tells whether a circuit breaker is open, and closes it by hand.
//
// Store.State gives one breaker and Breakers all of them; BreakersOf those of rules that were read already. Reset appends a
// CircuitReset and changes nothing else: the state is derived from reviews whenever somebody asks.
package circuit
