package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/fault"
	"nomograph/policies"
)

// addSigning puts the commands for signed packs beside the operations: they need no graph.
func (a *app) addSigning(root *cobra.Command) {
	parent, _, err := root.Find([]string{"policy"})
	if err != nil {
		panic(err)
	}
	parent.AddCommand(a.keygen(), a.sign(), a.verify())
}

func (a *app) keygen() *cobra.Command {
	return &cobra.Command{
		Use:     "keygen NAME",
		Example: "  nomograph policy keygen team",
		Short:   "Make a key to sign packs with: NAME.key, which stays secret, and NAME.pub",
		Args:    needs("NAME", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			private, public, err := policies.NewKey()
			if err != nil {
				return err
			}
			made := struct {
				Private string `json:"private_key"`
				Public  string `json:"public_key"`
				Setting string `json:"setting"`
			}{Private: args[0] + ".key", Public: args[0] + ".pub"}
			if err := writeNew(made.Private, private, 0o600); err != nil {
				return err
			}
			if err := writeNew(made.Public, public, 0o644); err != nil {
				return errors.Join(err, os.Remove(made.Private))
			}
			keys, err := policies.ParseKeys([]string{made.Public})
			if err != nil {
				return err
			}
			made.Setting = "NOMOGRAPH_PACK_KEYS=" + policies.KeyText(keys[0])
			return a.form.Print(cmd.OutOrStdout(), made)
		},
	}
}

func (a *app) sign() *cobra.Command {
	command := &cobra.Command{
		Use:     "sign FILE... --key NAME.key",
		Short:   "Sign packs: each FILE gets a FILE" + policies.SignatureSuffix + " beside it",
		Example: "  nomograph policy sign team.yaml --key team.key",
		Args:    needs("FILE", maxFiles),
	}
	path := command.Flags().String("key", "", "the private key, in PEM (required)")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if *path == "" {
			return usageError{errors.New("--key is missing")}
		}
		keyText, err := readFile(*path)
		if err != nil {
			return err
		}
		key, err := policies.SigningKey(keyText)
		if err != nil {
			return err
		}
		sources, err := readPacks(args)
		if err != nil {
			return err
		}
		for _, source := range sources {
			file := source.Name + policies.SignatureSuffix
			if err := os.WriteFile(file, []byte(policies.Sign(key, []byte(source.Text))+"\n"), 0o644); err != nil {
				return notWritten(file, err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), file)
		}
		return nil
	}
	return command
}

func (a *app) verify() *cobra.Command {
	command := &cobra.Command{
		Use:     "verify FILE...",
		Short:   "Check that packs are signed by a trusted key; the exit code is 1 where one is not",
		Example: "  nomograph policy verify team.yaml --key team.pub",
		Args:    needs("FILE", maxFiles),
	}
	given := command.Flags().StringSlice("key", nil, "the public key, in PEM or base64 (default the keys of packs.trusted_keys)")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		trusted := a.config.PackKeys
		if cmd.Flags().Changed("key") {
			trusted = *given
		}
		keys, err := policies.ParseKeys(trusted)
		if err != nil {
			return err
		}
		sources, err := readPacks(args)
		if err != nil {
			return err
		}
		var refused []error
		for _, source := range sources {
			if err := policies.CheckSignature(keys, source); err != nil {
				refused = append(refused, err)
			}
		}
		if len(refused) > 0 {
			return together(refused)
		}
		for _, source := range sources {
			fmt.Fprintln(cmd.OutOrStdout(), source.Name+": signed by a trusted key")
		}
		return nil
	}
	return command
}

// together tells of every pack that was refused, with the hint of the first.
func together(refused []error) error {
	messages := make([]string, len(refused))
	for i, err := range refused {
		messages[i] = fault.From(err).Message
	}
	first := fault.From(refused[0])
	return fault.New(first.Code, strings.Join(messages, "\n")).WithHint("%s", first.Hint)
}

// maxFiles is as many packs as one apply takes.
const maxFiles = 50

func needs(what string, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usageError{fmt.Errorf("%s is missing", what)}
		case len(args) > most:
			return usageError{fmt.Errorf("%q is one argument too many", args[most])}
		}
		return nil
	}
}

func readPacks(files []string) ([]policies.PackSource, error) {
	sources := make([]policies.PackSource, len(files))
	for i, file := range files {
		text, err := readFile(file)
		if err != nil {
			return nil, err
		}
		signature, err := readSignature(file)
		if err != nil {
			return nil, err
		}
		sources[i] = policies.PackSource{Name: file, Text: string(text), Signature: signature}
	}
	return sources, nil
}

// readSignature reads the signature beside a pack's file, empty where there is none. Only its beginning: a file of that
// name may be anything.
func readSignature(pack string) (string, error) {
	const enough = 5000
	path := pack + policies.SignatureSuffix
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", unreadable(path, err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, enough))
	if err != nil {
		return "", unreadable(path, err)
	}
	return string(text), nil
}

func readFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return text, nil
}

func unreadable(path string, err error) error {
	code := fault.Validation
	if errors.Is(err, fs.ErrNotExist) {
		code = fault.NotFound
	}
	return fault.Newf(code, "%s cannot be read", path).WithHint("Check the path").Because(err)
}

// writeNew never overwrites: a key that is lost cannot sign again what it signed.
func writeNew(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return notWritten(path, err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return notWritten(path, errors.Join(err, os.Remove(path)))
	}
	return nil
}

func notWritten(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fault.Newf(fault.Conflict, "%s is there already", path).WithHint("Choose another name; no key is ever overwritten").Because(err)
	}
	return fault.Newf(fault.Validation, "%s cannot be written", path).WithHint("Check the folder and its rights").Because(err)
}
