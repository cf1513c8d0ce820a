package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/files"
	"nomograph/decisions/audit"
	"nomograph/internal/disk"
	"nomograph/internal/render"
	"nomograph/policies/pack"
)

// verifyAudit is no operation: the server that made a bundle must not be the one that verifies it.
func (a *app) verifyAudit() *cobra.Command {
	verify := &cobra.Command{Use: "verify FILE", Args: requireArgs("FILE", 1)}
	trusted := a.trustedKeys(verify)
	report := verify.Flags().String("report", "", "output file for a report in HTML")
	overwrite := verify.Flags().Bool("overwrite", false, "overwrite an existing report")
	verify.RunE = func(cmd *cobra.Command, args []string) error {
		if len(trusted()) == 0 {
			return arguments.Usagef("--key is missing; pass the public key of the server that exported the bundle")
		}
		keys, err := pack.ParseKeys(trusted())
		if err != nil {
			return err
		}
		text, err := disk.Read(args[0], audit.MaxBytes)
		if err != nil {
			return files.Unreadable(args[0], err)
		}
		v, page, err := audit.Verify(cmd.Context(), text, keys)
		if err != nil {
			return err
		}
		if *report != "" {
			if err := files.WriteText(*report, *overwrite, 0o600, []byte(page())); err != nil {
				return err
			}
		}
		v = render.CleanValue(v).(audit.Verification) // a bundle can come from anybody
		return cmp.Or(a.form.Print(cmd.OutOrStdout(), v), verdictOf(v))
	}
	return verify
}
