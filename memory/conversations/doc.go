// Package conversations imports conversations that were held in other programs. A conversation is a session of kind
// imported, identified by its source and its id there. Only its chunks are stored.
//
// An import writes what is new since the previous import, on any machine. Each session stores how many of its turns are
// final, in how many chunks, and the hash of their text. A reader skips that many turns and continues if the hash
// matches. A session is locked while chunks are appended. Its version reveals a concurrent import; then the file is
// read again. An import can therefore be repeated, killed, and run on several machines in parallel.
//
// Store.Import reads a file or a folder once; Store.Watch continues to read.
package conversations
