package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
)

// folderTrust is the state of a directory's .env file.
type folderTrust struct {
	Path     string               `json:"path"`
	State    string               `json:"state"` // trusted, changed (since it was trusted) or not trusted
	Settings []config.FileSetting `json:"settings"`
}

func (t folderTrust) String() string {
	state := map[string]string{"changed": "has changed since it was trusted, so it is ignored",
		"not trusted": "is not trusted, so it is ignored"}[t.State]
	if state == "" {
		state = "is trusted, with exactly this content"
	}
	text := fmt.Sprintf("%s %s\n", t.Path, state)
	var places []string
	for _, given := range t.Settings {
		text += fmt.Sprintf("  %s = %s\n", given.Key, strings.ReplaceAll(given.Value, "\n", " "))
		if given.Paths {
			places = append(places, given.Key)
		}
	}
	if len(t.Settings) == 0 {
		text += "  it has no setting of Nomograph\n"
	}
	if len(places) > 0 {
		text += fmt.Sprintf("Trust does not cover the content of %s, which can change\n", strings.Join(places, ", "))
	}
	return text
}

func (a *app) trust() *cobra.Command {
	trust := command("trust [FOLDER]", func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return arguments.Usagef("name one FOLDER, or none for the current directory")
		}
		return nil
	}, nil)
	// Invalid settings must not prevent anyone from revoking trust.
	trust.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.readOutputFormat(cmd) }
	show := trust.Flags().Bool("show", false, "show the file's settings and whether it is trusted")
	revoke := trust.Flags().Bool("revoke", false, "revoke trust")
	trust.RunE = func(cmd *cobra.Command, args []string) error {
		if err := arguments.OnlyOne(cmd, "show", "revoke"); err != nil {
			return err
		}
		dir := cmp.Or(strings.Join(args, ""), ".")
		if *revoke {
			if path, was, err := config.RevokeTrust(dir); err != nil {
				return err
			} else if !was {
				return apperr.Newf(apperr.NotFound, "%s was not trusted", path).
					WithHint("Name a folder that `nomograph trust --show FOLDER` shows as trusted")
			}
		}
		found, err := config.ReadEnvFile(dir)
		if err != nil {
			return err
		}
		if found.Path == "" && !*revoke {
			return apperr.Newf(apperr.NotFound, "No readable .env file in %s", dir).
				WithHint("Name a folder with a .env file that you may read")
		}
		if !*show && !*revoke {
			if err := found.Trust(); err != nil {
				return err
			}
		}
		state := "not trusted"
		switch {
		case found.Trusted:
			state = "trusted"
		case found.Changed:
			state = "changed"
		}
		settings, err := found.Values()
		if err != nil && !*revoke {
			return err
		}
		return a.form.Print(cmd.OutOrStdout(), folderTrust{found.Path, state, settings})
	}
	return trust
}
