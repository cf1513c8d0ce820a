package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/files"
	"nomograph/internal/config"
	"nomograph/internal/disk"
	"nomograph/internal/document"
	"nomograph/internal/lists"
)

// effectiveSetting is a setting with its effective value.
type effectiveSetting struct {
	Key         string `json:"key"`
	Value       string `json:"value"`
	Source      string `json:"source"`
	Environment string `json:"environment"`
}

// hiddenValue replaces secrets.
const hiddenValue = "(set)"

func (a *app) effectiveSetting(s config.Setting) effectiveSetting {
	value := a.config.Values[s.Key]
	if s.Secret && value != "" {
		value = hiddenValue
	}
	return effectiveSetting{s.Key, value, cmp.Or(a.config.Origins[s.Key], "default"), s.Env}
}

// exactly returns a check of the number of positional arguments. Its usage error is the message.
func exactly(n int, message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return arguments.Usagef("%s", message)
		}
		return nil
	}
}

// settings returns the command `nomograph config`.
func (a *app) settings() *cobra.Command {
	group := &cobra.Command{Use: "config"}
	list := command("list", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		all := lists.Map(config.Settings, a.effectiveSetting)
		return a.form.Print(cmd.OutOrStdout(), map[string]any{"settings": all, "file": a.config.File})
	})
	list.Long = "List settings with their values and sources. Secrets are shown as " + hiddenValue + "."
	get := command("get KEY", exactly(1, "give one KEY, such as log.level"),
		func(cmd *cobra.Command, args []string) error {
			setting, err := config.Find(args[0])
			if err != nil {
				return err
			}
			if a.form.Name == "" && len(a.form.Fields) == 0 {
				a.form.Fields = []string{"value"}
			}
			return a.form.Print(cmd.OutOrStdout(), a.effectiveSetting(setting))
		})
	set := command("set KEY VALUE", exactly(2, "give a KEY and its VALUE, such as log.level debug"), a.setSetting)
	for _, withKey := range []*cobra.Command{get, set} {
		withKey.ValidArgsFunction = func(*cobra.Command, []string, string) (keys []string, _ cobra.ShellCompDirective) {
			for _, s := range config.Settings {
				keys = append(keys, s.Key)
			}
			return keys, cobra.ShellCompDirectiveNoFileComp
		}
	}
	group.AddCommand(list, get, set)
	return group
}

// setSetting changes a setting in the config file.
func (a *app) setSetting(cmd *cobra.Command, args []string) error {
	path := a.config.File
	if path == "" {
		_, err := disk.Config()
		return err
	}
	if linked, err := filepath.EvalSymlinks(path); err == nil { // the file can be a link, as with dotfiles
		path = linked
	}
	text, err := disk.Read(path, document.DefaultBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return files.Unreadable(path, err)
	}
	if text, err = document.Decode(text); err != nil {
		return document.NotText(path, err)
	}
	edited, err := config.EditSetting(text, args[0], args[1])
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return files.NotWritten(path, err)
	}
	if err := files.WriteText(path, true, 0o600, edited); err != nil {
		return err
	}
	if from := a.config.Origins[args[0]]; from != "" && from != a.config.File {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s sets %s to another value, which takes precedence\n", from, args[0])
	}
	return a.form.Print(cmd.OutOrStdout(), settingChanged{args[0], args[1], a.config.File})
}

// settingChanged is the answer of `config set`.
type settingChanged struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	File  string `json:"file"`
}

func (s settingChanged) String() string {
	return fmt.Sprintf("%s = %s in %s\n", s.Key, s.Value, s.File)
}
