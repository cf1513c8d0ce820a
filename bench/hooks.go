package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"nomograph/graph/engine"
)

const (
	hookSessions   = 4
	hookEvents     = 500 // events of the processor time measurement
	bareGuardrails = `MATCH (p:SYS_Policy) WHERE p.active = true WITH collect(properties(p)) AS rules
	                  MATCH (t:SYS_Threshold) RETURN rules, collect(properties(t)) AS thresholds`
	hookEvent = `{"session_id":"bench","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"Bash","tool_use_id":"%d","tool_input":{"command":"make test"}}`
)

// hooks measures the hooks of coding agents at four parallel sessions with a running server and the four packs: the processes of
// nomograph-hook and nomograph hook against a process that only starts, and the same event over HTTP against the read and the write that a
// check stands for. It ends with the processor time of an event.
func (b *bench) hooks(ctx context.Context) error {
	driver, server, err := b.driverAndServer()
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx) }()
	run := func(stdin, program string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Env, cmd.Stdin = b.environ(), strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("", b.program, "policy", "apply", "shell", "git", "files", "mcp", "--mode", "enforce"); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	target, err := b.serveHTTP(ctx)
	if err != nil {
		return err
	}
	defer target.stop()
	var calls atomic.Int64 // a new id makes each event a separate call
	event := func() string { return fmt.Sprintf(hookEvent, calls.Add(1)) }
	process := func(program string, args ...string) func() error {
		return func() error {
			out, err := run(event(), program, args...)
			if err == nil && out != "" {
				err = errors.New(out)
			}
			return err
		}
	}
	lean := process(filepath.Join(filepath.Dir(b.program), "nomograph-hook"), "claude-code")
	whole := process(b.program, "hook", "claude-code")
	starts := func() error { return exec.CommandContext(ctx, "true").Run() }
	posted := func() error {
		return target.post(ctx, "/hooks/generic?contract=1", fmt.Sprintf(`{"kind":"shell.run","command":"make test","session_id":"bench","tool_use_id":"%d"}`, calls.Add(1)), `"decision":"allow"`)
	}
	read := func() error { return runOnDriver(ctx, driver, bareGuardrails, nil) }
	write := func() error {
		return runOnDriver(ctx, driver, bareWrite, map[string]any{"uid": event(), "text": actionCheck})
	}
	for try := 0; posted() != nil && try < 5; try++ { // the first check of a process plans its statements
	}
	fmt.Fprintf(&b.report, "\n## Hooks of coding agents (%d sessions at the same time)\n\n| | calls a second | of the floor | p50 | p99 | p99 of the floor |\n|---|---|---|---|---|---|\n", hookSessions)
	for try := 0; lean() != nil && try < 5; try++ {
	}
	for _, event := range []func() error{lean, posted} { // warm up: an event costs twice as much before the engine has compiled its statements
		if _, err := parallelCalls(hookSessions, *loadTime, event); err != nil {
			return err
		}
	}
	if err := b.compare(hookSessions, []load{{"a process that only starts (true)", starts}, {"`nomograph-hook claude-code` with a running server", lean}, {"`nomograph hook claude-code` with a running server", whole}}); err != nil {
		return err
	}
	if err := b.compare(hookSessions, []load{{"bare read of the active rules and all thresholds", read}, {"bare small write", write}, {"the same event over HTTP", posted}}); err != nil {
		return err
	}
	if err := b.cpuTimes(target.cmd.Process.Pid, "over HTTP", posted); err != nil {
		return err
	}
	if err := b.cpuTimes(server.cmd.Process.Pid, "through `nomograph-hook`", lean); err != nil {
		return err
	}
	return server.close()
}

// cpuTimes measures the processor time of an event, without that of the process of a hook. Other programs affect it less than its wall time.
func (b *bench) cpuTimes(server int, way string, event func() error) error {
	status, err := engine.Inspect(b.options)
	if err != nil {
		return err
	}
	programs := []int{status.PID, server}
	var before [2]time.Duration
	for i, pid := range programs {
		before[i] = processorTime(pid)
	}
	var left atomic.Int64
	left.Store(hookEvents)
	errs := make([]error, hookSessions)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() {
			for left.Add(-1) >= 0 && errs[i] == nil {
				errs[i] = event()
			}
		})
	}
	wait.Wait()
	each := func(i int) float64 { return (processorTime(programs[i]) - before[i]).Seconds() * 1000 / hookEvents }
	fmt.Fprintf(&b.report, "\nProcessor time of an event %s: engine %.2f ms, server %.2f ms.\n", way, each(0), each(1))
	return errors.Join(errs...)
}
