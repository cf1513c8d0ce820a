// Package tokens says who may come in over the network and keeps what they did. A token is a secret that is shown once; the graph
// has only its SHA-256, with the name and the rights that it stands for. Others use the Store to make, list, rotate and revoke
// tokens and to see their usage, and a Register to find whose a secret is, at every request and without a write.
package tokens
