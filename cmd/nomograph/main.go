// Command nomograph serves an organization's policies and thresholds from one Neo4j graph to agents, scripts and
// people.
package main

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"syscall"

	"nomograph/cmd/nomograph/arguments"
)

// version is set at build time.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	app := &app{}
	root := app.root(args)
	root.SetArgs(arguments.SeparateNegatives(root, args))
	called, err := root.ExecuteContextC(ctx)
	err = cmp.Or(err, app.misnamed)
	app.close()
	if err != nil {
		app.failScript(called)
		app.printError(err)
	}
	return exitCode(err)
}
