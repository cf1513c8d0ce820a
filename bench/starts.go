package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// hello is a minimal Go program, the floor for starts.
const hello = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"

// peak is a program that runs another and prints that program's peak memory in KB. On Linux the peak of a child includes what its
// parent held when it forked, so the bench, which holds more than some of the commands, cannot measure it itself.
const peak = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Run()
	fmt.Println(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}
`

// starts measures commands that answer once and end, alternating with a minimal program, and the memory of a server over
// stdio after each kind of work.
func (b *bench) starts(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "nomograph-hello-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	least, measured := filepath.Join(dir, "hello"), filepath.Join(dir, "peak")
	for program, source := range map[string]string{least: hello, measured: peak} {
		if program == measured && runtime.GOOS != "linux" { // other systems report the peak in other units
			continue
		}
		if err := os.WriteFile(program+".go", []byte(source), 0o600); err != nil {
			return err
		}
		build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", program, program+".go")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w: %s", filepath.Base(program), err, out)
		}
	}
	driver, server, err := b.driverAndServer()
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx) }()
	if err := server.call("check_action", someAction); err != nil { // the first call migrates the graph and plans the statements
		return err
	}
	if err := server.close(); err != nil {
		return err
	}
	rows := []struct {
		name, program string
		args          []string
		times, cpu    sample
		faults, peak  float64
	}{
		{name: "hello world", program: least},
		{name: "`version`", program: b.program, args: []string{"version"}},
		{name: "`threshold get NAME --value`", program: b.program, args: []string{"threshold", "get", "gate_least_confidence", "--default", "0.5", "--value"}},
		{name: "`policy check`", program: b.program, args: []string{"policy", "check", "deploy the service"}},
	}
	var first sample
	for range *begins {
		for i := range rows {
			cmd := exec.CommandContext(ctx, rows[i].program, rows[i].args...)
			cmd.Env = b.environ()
			err := rows[i].times.timed(cmd.Run)
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) { // a check may deny
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rows[i].cpu = append(rows[i].cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			rows[i].faults += pageFaults(cmd.ProcessState) / float64(*begins)
		}
		if err := first.timed(func() (err error) {
			if server, err = start(b.program, b.environ()); err != nil {
				return err
			}
			return server.initialize()
		}); err != nil {
			return err
		}
		if err := server.close(); err != nil {
			return err
		}
	}
	for i := range rows {
		if runtime.GOOS != "linux" {
			break
		}
		cmd := exec.CommandContext(ctx, measured, append([]string{rows[i].program}, rows[i].args...)...)
		cmd.Env = b.environ()
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("the peak of %s: %w", rows[i].name, err)
		}
		kb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			return fmt.Errorf("the peak of %s: %w", rows[i].name, err)
		}
		rows[i].peak = kb / 1000
	}
	fmt.Fprintf(&b.report, "\n## Starts (%d of each, alternating)\n\n| | minimum | p50 | p50 / hello world | processor time, p50 | page faults | maximum MB |\n|---|---|---|---|---|---|---|\n", *begins)
	floor := rows[0].times.p50()
	for _, row := range rows {
		fmt.Fprintf(&b.report, "| %s | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f |\n", row.name, row.times.at(0), row.times.p50(), row.times.p50()/floor, row.cpu.p50(), row.faults, row.peak)
	}
	fmt.Fprintf(&b.report, "| server over stdio: spawn to the answer of `initialize` | %.1f | %.1f | %.1f | | | |\n", first.at(0), first.p50(), first.p50()/floor)
	info, err := os.Stat(b.program)
	if err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "\nThe program has %.1f MB.\n", float64(info.Size())/1e6)
	return b.memoryAfterWork()
}

const someAction = `{"description":"deploy the service","category":"process","stakes":"low","confidence":0.9}`

// memoryAfterWork measures a server's memory immediately after each kind of work and after an idle time.
func (b *bench) memoryAfterWork() error {
	const quiet = 5 * time.Second
	server, err := start(b.program, b.environ())
	if err != nil {
		return err
	}
	if err := server.initialize(); err != nil {
		return err
	}
	fmt.Fprint(&b.report, "\n### Memory of a server over stdio, in MB\n\n| after | immediately | when idle |\n|---|---|---|\n")
	for _, work := range []struct {
		name, tool, arguments string
		times                 int
	}{
		{"the start", "", "", 0},
		{"400 reads", "list_policies", `{"limit":1}`, 400},
		{"50 checks", "check_action", someAction, 50},
		{"50 searches", "query_decisions", `{"query":"which queue holds the orders"}`, 50},
		{"10 contexts of a session", "get_session_context", `{"task_description":"orders"}`, 10},
	} {
		for range work.times {
			if err := server.call(work.tool, work.arguments); err != nil {
				return err
			}
		}
		busy, _ := memory(server.cmd.Process.Pid)
		time.Sleep(quiet)
		rested, _ := memory(server.cmd.Process.Pid)
		fmt.Fprintf(&b.report, "| %s | %.0f | %.0f |\n", work.name, busy, rested)
	}
	return server.close()
}
