// Package authzen gives verdicts to whoever speaks the Authorization API 1.0 of AuthZEN: a gateway, a proxy, a framework. Subject,
// action, resource and context become the action that check_action judges by the policies in force, and its verdict the decision.
package authzen
