// Package tokens manages API tokens and records their usage. A token's secret is shown once; the graph stores only its
// SHA-256, with its name and rights. Store creates, lists, rotates and revokes tokens and reads their usage. Register
// finds the token of a secret for every request without a write.
package tokens
