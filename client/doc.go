// Package client calls a Nomograph server over HTTP, as the command line does with --url. Every operation is at POST
// /api/v1/tools/NAME. Arguments, answers and errors are the same as in the local process.
//
//	c, err := client.New(client.Options{URL: "https://nomograph.example.org", Token: token})
//	answer, err := c.Call(ctx, client.Call{Operation: "get_threshold", Arguments: arguments, Repeatable: true})
package client
