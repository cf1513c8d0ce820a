// Package events tells what happens in the graph, as it happens: changes of policies and thresholds, verdicts, decisions, what becomes
// of them, resets of breakers.
//
// What happened are nodes that bear a time and a uid, which is their one sequence; nothing is written to tell of them. One reader a
// process reads what is new for all subscribers (Feed.Subscribe); a subscriber that was away names the last event that it got, and is
// told what came since, by whichever server (Position).
package events
