package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"nomograph/policies/pack"
	"nomograph/sessions/manifest"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.form.Print(cmd.OutOrStdout(), struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
		},
	}
}

// policySchema is not an operation, because it needs no graph.
func (a *app) policySchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of packs, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write([]byte(pack.Schema))
			return err
		},
	}
}

// addAtlasSchema adds `atlas schema`. It is not an operation, because it needs no graph.
func (a *app) addAtlasSchema(parent *cobra.Command) {
	parent.AddCommand(&cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of atlas manifests, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write([]byte(manifest.Schema))
			return err
		},
	})
}
