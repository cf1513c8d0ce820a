package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"nomograph/document"
)

// ambiguous says which key a request has twice; "" where it has none. The arguments of a tool are left to the operation, which
// answers as for anything else that is wrong with them.
func ambiguous(line []byte) string {
	limits := document.Usual()
	limits.Bytes = longestLine
	var refused *document.Error
	if !errors.As(document.JSON(context.Background(), line, limits), &refused) {
		return ""
	}
	for _, problem := range refused.Problems {
		inArguments := len(problem.Path) > 2 && problem.Path[0] == "params" && problem.Path[1] == "arguments"
		if problem.Path != nil && !inArguments {
			return problem.Message
		}
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
