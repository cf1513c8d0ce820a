// Package hooks answers hooks of coding agents over HTTP, for programs that start no process for them.
package hooks
