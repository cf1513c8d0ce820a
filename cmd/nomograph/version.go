package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/output"
	"nomograph/sessions/manifest"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.form.Print(cmd.OutOrStdout(), struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
		},
	}
}

// printSchema returns the command that prints a JSON Schema. It is not an operation, because it needs no graph.
func printSchema(of, schema string) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of " + of + ", for editors",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return output.Write(cmd.OutOrStdout(), schema) },
	}
}

func (a *app) addAtlasSchema(parent *cobra.Command) {
	parent.AddCommand(printSchema("atlas manifests", manifest.Schema))
}
