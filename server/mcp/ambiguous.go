package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"nomograph/internal/document"
)

// problemOf returns why a message is refused, with the error code; "" if it is not.
func problemOf(message []byte) (problem string, code int) {
	if problem, code = invalid(message); problem == "" {
		problem, code = ambiguous(message), invalidRequest
	}
	return problem, code
}

// ambiguous returns why two parsers could read a request differently: it is not UTF-8, a key occurs twice, in different
// case, or the request has too many keys to check; "" if it is unambiguous. Keys of a tool's arguments are left to the
// operation, which validates them.
func ambiguous(line []byte) string {
	if !json.Valid(line) {
		return "" // the library reports it
	}
	if _, err := document.Decode(line); err != nil {
		return err.Error()
	}
	limits := document.DefaultLimits()
	limits.Bytes = maxLineLength
	var refused *document.Error
	if errors.As(document.JSON(context.Background(), line, limits), &refused) {
		for _, problem := range refused.Problems {
			inArguments := len(problem.Path) > 2 && problem.Path[0] == "params" && problem.Path[1] == "arguments"
			if !inArguments {
				return problem.Message
			}
		}
	}
	var message struct{ Params json.RawMessage }
	if errors.As(document.CheckKeySpelling(line, "jsonrpc", "id", "method", "params", "result", "error"), &refused) {
		return refused.Problems[0].Message
	}
	if json.Unmarshal(line, &message) == nil && errors.As(document.CheckKeySpelling(message.Params, "name", "arguments",
		"uri", "_meta", "ref", "argument"), &refused) {
		return refused.Problems[0].Message
	}
	return ""
}
