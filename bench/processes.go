package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"nomograph/graph/engine"
)

// surface measures the bytes that a model reads.
func (b *bench) surface(context.Context) error {
	fmt.Fprint(&b.report, "## What tools/list costs a model\n\n| toolsets | tools | bytes of names, descriptions and input schemas |\n|---|---|---|\n")
	for _, sets := range []string{"default", "all"} {
		server, err := start(b.program, b.environ(), "--toolsets", sets)
		if err != nil {
			return err
		}
		if err := server.initialize(); err != nil {
			return err
		}
		line, err := server.ask("tools/list", "{}")
		if err != nil {
			return err
		}
		var list struct {
			Result struct {
				Tools []struct{ Name, Description, InputSchema json.RawMessage }
			}
		}
		if err := json.Unmarshal([]byte(line), &list); err != nil {
			return err
		}
		size := 0
		for _, tool := range list.Result.Tools {
			size += len(tool.Name) + len(tool.Description) + len(tool.InputSchema)
		}
		fmt.Fprintf(&b.report, "| %s | %d | %d |\n", sets, len(list.Result.Tools), size)
		if err := server.close(); err != nil {
			return err
		}
	}
	return nil
}

// processes measures whole processes: the time to the first answers without an engine, and one read from the command
// line with a running engine.
func (b *bench) processes(ctx context.Context) error {
	const runs = 30
	var first, get, bare sample
	nowhere := filepath.Join(filepath.Dir(b.options.Dir), "nowhere")
	// Without Java in PATH, so that thirty servers do not start thirty engines.
	alone := []string{"HOME=" + nowhere, "PATH=" + nowhere, "NOMOGRAPH_ENGINE_DIR=" + filepath.Join(nowhere, "engine")}
	for range runs {
		var server *client
		err := first.timed(func() (err error) {
			if server, err = start(b.program, alone); err != nil {
				return err
			}
			if err = server.initialize(); err != nil {
				return err
			}
			_, err = server.ask("tools/list", "{}")
			return err
		})
		if err != nil {
			return err
		}
		if err := server.close(); err != nil {
			return err
		}
		if err := get.timed(func() error { return b.command(ctx, "threshold", "get", "bench_threshold_1", "--value") }); err != nil {
			return err
		}
		if err := bare.timed(func() error { return b.command(ctx, "version") }); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b.report, "\n## Whole processes (%d runs each)\n\n| | p50 | p95 |\n|---|---|---|\n", runs)
	fmt.Fprintf(&b.report, "| process start to initialize and tools/list answered, no engine | %.1f | %.1f |\n", first.p50(), first.at(0.95))
	fmt.Fprintf(&b.report, "| `threshold get NAME --value`, warm engine | %.1f | %.1f |\n", get.p50(), get.at(0.95))
	fmt.Fprintf(&b.report, "| `version`: a process that does nothing | %.1f | %.1f |\n", bare.p50(), bare.at(0.95))
	return nil
}

func (b *bench) command(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.Env = b.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w: %s", args, err, out)
	}
	return nil
}

// engineStart measures the start of the engine with an existing class-data archive.
func (b *bench) engineStart(ctx context.Context) error {
	const runs = 5
	var warm, stop sample
	for i := range runs + 1 {
		var stopping, starting sample
		if err := stopping.timed(func() error { return engine.Stop(ctx, b.options) }); err != nil {
			return err
		}
		if err := starting.timed(func() error { return b.command(ctx, "engine", "start") }); err != nil {
			return err
		}
		if i > 0 { // the first stop may have written the archive
			warm, stop = append(warm, starting...), append(stop, stopping...)
		}
	}
	status, err := engine.Inspect(b.options)
	if err != nil {
		return err
	}
	resident, _ := memory(status.PID)
	fmt.Fprintf(&b.report, "\n## The managed engine (%d runs, the large graph in it)\n\n| | p50 | slowest |\n|---|---|---|\n", runs)
	fmt.Fprintf(&b.report, "| `engine start`, warm, to the first Bolt answer | %.0f | %.0f |\n| stop | %.0f | %.0f |\n", warm.p50(), warm.at(1), stop.p50(), stop.at(1))
	fmt.Fprintf(&b.report, "\nNeo4j itself: %.0f MB resident just after a start.\n", resident)
	return nil
}

// memory returns a process's resident memory and its peak in MB; 0 if not available.
func memory(pid int) (resident, peak float64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes float64
		switch {
		case strings.HasPrefix(line, "VmRSS:"):
			_, _ = fmt.Sscanf(line, "VmRSS: %f", &kilobytes)
			resident = kilobytes / 1000
		case strings.HasPrefix(line, "VmHWM:"):
			_, _ = fmt.Sscanf(line, "VmHWM: %f", &kilobytes)
			peak = kilobytes / 1000
		}
	}
	return resident, peak
}
