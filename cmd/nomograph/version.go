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

// addPolicySchema puts `policy schema` beside the operations: it needs no graph.
func (a *app) addPolicySchema(root *cobra.Command) {
	parent, _, err := root.Find([]string{"policy"})
	if err != nil {
		panic(err)
	}
	parent.AddCommand(&cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of packs, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write([]byte(pack.Schema))
			return err
		},
	})
}

// addAtlasSchema puts `atlas schema` beside the operations: it needs no graph.
func (a *app) addAtlasSchema(root *cobra.Command) {
	parent, _, err := root.Find([]string{"atlas"})
	if err != nil {
		panic(err)
	}
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
