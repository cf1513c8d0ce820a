// Package pack reads and writes packs: policies, thresholds and tables as YAML, under one name and version.
//
// Parse and ParseAll parse a Source into a Pack of Items; Validate also compiles its rules. Each reports every problem
// with its position. Sign and CheckSignature prove the author of a pack. Shipped and ShippedText return the packs that
// come with Nomograph. Store.Export writes the rules of the graph as a pack. Package change applies packs.
package pack
