package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/tools"
)

// confirmField is the argument in which a caller confirms the number of items to destroy. The conflict error has the
// number under the same name in its details.
const confirmField = "confirm"

// confirmsNumber reports whether an operation requires the number of items as confirmation.
func confirmsNumber(o tools.Operation) bool {
	field := o.Input().Properties[confirmField]
	return field != nil && field.Type != "boolean"
}

// confirm adds the number to the arguments: with --yes, or if a person types it after seeing what would be deleted.
// Otherwise it returns false and the error remains.
func (a *app) confirm(cmd *cobra.Command, ctx context.Context, o tools.Operation, arguments json.RawMessage,
	err error) (json.RawMessage, bool) {
	var problem *apperr.Error
	values := map[string]json.RawMessage{}
	if !confirmsNumber(o) || !errors.As(err, &problem) || json.Unmarshal(arguments, &values) != nil ||
		values[confirmField] != nil {
		return nil, false
	}
	number, encodeErr := json.Marshal(problem.Details[confirmField])
	if encodeErr != nil || string(number) == "null" {
		return nil, false
	}
	if yes, _ := cmd.Flags().GetBool("yes"); !yes &&
		!a.confirmNumber(cmd, ctx, o, values, problem.Message, string(number)) {
		return nil, false
	}
	values[confirmField] = number
	arguments, err = json.Marshal(values)
	return arguments, err == nil
}

// confirmNumber shows what would be deleted and reports whether the person typed the number.
func (a *app) confirmNumber(cmd *cobra.Command, ctx context.Context, o tools.Operation,
	values map[string]json.RawMessage, message, number string) bool {
	w := cmd.ErrOrStderr()
	who := a.terminalUser(w, func() {})
	if who == nil {
		return false
	}
	values["dry_run"] = json.RawMessage("true")
	preview, err := json.Marshal(values)
	values["dry_run"] = json.RawMessage("false")
	if err != nil {
		return false
	}
	_, shown, err := a.run(ctx, o, preview)
	if err != nil {
		return false
	}
	fmt.Fprint(w, render.EscapeControl(fmt.Sprint(shown)))
	return answerOf(ctx, who, message+". Type the number to delete, or nothing to cancel", confirmField,
		number+" to delete") == number
}

// answerOf asks a person for a text, and returns "" without an answer.
func answerOf(ctx context.Context, who *arguments.Prompter, question, field, description string) string {
	answer, err := who.Ask(ctx, tools.Question{Message: question, Schema: &jsonschema.Schema{Type: "object",
		PropertyOrder: []string{field},
		Properties:    map[string]*jsonschema.Schema{field: {Type: "string", Description: description}}}})
	if err != nil {
		return ""
	}
	text, _ := answer[field].(string)
	return text
}
