// Package pack reads and writes packs: policies, thresholds and tables as YAML, under one name and version.
//
// Parse and ParseAll read a Source into a Pack of Items, Validate compiles its rules besides, and each names every problem
// with its place. Sign and CheckSignature prove who wrote a pack. Shipped and ShippedText give those that come with
// Nomograph. Store.Export writes what the graph holds as a pack. What a pack changes in the graph is up to package change.
package pack
