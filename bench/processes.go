package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// hello is a minimal Go program, the floor for starts.
const hello = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"

// starts measures commands that answer once and end, against a minimal program, and the memory of servers.
func (b *bench) starts(ctx context.Context) ([]row, error) {
	least, err := b.minimal(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.command(ctx, "policy", "check", "deploy the service"); err != nil { // plans the statements
		return nil, err
	}
	var rows []row
	for _, c := range []struct {
		name string
		args []string
	}{
		{"`version`", []string{"version"}},
		{"`threshold get NAME --value`", []string{"threshold", "get", "gate_least_confidence", "--default", "0.5",
			"--value"}},
		{"`policy check`", []string{"policy", "check", "deploy the service"}},
	} {
		rows = append(rows,
			row{name: c.name, work: timed(func(int) error { return b.command(ctx, c.args...) }),
				floor: floor{"Go program", timed(func(int) error { _, err := b.process(ctx, "", least); return err })}},
			row{name: c.name + ", processor time", work: b.processorTime(ctx, b.program, c.args...),
				floor: floor{"Go program", b.processorTime(ctx, least)}})
	}
	server, err := b.stdio()
	if err != nil {
		return nil, err
	}
	resident := b.resident(server.cmd.Process.Pid)
	had := len(b.opened)
	rows = append(rows, row{name: "stdio server, until it answers `initialize`", floor: rows[0].floor,
		work:   timed(func(int) error { _, err := b.stdio(); return err }),
		settle: func() error { b.end(had); return nil }})
	return append(rows,
		once("memory of a stdio server after its start", "MB", resident),
		row{name: "memory of a stdio server after 50 checks", unit: "MB", times: 1, work: resident,
			prepare: func() error {
				for range 50 {
					if _, err := server.call("check_action", actionCheck); err != nil {
						return err
					}
				}
				return nil
			}}), nil
}

// minimal builds the minimal program.
func (b *bench) minimal(ctx context.Context) (string, error) {
	program := filepath.Join(b.folder(), "hello")
	if err := os.WriteFile(program+".go", []byte(hello), 0o600); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", program, program+".go")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the minimal program: %w: %s", err, out)
	}
	return program, nil
}

// process runs a program and returns its output.
func (b *bench) process(ctx context.Context, stdin, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Stdin = b.environ(), strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%v: %w: %s", args, err, out)
	}
	return string(out), err
}

func (b *bench) command(ctx context.Context, args ...string) error {
	_, err := b.process(ctx, "", b.program, args...)
	return err
}

// processorTime returns an operation that measures the processor time of a program.
func (b *bench) processorTime(ctx context.Context, program string, args ...string) operation {
	return func(int) (float64, error) {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Env = b.environ()
		err := cmd.Run()
		return milliseconds(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()), err
	}
}

// peak returns an operation that measures the peak memory of a command in MB.
func (b *bench) peak(ctx context.Context, args ...string) operation {
	return func(int) (peak float64, err error) {
		cmd := exec.CommandContext(ctx, b.program, args...)
		cmd.Env = b.environ()
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		for {
			select {
			case err := <-done:
				return peak, err
			case <-time.After(20 * time.Millisecond):
				peak = max(peak, memoryOf(cmd.Process.Pid, "VmHWM"))
			}
		}
	}
}

// resident returns an operation that reads the resident memory of a process in MB.
func (b *bench) resident(pid int) operation {
	return func(int) (float64, error) { return memoryOf(pid, "VmRSS"), nil }
}

// memoryOf returns a field of a process's status in MB; 0 on systems without it.
func memoryOf(pid int, field string) (kilobytes float64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			_, _ = fmt.Sscan(value, &kilobytes)
		}
	}
	return kilobytes / 1000
}
