// Package events sends events over HTTP, as Server-Sent Events or through a WebSocket. It builds an events.Query from
// the request and the caller's rights and writes what the feed returns.
package events
