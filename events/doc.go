// Package events publishes changes of the graph as one ordered feed: changes of policies and thresholds, verdicts,
// decisions and their outcomes, resets of circuit breakers.
//
// Events are existing nodes that have a time and a uid; the uids are the order. Publishing writes nothing. One reader
// in each process reads new events for all subscribers (Feed.Subscribe). A subscriber that reconnects names the last
// event that it received, and any server sends what it missed (Position).
package events
