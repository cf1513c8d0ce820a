// Package attention tells what presses, and what the record teaches.
//
// Store.Ready lists what is due and Today what somebody should look at on a day; Pressing is the part of it for a briefing.
// Wisdom gives principles by category, Salient the decisions that much hangs on, Contradictions those that speak against each
// other, and Compacted the old ones in few words. All of it is read when it is asked for; nothing is kept.
package attention
