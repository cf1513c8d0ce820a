package main_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
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
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	ran := filepath.Join(dir, "ran")
	environ := append(g.Environ(t), "LEAST_SHARE=old", "KEPT=yes", "RAN="+ran)
	away := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1", "RAN="+ran)
	mark := []string{"sh", "-c", `touch "$RAN"`}
	for _, c := range []struct {
		name    string
		environ []string
		flags   string
		command []string
		code    int
		stdout  string
		stderr  string
	}{
		{"a table", environ, "--table D10 --", []string{"sh", "-c",
			`echo "$NOMOGRAPH_T_LEAST_SHARE $LEAST_SHARE $KEPT [$GREETING]"`}, 0, "0.9 old yes []\n", ""},
		{"a table with its own names", environ, "--table D10 --prefix= --",
			[]string{"sh", "-c", `echo "$LEAST_SHARE [$NOMOGRAPH_T_LEAST_SHARE]"`}, 0, "0.9 []\n", ""},
		{"a name", environ, "--name least-share --", []string{"sh", "-c", `echo "$LEAST_SHARE"`}, 0, "0.9\n", ""},
		{"a line break", environ, "--name greeting --", mark, 1, "", "'greeting' has a line break"},
		{"names and a prefix", environ, "--name least-share --name greeting --prefix T_ --line-breaks --",
			[]string{"sh", "-c", `echo "$T_LEAST_SHARE $T_GREETING $LEAST_SHARE"`}, 0, "0.9 it's a\nday old\n", ""},
		{"once each", environ, "--table D10 --prefix= --", []string{"sh", "-c", `env | grep -c ^LEAST_SHARE=`}, 0,
			"1\n", ""},
		{"its own exit code", environ, "--table D10 --", []string{"sh", "-c", "exit 42"}, 42, "", ""},
		{"its own streams", environ, "--table D10 --", []string{"sh", "-c", "cat; echo wrong >&2"}, 0, "from stdin",
			"wrong\n"},
		{"its own flags, without --", environ, "--table D10", []string{"echo", "-o", "--table", "--", "x"}, 0,
			"-o --table -- x\n", ""},
		{"no such command", environ, "--table D10 --", []string{"no-such-command"}, 127, "",
			"Command no-such-command not found"},
		{"no such file", environ, "--table D10 --", []string{filepath.Join(dir, "none")}, 127, "", "not found"},
		{"no program", environ, "--table D10 --", []string{text}, 126, "", "Cannot execute"},
		{"a folder", environ, "--table D10 --", []string{dir}, 126, "", "Cannot execute"},
		{"no command", environ, "--table D10 --", nil, 2, "", "name a COMMAND"},
		{"a table without thresholds", environ, "--table D99 --", mark, 3, "", "belongs to decision table 'D99'"},
		{"a name that is not there", environ, "--name none --", mark, 3, "", "SYS_Threshold node 'none' not found"},
		{"one without a value", environ, "--table D14 --", mark, 1, "", "has no value"},
		{"a zero byte", environ, "--table D15 --", mark, 1, "", "zero byte"},
		{"what finds programs", environ, "--table D12 --prefix= --", mark, 1, "", "'path' would set the variable PATH"},
		{"what loads programs", environ, "--name ld_preload --", mark, 1, "",
			"'ld_preload' would set the variable LD_PRELOAD"},
		{"what finds programs, under the default prefix", environ, "--table D12 --",
			[]string{"sh", "-c", `echo "$NOMOGRAPH_T_PATH"; command -v sh >/dev/null`}, 0, "/evil\n", ""},
		{"all of them", environ, "--", mark, 1, "", "has no value"},
		{"no database", away, "--table D10 --", mark, 4, "", "No Neo4j answers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append(append([]string{"exec"}, strings.Fields(c.flags)...), c.command...)
			stdout, stderr, code := graphtest.Run(t, c.environ, strings.NewReader("from stdin"), graphtest.Binary(t),
				args...)
			if code != c.code || stdout != c.stdout || !strings.Contains(stderr, c.stderr) || c.stderr == "" &&
				stderr != "" {
				t.Errorf("exit %d (want %d)\nstdout: %q\nstderr: %q", code, c.code, stdout, stderr)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("the command was run")
			}
		})
	}
	t.Run("all thresholds with a prefix", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold) WHERE t.name IN ['hollow', 'zero'] DELETE t", nil)
		stdout, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "exec", "--prefix", "T_",
			"--line-breaks", "--", "sh", "-c", `touch "$RAN"; echo "$T_PATH $T_LEAST_SHARE"`)
		if code != 0 || stdout != "/evil 0.9\n" {
			t.Errorf("exit %d, %q, %s", code, stdout, stderr)
		}
		if _, err := os.Stat(ran); err != nil {
			t.Errorf("the file that other cases check is not created by the command: %v", err)
		}
	})
	t.Run("a signal reaches the command", func(t *testing.T) {
		cmd := graphtest.Command(t, graphtest.Binary(t), "exec", "--table", "D10", "--", "sh", "-c",
			`trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done`)
		cmd.Env = environ
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		if lines := bufio.NewScanner(stdout); !lines.Scan() || lines.Text() != "ready" {
			t.Fatalf("got %q, want lines.Scan()=true, Text=ready", lines.Text())
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 7 {
			t.Errorf("exit %d", code)
		}
	})
}
