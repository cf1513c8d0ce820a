package check_test

import (
	"context"
	"fmt"

	"github.com/rs/zerolog"

	"nomograph/internal/config"
	"nomograph/policies/check"
	"nomograph/tools"
)

// A Go program can check actions in its own process, with the same rules and verdicts as over any transport.
func Example() {
	ctx := context.Background()
	c := config.Defaults()
	c.URI, c.Password = "bolt://127.0.0.1:7687", "secret" // without a URI: the managed engine
	app := tools.Open(c, zerolog.Nop(), tools.Options{})
	defer func() { _ = app.Close(ctx) }()

	sure := 0.4
	verdict, err := app.Checks.Check(ctx, check.ActionCheck{
		Description: "Move the customer database",
		Stakes:      "high",
		Confidence:  &sure,
		AgentID:     "release-bot",
	})
	if err != nil { // not allowed: the database is unavailable, or the verdict could not be stored
		fmt.Println(err)
		return
	}
	for _, v := range verdict.Violations {
		fmt.Println(v.GuardrailID, v.Message, v.WouldPass)
	}
}
