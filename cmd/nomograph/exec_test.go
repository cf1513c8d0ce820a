package main_test

import (
	"bufio"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"nomograph/graph/graphtest"
)

func TestExec_Thresholds_AreInTheEnvironment(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'least-share', value: 0.9, decision_table: 'D10'}), (:SYS_Threshold {name: 'greeting', value: "it's a\nday", decision_table: 'D11'}),
		(:SYS_Threshold {name: 'path', value: '/evil', decision_table: 'D12'}), (:SYS_Threshold {name: 'ld_preload', value: '/evil.so', decision_table: 'D13'}),
		(:SYS_Threshold {name: 'hollow', decision_table: 'D14'}), (:SYS_Threshold {name: 'zero', value: 'a\u0000b', decision_table: 'D15'})`, nil)
	dir := t.TempDir()
	text, ran := filepath.Join(dir, "text"), filepath.Join(dir, "ran")
	graphtest.OK(t, os.WriteFile(text, []byte("no program"), 0o644))
	environ := append(g.Environ(t), "LEAST_SHARE=old", "KEPT=yes", "RAN="+ran, "DIR="+dir)
	session(t, environ, `
$ exec --table D10 -- sh -c 'echo "$NOMOGRAPH_T_LEAST_SHARE $LEAST_SHARE $KEPT [$GREETING]"'
= 0.9 old yes []
$ exec --table D10 --prefix= -- sh -c 'echo "$LEAST_SHARE [$NOMOGRAPH_T_LEAST_SHARE]"'
= 0.9 []
$ exec --name least-share -- sh -c 'echo "$LEAST_SHARE"'
= 0.9
$ exec --name greeting -- sh -c 'touch "$RAN"' # 1
err 'greeting' has a line break
$ exec --name least-share --name greeting --prefix T_ --line-breaks -- sh -c 'echo "$T_LEAST_SHARE $T_GREETING $LEAST_SHARE"'
= 0.9 it's a
= day old
$ exec --table D10 --prefix= -- sh -c 'env | grep -c ^LEAST_SHARE='
= 1
$ exec --table D10 -- sh -c 'exit 42' # 42
$ exec --table D10 -- sh -c 'cat; echo wrong >&2'
< from stdin
= from stdin
err wrong
$ exec --table D10 echo -o --table -- x
= -o --table -- x
$ exec --table D10 -- no-such-command # 127
err Command no-such-command not found
$ exec --table D10 -- $DIR/none # 127
err not found
$ exec --table D10 -- $DIR/text # 126
err Cannot execute
$ exec --table D10 -- $DIR # 126
err Cannot execute
$ exec --table D10 -- # 2
err name a COMMAND
$ exec --table D99 -- sh -c 'touch "$RAN"' # 3
err belongs to decision table 'D99'
$ exec --name none -- sh -c 'touch "$RAN"' # 3
err SYS_Threshold node 'none' not found
$ exec --table D14 -- sh -c 'touch "$RAN"' # 1
err has no value
$ exec --table D15 -- sh -c 'touch "$RAN"' # 1
err zero byte
$ exec --table D12 --prefix= -- sh -c 'touch "$RAN"' # 1
err 'path' would set the variable PATH
$ exec --name ld_preload -- sh -c 'touch "$RAN"' # 1
err 'ld_preload' would set the variable LD_PRELOAD
$ exec --table D12 -- sh -c 'echo "$NOMOGRAPH_T_PATH"; command -v sh >/dev/null'
= /evil
$ exec -- sh -c 'touch "$RAN"' # 1
err has no value
$ NEO4J_URI=bolt://127.0.0.1:1 exec --table D10 -- sh -c 'touch "$RAN"' # 4
err No Neo4j answers`)
	if _, err := os.Stat(ran); err == nil {
		t.Error("a command was run")
	}
	g.Exec(t, "MATCH (t:SYS_Threshold) WHERE t.name IN ['hollow', 'zero'] DELETE t", nil)
	session(t, environ, `
$ exec --prefix T_ --line-breaks -- sh -c 'touch "$RAN"; echo "$T_PATH $T_LEAST_SHARE"'
= /evil 0.9`)
	if _, err := os.Stat(ran); err != nil {
		t.Errorf("the file that other commands must not make is not made: %v", err)
	}
	t.Run("a signal reaches the command", func(t *testing.T) {
		cmd := graphtest.Command(t, graphtest.Binary(t), "exec", "--table", "D10", "--", "sh", "-c",
			`trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done`)
		cmd.Env = environ
		stdout := graphtest.Must(cmd.StdoutPipe())(t)
		graphtest.OK(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		if lines := bufio.NewScanner(stdout); !lines.Scan() || lines.Text() != "ready" {
			t.Fatalf("the command prints %q", lines.Text())
		}
		graphtest.OK(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait()
		graphtest.Equal(t, cmd.ProcessState.ExitCode(), 7, "exit")
	})
}
