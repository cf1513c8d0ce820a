// Package links links decisions and walks along the links.
//
// Store.Link and Unlink change one link. Graph gives what stands around a decision or a rule, also as a drawing in Mermaid or
// DOT; Neighbors what is linked to it most strongly; Path how two decisions hang together; Lineage what stands on a decision,
// or on failures.
package links
