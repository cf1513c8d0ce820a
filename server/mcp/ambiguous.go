package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"nomograph/internal/document"
)

// ambiguous says why a request may mean two things to two readers: it has a key twice, in other letters, or more than is looked
// through for that; "" where it means one. The keys of a tool's arguments are left to the operation, which answers as for anything
// else that is wrong with them.
func ambiguous(line []byte) string {
	if !json.Valid(line) {
		return "" // the library says so
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
	if json.Unmarshal(line, &message) == nil && errors.As(document.CheckKeySpelling(message.Params, "name", "arguments", "uri", "_meta", "ref", "argument"), &refused) {
		return refused.Problems[0].Message
	}
	return ""
}

// refuse answers a request that cannot be taken; a notification has no answer.
func refuse(answers io.Writer, line []byte, problem string) error {
	var message struct{ ID, Method json.RawMessage }
	if json.Unmarshal(line, &message) != nil || message.ID == nil || message.Method == nil {
		return nil //nolint:nilerr // there is no telling which request it was
	}
	const invalidRequest = -32600
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": message.ID, "error": map[string]any{"code": invalidRequest, "message": problem}})
	if err != nil {
		return err
	}
	_, err = answers.Write(append(answer, '\n'))
	return err
}
