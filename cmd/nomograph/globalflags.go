package main

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// options lists the global flags.
func (a *app) options() *cobra.Command {
	return &cobra.Command{
		Use:  "options",
		Args: cobra.NoArgs,
		// This command reads no settings, so that it works when the configuration is broken and shows the flag that
		// selects another file.
		PersistentPreRun: func(*cobra.Command, []string) {},
		RunE: func(cmd *cobra.Command, _ []string) error {
			text := cmd.Root().PersistentFlags().FlagUsages()
			if page := a.form.Page(cmd.OutOrStdout()); page.Width > 0 {
				text = wrapText(page, text)
			}
			_, err := io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
}

// listGlobalFlagsOnce removes the global flags from the help of commands, which refers to `nomograph options` instead.
func listGlobalFlagsOnce(root *cobra.Command) {
	usage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		global := cmd.Root().PersistentFlags()
		var hidden []*pflag.Flag
		global.VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden {
				flag.Hidden = true
				hidden = append(hidden, flag)
			}
		})
		err := usage(cmd)
		for _, flag := range hidden {
			flag.Hidden = false
		}
		if err == nil {
			cmd.Println("\nUse \"nomograph options\" for global flags")
		}
		return err
	})
}
