// Package rest serves every operation over HTTP: at its declared method and path below /api, and at POST
// /api/v1/tools/NAME. Arguments from path, query and body become the JSON object that the operation takes. The body of
// the response is the operation's answer. The OpenAPI document is generated from the same schemas.
package rest
