package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/files"
	"nomograph/policies/pack"
)

// policyCommands are the pack schema and the commands for signed packs, which are not operations because they need no
// graph, and policy trial, which is a replay.
func (a *app) policyCommands() []*cobra.Command {
	return []*cobra.Command{printSchema("packs", pack.Schema), a.keygen(), a.sign(), a.verify(), a.policyTrial(),
		a.policyNew()}
}

func (a *app) keygen() *cobra.Command {
	return command("keygen NAME", requireArgs("NAME", 1), func(cmd *cobra.Command, args []string) error {
		private, public, err := pack.NewKey()
		if err != nil {
			return err
		}
		made := struct {
			Private string `json:"private_key"`
			Public  string `json:"public_key"`
			Setting string `json:"setting"`
		}{Private: args[0] + ".key", Public: args[0] + ".pub"}
		if err := files.WriteText(made.Private, false, 0o600, private); err != nil {
			return err
		}
		if err := files.WriteText(made.Public, false, 0o644, public); err != nil {
			return errors.Join(err, os.Remove(made.Private))
		}
		keys, err := pack.ParseKeys([]string{made.Public})
		if err != nil {
			return err
		}
		made.Setting = "NOMOGRAPH_PACK_KEYS=" + pack.KeyText(keys[0])
		return a.form.Print(cmd.OutOrStdout(), made)
	})
}

func (a *app) sign() *cobra.Command {
	sign := command("sign FILE... --key NAME.key", requireArgs("FILE", maxFiles), nil)
	sign.Short = "Sign packs: write FILE" + pack.SignatureSuffix + " for each FILE"
	path := sign.Flags().String("key", "", "PEM file of the private key (required)")
	sign.RunE = func(cmd *cobra.Command, args []string) error {
		if *path == "" {
			return arguments.Usagef("--key is missing")
		}
		keyText, err := files.Read(*path)
		if err != nil {
			return err
		}
		key, err := pack.SigningKey(keyText)
		if err != nil {
			return err
		}
		sources, err := readPacks(args)
		if err != nil {
			return err
		}
		for _, source := range sources {
			file := source.Name + pack.SignatureSuffix
			signature := []byte(pack.Sign(key, []byte(source.Text)) + "\n")
			if err := files.WriteText(file, true, 0o644, signature); err != nil { // the pack was changed
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), file)
		}
		return nil
	}
	return sign
}

func (a *app) verify() *cobra.Command {
	verify := command("verify FILE...", requireArgs("FILE", maxFiles), nil)
	trusted := a.trustedKeys(verify)
	verify.RunE = func(cmd *cobra.Command, args []string) error {
		keys, err := pack.ParseKeys(trusted())
		if err != nil {
			return err
		}
		sources, err := readPacks(args)
		if err != nil {
			return err
		}
		for _, source := range sources {
			if err := pack.CheckSignature(keys, source); err != nil {
				return err
			}
		}
		for _, source := range sources {
			fmt.Fprintln(cmd.OutOrStdout(), source.Name+": signed by a trusted key")
		}
		return nil
	}
	return verify
}

// trustedKeys adds the flag --key, and returns a function that returns its keys, or those of the settings.
func (a *app) trustedKeys(command *cobra.Command) func() []string {
	given := command.Flags().StringSlice("key", nil, "public key as PEM file or base64 (default packs.trusted_keys)")
	return func() []string {
		if command.Flags().Changed("key") {
			return *given
		}
		return a.config.PackKeys
	}
}

// maxFiles is the number of packs that one apply accepts.
const maxFiles = 50

func requireArgs(kind string, limit int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return arguments.Usagef("%s is missing", kind)
		case len(args) > limit:
			return arguments.Usagef("%q is one argument too many", args[limit])
		}
		return nil
	}
}

func readPacks(paths []string) ([]pack.Source, error) {
	sources := make([]pack.Source, len(paths))
	for i, file := range paths {
		text, err := files.Read(file)
		if err != nil {
			return nil, err
		}
		signature, err := files.Signature(file)
		if err != nil {
			return nil, err
		}
		sources[i] = pack.Source{Name: file, Text: string(text), Signature: signature}
	}
	return sources, nil
}
