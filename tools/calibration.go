package tools

import "nomograph/decisions/counters"

var calibrationOperations = inToolset("decisions",
	define(Operation{
		Name:       "get_stats",
		Title:      "Calibration",
		Use:        "Show calibration: how well confidence matches outcomes. Returns Brier score, accuracy and gap by confidence range.",
		Permission: Read,
		CLI:        CommandLine{Command: "stats show"},
		REST:       "GET /v1/stats",
		CSTP:       "cstp.getCalibration",
	}, method((*counters.Store).Stats)),
	define(Operation{
		Name:       "get_reason_stats",
		Title:      "Reasons and outcomes",
		Use:        "Show outcomes by reason type. Compares decisions with one type and with several.",
		Permission: Read,
		CLI:        CommandLine{Command: "stats reasons"},
		REST:       "GET /v1/stats/reasons",
		CSTP:       "cstp.getReasonStats",
	}, method((*counters.Store).ReasonStats)),
	define(Operation{
		Name:       "check_drift",
		Title:      "Calibration drift",
		Toolset:    "insight",
		Use:        "Detect calibration drift. Compares reviews of the last 30 days with earlier ones.",
		Permission: Read,
		CLI:        CommandLine{Command: "stats drift"},
		REST:       "GET /v1/stats/drift",
		CSTP:       "cstp.checkDrift",
	}, method((*counters.Store).Drift)),
	define(Operation{
		Name:       "plot_calibration",
		Title:      "Calibration plot",
		Toolset:    "insight",
		Use:        "Plot outcomes by stated confidence as SVG.",
		Permission: Read,
		CLI:        CommandLine{Command: "stats plot", Document: "svg"},
		REST:       "GET /v1/stats/plot",
	}, method((*counters.Store).Plot)),
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
	}, method((*counters.Store).RebuildStats)),
)
