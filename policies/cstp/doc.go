// Package cstp brings the guardrail files of CSTP in as a pack.
//
// Import translates the text of such files into an ImportedPack and names what could not be translated. It knows no graph: the
// pack is read and applied like any other.
package cstp
