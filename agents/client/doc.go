// Package client calls other servers over CSTP: JSON-RPC 2.0 at POST /cstp, and their agent cards below /.well-known/.
// It reads no graph.
//
//	directory := client.NewDirectory(path)              // the agents: file, read again when it changes
//	agent, err := directory.Find("security-policy")
//	err = client.New(version).Call(ctx, agent, "cstp.checkGuardrails", params, &answer)
//
// Answers are untrusted: their size is bounded, callers shorten and clean texts before they show them, and a token is
// never part of an answer. An agent that does not answer costs its timeout once. After that a circuit breaker fails its
// calls immediately.
package client
