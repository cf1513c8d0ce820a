// Package sessions is what surrounds the decisions of a governed agent: atlases, which bring contexts and rules, and the
// sessions in which an agent is given contexts.
//
// A session here is the one that package trace writes, its rules are judged by package gate, and its contexts are found by
// package search. Nothing is kept in a process.
package sessions
