// Package events tells callers over HTTP what happens, as Server-Sent Events or through a WebSocket. It makes a feed.Query of what the
// request says and of what its caller may see, and says what the feed tells.
package events
