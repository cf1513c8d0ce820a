// Package client asks other servers over CSTP: JSON-RPC 2.0 at POST /cstp, and their cards at /.well-known/. It knows no graph.
//
//	directory := client.NewDirectory(path)              // the design's agents: file, read again when it changes
//	agent, err := directory.Find("security-policy")
//	err = client.New(version).Call(ctx, agent, "cstp.checkGuardrails", params, &answer)
//
// What comes back was written by somebody else: answers are bounded, texts are cut and cleaned by whoever shows them, and a token never
// comes back with them. An agent that does not answer costs its time-out once; then its breaker answers for it.
package client
