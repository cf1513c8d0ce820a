// Package cstp imports CSTP guardrail files as a pack.
//
// Import translates the text of such files into an ImportedPack and lists the parts that could not be translated. It
// reads no graph: the pack is parsed and applied like any other.
package cstp
