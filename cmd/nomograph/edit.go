package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/disk"
	"nomograph/internal/document"
	"nomograph/policies/check"
	"nomograph/tools"
)

// decisionCommands are the commands for decisions that need a person at this machine.
func (a *app) decisionCommands() []*cobra.Command {
	return []*cobra.Command{a.openDecision(), a.editDecision()}
}

// decisionCommand returns a command that takes one decision.
func (a *app) decisionCommand(use string, run func(cmd *cobra.Command, found decisions.Details) error) *cobra.Command {
	get, _ := tools.Find(tools.Catalog, "get_decision")
	made := command(use, requireArgs("ID", 1), func(cmd *cobra.Command, args []string) error {
		answer, _, err := a.ask(cmd.Context(), get.Name, decisions.GetQuery{ID: args[0]})
		if err != nil {
			return err
		}
		return run(cmd, answer.(decisions.Details))
	})
	made.ValidArgsFunction = a.completeNames(get)
	return made
}

func (a *app) openDecision() *cobra.Command {
	var printed *bool
	open := a.decisionCommand("open ID", func(cmd *cobra.Command, found decisions.Details) error {
		a.close() // a started server opens the database itself
		a.tools = nil
		return a.openPage(cmd, "/decisions/"+graph.Text(found.Decision, "id"), *printed)
	})
	printed = open.Flags().Bool("print", false, "print the URL and do not open it")
	return open
}

// ask runs an operation for the local user. shown is the part of the answer to print.
func (a *app) ask(ctx context.Context, name string, input any) (answer, shown any, err error) {
	o, _ := tools.Find(tools.Catalog, name)
	text, err := json.Marshal(input)
	if err != nil {
		return nil, nil, err
	}
	return a.run(a.local(ctx, o), o, text)
}

// local returns the context of an operation called from this command line.
func (a *app) local(ctx context.Context, o tools.Operation) context.Context {
	who := caller.Local(a.agent())
	who.Transport = caller.CommandLine
	return graph.Operation(caller.With(ctx, who), o.Name, caller.CommandLine)
}

func (a *app) editDecision() *cobra.Command {
	return a.decisionCommand("edit ID", func(cmd *cobra.Command, found decisions.Details) error {
		before, err := editableText(found)
		if err != nil {
			return err
		}
		answer, err := a.editUntilStored(cmd, before, found)
		if err != nil {
			return err
		}
		return a.form.Print(cmd.OutOrStdout(), answer)
	})
}

// editUntilStored opens the text repeatedly until it is stored, unchanged, or canceled.
func (a *app) editUntilStored(cmd *cobra.Command, before string, found decisions.Details) (any, error) {
	id, revision := graph.Text(found.Decision, "id"), wholeNumber(found.Decision["revision"])
	file, err := os.CreateTemp("", "nomograph-decision-"+id+"-*.yaml")
	if err != nil {
		return nil, apperr.New(apperr.Unavailable, "Cannot create a file to edit").
			WithHint("Set TMPDIR to a writable folder").Because(err)
	}
	path, keep := file.Name(), false
	_ = file.Close()
	defer func() {
		if !keep {
			_ = os.Remove(path)
		}
	}()
	withText := func(err error) error {
		keep = true
		fmt.Fprintf(cmd.ErrOrStderr(), "note: nothing was changed; the text is saved in %s\n", path)
		return err
	}
	start, err := fieldsIn(cmd.Context(), before)
	if err != nil {
		return nil, err
	}
	opened, problem := before, error(nil)
	for {
		text, err := editText(cmd, path, withProblem(opened, problem))
		switch {
		case err != nil && (text == "" || text == before):
			return nil, err
		case err != nil:
			return nil, withText(err)
		}
		if text = withoutProblem(text); problem != nil && (text == before || text == opened) {
			return nil, withText(problem)
		}
		opened = text
		changes, err := changedFields(cmd.Context(), start, text)
		if err == nil && len(changes) == 0 {
			return decisions.Updated{Success: true, ID: id, UpdatedFields: []string{}, Revision: revision,
				Indexed: "done"}, nil
		}
		if err == nil {
			changes["id"], changes["revision"] = id, revision
			answer, _, failed := a.ask(cmd.Context(), "update_decision", changes)
			if failed == nil {
				return answer, nil
			}
			err = inFields(failed)
		}
		if problem = err; !apperr.Is(err, apperr.Validation) || a.terminalUser(nil, nil) == nil {
			return nil, withText(err)
		}
	}
}

// inFields converts errors of invalid fields so that they do not mention the operation.
func inFields(err error) error {
	var misfit tools.InvalidArguments
	if !errors.As(err, &misfit) {
		return err
	}
	messages := make([]string, len(misfit.Problems))
	for i, p := range misfit.Problems {
		messages[i] = p.Message
	}
	return apperr.New(apperr.Validation, strings.Join(messages, "; ")).WithHint("Correct the text, then save and close")
}

func wholeNumber(value any) int64 {
	n, _ := value.(int64)
	if number, ok := value.(json.Number); ok { // a remote server sends numbers in this type
		n, _ = number.Int64()
	}
	return n
}

// editedFields are the editable fields of a decision in the order of the file.
var editedFields = strings.Fields("decision confidence context reasons tags pattern bridge project feature pr " +
	"visibility shared_with mental_state kpi_indicators")

// editableText returns the text to edit.
func editableText(d decisions.Details) (string, error) {
	id, revision := graph.Text(d.Decision, "id"), wholeNumber(d.Decision["revision"])
	var b strings.Builder
	fmt.Fprintf(&b, `# Decision %s, revision %d. Save and close to update it. An unchanged text changes nothing.
# A field that is left out stays as it is; an empty list, [], leaves none.
`, id, revision)
	var absent []string
	for _, name := range editedFields {
		value := d.Decision[name]
		switch name {
		case "reasons":
			value = reasonsAsWritten(d.Around.Reasons)
		case "bridge":
			value = nil
			if bridge := decisions.BridgeOf(d.Decision); bridge != nil {
				value = bridge
			}
		}
		if empty(value) {
			absent = append(absent, name)
			continue
		}
		raw, err := json.Marshal(value) // JSON has the field names of operations
		if err != nil {
			return "", err
		}
		var plain any
		if err := yaml.UnmarshalWithOptions(raw, &plain, yaml.UseOrderedMap()); err != nil {
			return "", err
		}
		text, err := yaml.MarshalWithOptions(yaml.MapSlice{{Key: name, Value: plain}},
			yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	if len(absent) > 0 {
		fmt.Fprintf(&b, "# It can also have: %s\n", strings.Join(absent, ", "))
	}
	b.WriteString("# change_reason: reason for the history\n")
	return b.String(), nil
}

func empty(value any) bool {
	v := reflect.ValueOf(value)
	return !v.IsValid() || v.Kind() == reflect.Slice && v.Len() == 0 || v.Kind() == reflect.String && v.Len() == 0
}

// reasonsAsWritten removes default strengths from reasons.
func reasonsAsWritten(reasons []decisions.Reason) []decisions.Reason {
	list := slices.Clone(reasons)
	for i, r := range list {
		if r.EffectiveStrength() == check.DefaultStrength {
			list[i].Strength = nil
		}
	}
	return list
}

// fieldsIn parses the edited text. It returns a validation_error with the line.
func fieldsIn(ctx context.Context, text string) (map[string]any, error) {
	root, err := document.YAML(ctx, text, document.DefaultLimits())
	var refused *document.Error
	if errors.As(err, &refused) {
		first := refused.Problems[0]
		return nil, apperr.Newf(apperr.Validation, "Cannot read the text: line %d: %s", first.Line, first.Message).
			WithHint("Use YAML with one field per line: NAME: VALUE")
	}
	if err != nil {
		return nil, err
	}
	if root == nil {
		return map[string]any{}, nil
	}
	fields, ok := root.Value().(map[string]any)
	if !ok {
		return nil, apperr.New(apperr.Validation, "The text is not a list of fields").
			WithHint("Use YAML with one field per line: NAME: VALUE")
	}
	return fields, nil
}

// changedFields returns the fields of the edited text that differ from the start.
func changedFields(ctx context.Context, start map[string]any, text string) (map[string]any, error) {
	fields, err := fieldsIn(ctx, text)
	if err != nil {
		return nil, err
	}
	changes := map[string]any{}
	for name, value := range fields {
		if !slices.Contains(editedFields, name) && name != "change_reason" {
			return nil, apperr.Newf(apperr.Validation, "Field '%s' of a decision cannot be edited", name).
				WithHint("Editable fields: %s, change_reason", strings.Join(editedFields, ", "))
		}
		if value == nil {
			return nil, apperr.Newf(apperr.Validation, "'%s' is empty", name).
				WithHint("Remove the field to keep its value; [] empties a list")
		}
		if !reflect.DeepEqual(value, start[name]) {
			changes[name] = value
		}
	}
	if len(changes) == 1 && changes["change_reason"] != nil {
		return map[string]any{}, nil
	}
	return changes, nil
}

const problemMark = "#! "

// withProblem puts an error at the top of the text.
func withProblem(text string, problem error) string {
	if problem == nil {
		return text
	}
	f := tools.SpellError(apperr.From(problem), tools.Command)
	output := strings.TrimSpace(f.Message + "\n" + f.Hint)
	return problemMark + strings.ReplaceAll(output, "\n", "\n"+problemMark) + "\n" + text
}

func withoutProblem(text string) string {
	lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"),
		func(line string) bool { return strings.HasPrefix(line, problemMark) })
	return strings.Join(lines, "")
}

// maxEditedLength is more than a decision can contain.
const maxEditedLength = 4 << 20

// editText opens a text in the user's editor and returns the result.
func editText(cmd *cobra.Command, path, text string) (string, error) {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", apperr.Newf(apperr.Unavailable, "Cannot write %s", path).
			WithHint("Set TMPDIR to a writable folder with free space").Because(err)
	}
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	command := exec.CommandContext(cmd.Context(), "sh", "-c", cmp.Or(editor, "vi")+` "$@"`, cmp.Or(editor, "vi"),
		path) // run by a shell, as git does, because the editor may have arguments
	if runtime.GOOS == "windows" {
		words := strings.Fields(cmp.Or(editor, "notepad"))
		command = exec.CommandContext(cmd.Context(), words[0], append(words[1:], path)...)
	}
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stderr,
		os.Stderr // standard output is for the command's answer
	ended := command.Run()
	after, err := disk.Read(path, maxEditedLength)
	if ended != nil {
		return string(after), apperr.Newf(apperr.Unavailable, "The editor failed: %v", ended).
			WithHint("Set VISUAL or EDITOR to an editor that waits until you close the file")
	}
	if err != nil {
		return "", apperr.Newf(apperr.Unavailable, "Cannot read %s after the edit", path).
			WithHint("Set VISUAL or EDITOR to an editor that saves in place").Because(err)
	}
	return document.Text(path, after)
}
