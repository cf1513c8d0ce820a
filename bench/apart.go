package main

import (
	"context"
	"path/filepath"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph/engine"
	"nomograph/tools"
)

// onOwnEngine runs a measurement on its own engine with an empty graph, so that data and background work of other parts do not
// affect it.
func (b *bench) onOwnEngine(ctx context.Context, name string, measure func(own *bench, driver neo4j.DriverWithContext, app *tools.App) error) error {
	own := &bench{program: b.program, options: b.options}
	own.options.Dir = filepath.Join(filepath.Dir(b.options.Dir), name, "engine")
	defer func() { _ = engine.Stop(context.WithoutCancel(ctx), own.options) }()
	err := own.started(ctx, func(driver neo4j.DriverWithContext, app *tools.App) error {
		if err := runOnDriver(ctx, driver, emptyGraph, nil); err != nil {
			return err
		}
		return measure(own, driver, app)
	})
	b.report.WriteString(own.report.String()) // includes the measurements before an error
	return err
}

// started runs a measurement on the engine and starts the engine if needed.
func (b *bench) started(ctx context.Context, measure func(driver neo4j.DriverWithContext, app *tools.App) error) error {
	lease, err := engine.Acquire(ctx, b.options)
	if err != nil {
		return err
	}
	defer func() { _ = lease.Release() }()
	b.endpoint = lease.Endpoint()
	driver, server, app, err := b.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx); _ = app.Close(ctx) }()
	if err := server.close(); err != nil {
		return err
	}
	return measure(driver, app)
}
