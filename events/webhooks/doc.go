// Package webhooks sends events to addresses that this user configured: signed JSON (Standard Webhooks), chat messages
// and notifications.
//
// The file with addresses and secrets is never in the graph. The graph has how far each webhook has read the feed, and
// the deliveries that failed. One server at a time sends for a webhook; another takes over when it stops.
package webhooks
