// Package extmcp is an external MCP policy server of agentgateway: it checks the MCP requests of the gateway's clients
// before the gateway forwards them.
package extmcp
