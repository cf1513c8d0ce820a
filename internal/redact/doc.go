// Package redact masks secrets in texts and JSON-like values: tokens by their shape, values by the name before them,
// private keys, and passwords in URLs and commands. All callers share one set of rules.
package redact
