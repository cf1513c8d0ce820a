package tools

import (
	"context"

	"nomograph/decisions/counters"
)

var calibrationOperations = inToolset("decisions",
	define(Operation{
		Name:       "get_stats",
		Title:      "Calibration",
		Use:        "Show calibration: how well confidence matches outcomes. Returns Brier score, accuracy and gap by confidence range.",
		Permission: Read,
		CLI:        CommandLine{Command: "stats show"},
		REST:       "GET /v1/stats",
		CSTP:       "cstp.getCalibration",
	}, func(ctx context.Context, app *App, in counters.StatsQuery) (counters.Stats, error) {
		return app.Counters.Stats(ctx, in)
	}),
	define(Operation{
		Name:       "get_reason_stats",
		Title:      "Reasons and outcomes",
		Use:        "Show outcomes by reason type. Compares decisions with one type and with several.",
		Permission: Read,
		CLI:        CommandLine{Command: "stats reasons"},
		REST:       "GET /v1/stats/reasons",
		CSTP:       "cstp.getReasonStats",
	}, func(ctx context.Context, app *App, in counters.ReasonStatsQuery) (counters.ReasonStats, error) {
		return app.Counters.ReasonStats(ctx, in)
	}),
	define(Operation{
		Name:       "check_drift",
		Title:      "Calibration drift",
		Toolset:    "insight",
		Use:        "Detect calibration drift. Compares reviews of the last 30 days with earlier ones.",
		Permission: Read,
		CLI:        CommandLine{Command: "stats drift"},
		REST:       "GET /v1/stats/drift",
		CSTP:       "cstp.checkDrift",
	}, func(ctx context.Context, app *App, in counters.DriftQuery) (counters.Drift, error) {
		return app.Counters.Drift(ctx, in)
	}),
	define(Operation{
		Name:       "plot_calibration",
		Title:      "Calibration plot",
		Toolset:    "insight",
		Use:        "Plot outcomes by stated confidence as SVG.",
		Permission: Read,
		CLI:        CommandLine{Command: "stats plot", Document: "svg"},
		REST:       "GET /v1/stats/plot",
	}, func(ctx context.Context, app *App, in counters.PlotQuery) (counters.Plot, error) {
		return app.Counters.Plot(ctx, in)
	}),
	define(Operation{
		Name:       "rebuild_stats",
		Title:      "Repair the counters",
		Toolset:    "manage",
		Use:        "Repair the calibration counters. Compares them with the decisions. With `dry_run`, only compares.",
		Kind:       Job,
		Permission: Admin,
		Hints:      Hints{Idempotent: true},
		CLI:        CommandLine{Command: "stats rebuild"},
		REST:       "POST /v1/stats/rebuild",
	}, func(ctx context.Context, app *App, in counters.RebuildRequest) (counters.RebuiltStats, error) {
		return app.Counters.RebuildStats(ctx, in)
	}),
)
