// Package authzen answers requests of the AuthZEN Authorization API 1.0 from gateways, proxies and frameworks. Subject,
// action, resource and context become an action that check_action evaluates; its verdict is the decision.
package authzen
