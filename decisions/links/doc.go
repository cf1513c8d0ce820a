// Package links links decisions and traverses the links.
//
// Store.Link and Unlink change one link. Graph returns the neighborhood of a decision or a rule, also as Mermaid or
// DOT. Neighbors returns the decisions with the strongest links, Path a path between two decisions, Lineage the
// decisions that depend on a decision or on failures.
package links
