// Package audit exports audit bundles: sessions with their events, and the verdicts, rules, decisions, reviews and
// approvals that belong to them, signed in one file. Verify checks a bundle without the graph, and renders it for
// people.
package audit
