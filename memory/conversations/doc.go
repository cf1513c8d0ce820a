// Package conversations brings in conversations that were held elsewhere. A conversation is a session of kind imported, known by its source and its id
// there, and its chunks are all that is kept of it.
//
// An import writes what is new since the last one, whoever ran it and wherever: each session says how many of its turns are settled, in how
// many chunks, and the hash of what they said. Who reads a file skips so many turns, and goes on where their hash is the same. A session is
// locked while it grows, and its version says whether another import was quicker; then the file is read again. So an import may be
// repeated, killed, and run from several machines at once.
//
// Store.Import reads a file or a folder once; Store.Watch goes on.
package conversations
