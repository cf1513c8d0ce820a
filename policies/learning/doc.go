// Package learning finds what failed acts have in common that successful ones do not. Its findings are hypotheses: they
// were chosen because they fit the past, and only acts after them can confirm them. It reads no graph and writes
// nothing.
package learning
