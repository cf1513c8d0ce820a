package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"nomograph/graph/engine/process"
	"nomograph/graph/engine/provision"
)

// adminCall is one run of Neo4j's administration tool. The engine must not run.
type adminCall struct {
	args   []string
	stdin  io.Reader // may be nil
	stdout io.Writer // nil: the log
}

// admin runs the tool. Its error ends with the last line of the tool's output.
func (in *installation) admin(ctx context.Context, call adminCall) error {
	log, err := openLog(in.o.path("logs", "admin.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	arguments := in.o.path("run", "admin.args")
	if err := in.WriteArguments(arguments, []string{provision.QuickCompiler, "-Xmx" + in.o.Heap},
		"org.neo4j.cli.AdminTool", call.args...); err != nil {
		return err
	}
	defer os.Remove(arguments)

	tail := &lastLines{to: log}
	cmd := exec.CommandContext(ctx, in.Java, "@"+arguments)
	cmd.Dir = in.o.Dir
	cmd.Env = append(provision.Environ(), "NEO4J_HOME="+in.o.Dir, "NEO4J_CONF="+in.o.path("conf"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = call.stdin, call.stdout, tail
	if call.stdout == nil {
		cmd.Stdout = tail
	}
	process.OwnGroup(cmd)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("neo4j-admin %s: %w: %s", strings.Join(call.args[:2], " "), err, tail.text())
	}
	return nil
}

// lastLines passes output on and keeps its last lines.
type lastLines struct {
	to   io.Writer
	kept []byte
}

func (l *lastLines) Write(p []byte) (int, error) {
	l.kept = append(l.kept, p...)
	if over := len(l.kept) - 2000; over > 0 {
		l.kept = l.kept[over:]
	}
	return l.to.Write(p)
}

func (l *lastLines) text() string { return strings.TrimSpace(string(l.kept)) }
