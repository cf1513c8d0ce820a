// Package client asks a server of Nomograph over HTTP, as the command line does with --url: every operation at
// POST /api/v1/tools/NAME, with the arguments and the answer that it has in this process, and with the same errors.
//
//	client, err := remote.New(remote.Options{URL: "https://nomograph.example.org", Token: token})
//	answer, err := client.Call(ctx, remote.Call{Operation: "get_threshold", Arguments: arguments, Repeatable: true})
package client
