package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/output"
)

func (a *app) version() *cobra.Command {
	return command("version", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		return a.form.Print(cmd.OutOrStdout(), struct {
			Version string `json:"version"`
			Go      string `json:"go"`
			System  string `json:"system"`
		}{version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
	})
}

// printSchema returns the command that prints a JSON Schema. It is not an operation, because it needs no graph.
func printSchema(of, schema string) *cobra.Command {
	printing := command("schema", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error { return output.Write(cmd.OutOrStdout(), schema) })
	printing.Short = "Print the JSON Schema of " + of + ", for editors"
	return printing
}
