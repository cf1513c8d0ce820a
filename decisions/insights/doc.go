// Package insights lists action items and summarizes what recorded decisions teach.
//
// Store.Ready lists the review queue and Today the action items of a day.
// Wisdom returns principles by category, Salient the most linked decisions, Contradictions the decisions that
// contradict each other, and Compacted short versions of old decisions. Everything is computed when it is requested;
// nothing is stored.
package insights
