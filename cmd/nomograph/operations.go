package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"nomograph/config"
	"nomograph/document"
	"nomograph/fault"
	"nomograph/graph"
	"nomograph/policies"
	"nomograph/tools"
)

var groups = map[string]string{
	"pack":       "Packs that were applied",
	"policy":     "Judge actions; read and apply policies",
	"decision":   "Record decisions, find precedents, review outcomes, see how they link",
	"stats":      "Whether confidence was earned",
	"circuit":    "Circuit breakers",
	"index":      "The search index",
	"trace":      "Sessions' chained events",
	"session":    "Sessions and what was recorded in them",
	"import":     "Bring in records from elsewhere",
	"threshold":  "Read and change thresholds",
	"table":      "Decision tables",
	"verdict":    "Verdicts: what was allowed or denied, and why",
	"history":    "Versions and changes, and going back",
	"federation": "Federation sources",
	"subject":    "Subject concepts",
	"query":      "Named queries, shipped and your own",
}

// loadOperations reads the named queries before there is a command line to parse: they are commands themselves. So their
// folder has no flag. A command of the catalogue itself, which scripts call often, does without them.
func (a *app) loadOperations(args []string) {
	a.operations = tools.Catalogue
	for _, o := range tools.Catalogue {
		if word, _, _ := strings.Cut(o.CLI.Command, " "); len(args) > 0 && args[0] == word {
			return
		}
	}
	settled, err := config.Load(nil, os.Getenv("NOMOGRAPH_CONFIG"))
	if err != nil { // told of when the command runs
		return
	}
	a.operations, a.problems = tools.Operations(settled.Queries)
}

// addOperations makes a command of every operation that the command line spells.
func (a *app) addOperations(root *cobra.Command) {
	for _, o := range a.operations {
		parent := root
		words := strings.Fields(o.CLI.Command)
		for _, word := range words[:len(words)-1] {
			next, _, err := parent.Find([]string{word})
			if err != nil || next == parent {
				next = &cobra.Command{Use: word, Short: groups[word], GroupID: "operations"}
				parent.AddCommand(next)
			}
			parent = next
		}
		command := a.operation(o, root, words[len(words)-1])
		if parent == root {
			command.GroupID = "operations"
		}
		parent.AddCommand(command)
	}
}

// apart renames the flags of an operation that would hide the program's own.
func apart(o tools.Operation, root *cobra.Command) tools.Operation {
	flags := map[string]string{}
	maps.Copy(flags, o.CLI.Flags)
	for _, field := range o.Input.PropertyOrder {
		if name := flagName(o, field); name == "help" || root.PersistentFlags().Lookup(name) != nil {
			flags[field] = "param-" + name
		}
	}
	o.CLI.Flags = flags
	return o
}

var sentenceEnd = regexp.MustCompile(`[^.]\. \p{Lu}`)

// firstSentence is what a list of commands says of one.
func firstSentence(text string) string {
	if end := sentenceEnd.FindStringIndex(text); end != nil {
		text = text[:end[1]-2]
	}
	return strings.TrimSuffix(text, ".")
}

func (a *app) operation(o tools.Operation, root *cobra.Command, word string) *cobra.Command {
	o, places := o.Opened()
	o = apart(o, root)
	positional := o.CLI.Args
	command := &cobra.Command{Use: use(o, word), Short: firstSentence(o.Use), Long: o.Use + "\n\nOver MCP this is the tool " + o.Name + ".",
		Example: "  nomograph " + o.Example()}
	for _, name := range o.Input.PropertyOrder {
		if slices.Contains(positional, name) || name == o.CLI.Documents {
			continue
		}
		addFlag(command, o, name)
	}
	if o.CLI.Value != "" {
		command.Flags().Bool("value", false, "print only the "+o.CLI.Value)
	}
	if o.CLI.Document != "" {
		command.Flags().String("out", "", "write it to this file, in the place of what stands there")
	}
	command.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && len(o.CLI.Asks) > 0 && a.someone(nil, nil) != nil {
			return nil
		}
		return checkArgs(cmd, o, args)
	}
	command.ValidArgsFunction = a.completeNames(o)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		given, err := argumentsOf(cmd, o, args)
		if err != nil {
			return err
		}
		if err := a.complete(cmd, o, given); err != nil {
			return err
		}
		arguments, err := json.Marshal(places.Close(given))
		if err != nil {
			return err
		}
		return spelled(o, places, a.perform(cmd, o, arguments))
	}
	command.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagFault(cmd, err, o) })
	return command
}

// use is the usage line from the command's own word on.
func use(o tools.Operation, word string) string {
	return o.Usage()[strings.LastIndex(o.CLI.Command, word):]
}

func checkArgs(cmd *cobra.Command, o tools.Operation, args []string) error {
	least, most := len(o.CLI.Args), len(o.CLI.Args)
	if n := len(o.CLI.Args); n > 0 && o.Input.Properties[o.CLI.Args[n-1]].Type == "array" {
		least, most = n-1, len(args)
	}
	if n := len(o.CLI.Args); n > 0 && !o.Requires(o.CLI.Args[n-1]) { // what stands last may be left out
		least = n - 1
	}
	if o.CLI.Documents != "" {
		least, most = 0, len(args)
		if o.Requires(o.CLI.Documents) {
			least, most = 1, max(len(args), 1)
		}
	}
	switch {
	case len(args) < least && o.CLI.Documents == "files":
		return usageError{errors.New("name a file")}
	case len(args) < least && o.CLI.Documents != "":
		return usageError{fmt.Errorf("name a shipped pack (%s) or a file", strings.Join(policies.ShippedPacks(), ", "))}
	case len(args) < least:
		return usageError{fmt.Errorf("%s is missing\n  %s", strings.ToUpper(o.CLI.Args[len(args)]), cmd.UseLine())}
	case len(args) > most:
		return usageError{fmt.Errorf("%q is one argument too many\n  %s", args[most], cmd.UseLine())}
	}
	return nil
}

// mostStdin is more than any operation takes as a text: that one is too long is the operation's to say.
const mostStdin = 1 << 20

// argumentsOf makes the operation's JSON arguments of positionals and flags. The operation itself checks them.
func argumentsOf(cmd *cobra.Command, o tools.Operation, args []string) (map[string]any, error) {
	arguments := map[string]any{}
	for i, name := range o.CLI.Args {
		if o.Input.Properties[name].Type == "array" {
			if len(args) > i {
				arguments[name] = args[i:]
			}
			break
		}
		if i >= len(args) {
			break
		}
		arguments[name] = typed(o.Input.Properties[name], args[i])
		if name == o.CLI.Stdin && args[i] == "-" {
			text, err := io.ReadAll(io.LimitReader(os.Stdin, mostStdin))
			if err != nil {
				return nil, fmt.Errorf("standard input: %w", err)
			}
			arguments[name] = strings.TrimSuffix(string(text), "\n")
		}
	}
	if o.CLI.Documents != "" {
		documents, err := readDocuments(args)
		if err != nil {
			return nil, err
		}
		arguments[o.CLI.Documents] = documents
	}
	for _, name := range o.Input.PropertyOrder {
		flag := cmd.Flags().Lookup(flagName(o, name))
		if flag == nil || !flag.Changed || slices.Contains(o.CLI.Args, name) {
			continue
		}
		switch property := o.Input.Properties[name]; {
		case property.Type == "boolean":
			arguments[name] = flag.Value.String() == "true"
		case isObjects(property):
			texts, _ := cmd.Flags().GetStringArray(flag.Name)
			arguments[name] = objectsOf(property, texts)
		case property.Type == "array":
			arguments[name], _ = cmd.Flags().GetStringSlice(flag.Name)
		case property.Type == "object":
			arguments[name] = objectOf(property, flag.Value.String())
		default:
			arguments[name] = typed(property, flag.Value.String())
		}
	}
	return arguments, nil
}

// typed reads text as the schema's type where it can; where it cannot, the operation says what is wrong with it.
func typed(property *jsonschema.Schema, text string) any {
	if property.Type == "string" {
		return text
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text)) { // as it was written: 1.0 stays a float
		return json.RawMessage(text)
	}
	root, err := document.YAML(context.Background(), text, document.Usual())
	var refused *document.Error
	if errors.As(err, &refused) && refused.Problems[0].Path != nil {
		return twice(refused.Problems[0].Path)
	}
	switch value := root.Value(); value.(type) {
	case uint64, int64, float64:
		return json.RawMessage(numberText(text, value))
	case bool, map[string]any:
		return value
	}
	return text
}

// twice is an object that has the last key of a path twice: the operation refuses it, and says which key it is.
func twice(path []string) json.RawMessage {
	key, err := json.Marshal(path[len(path)-1])
	if err != nil { // it is text
		panic(err)
	}
	return json.RawMessage(fmt.Sprintf("{%s:null,%s:null}", key, key))
}

// numberText keeps a plain decimal as it was written, so that 1.0 stays a float.
func numberText(text string, value any) string {
	if json.Valid([]byte(text)) {
		return text
	}
	return fmt.Sprint(value)
}

// perform runs an operation and prints its answer.
func (a *app) perform(cmd *cobra.Command, o tools.Operation, arguments json.RawMessage) error {
	ctx, done := a.progress(cmd.Context())
	defer done()
	ctx = graph.Operation(tools.WithCaller(ctx, a.agent()), o.Name, "command line")
	if who := a.someone(cmd.ErrOrStderr(), done); who != nil {
		ctx = tools.WithAsker(ctx, who)
	}
	out, err := o.Run(ctx, a.open(o.Permission != tools.Read || o.Gate), arguments)
	if err != nil {
		return err
	}
	done()
	if value, _ := cmd.Flags().GetBool("value"); value {
		a.form.Fields = []string{o.CLI.Value}
		if raw, err := json.Marshal(out); err == nil && !gjson.GetBytes(raw, o.CLI.Value).Exists() {
			return fault.Newf(fault.Conflict, "It has no %s", o.CLI.Value).WithHint("See what it has without --value")
		}
	}
	a.form.Schema = o.Output
	if err := a.answer(cmd, o, out); err != nil {
		return err
	}
	return verdictOf(out)
}

// verdictOf turns an answer that says no into the exit code that scripts branch on; it is an answer all the same.
func verdictOf(out any) error {
	if judged, is := out.(interface{ Denied() bool }); is && judged.Denied() {
		return answered{exitDenied}
	}
	if tested, is := out.(interface{ Failed() bool }); is && tested.Failed() {
		return answered{exitFailed}
	}
	return nil
}
