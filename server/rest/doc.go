// Package rest serves every operation over HTTP: at the method and path that it declares, below /api, and at
// POST /api/v1/tools/NAME. It is a projection: arguments come from path, query and body into the one JSON object that the operation
// takes, and what the operation answers is the body. The OpenAPI document is made from the same schemas.
package rest
