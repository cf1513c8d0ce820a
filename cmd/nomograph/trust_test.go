package main_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// clone is a folder by another author, and the home of a user who works in it.
type clone struct {
	dir, home string
	environ   []string
}

func newClone(t *testing.T) clone {
	t.Helper()
	environ := graphtest.BareEnviron(t)
	return clone{t.TempDir(), valueIn(environ, "HOME"), environ}
}

// session runs commands in the folder.
func (c clone) session(t *testing.T, script string) {
	t.Helper()
	sessionIn(t, c.dir, c.environ, script)
}

func (c clone) write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	graphtest.OK(t, os.WriteFile(path, []byte(text), mode))
}

// run returns the whole output of the program and its exit code.
func (c clone) run(t *testing.T, args ...string) (output string, code int) {
	t.Helper()
	cmd := exec.Command(graphtest.Binary(t), args...)
	cmd.Env, cmd.Dir = c.environ, c.dir
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// The test's java program records its working directory and arguments.
func TestTrust_ClonedRepository_RunsNoCode(t *testing.T) {
	c := newClone(t)
	programs, shown := t.TempDir(), filepath.Join(t.TempDir(), "told")
	c.write(t, filepath.Join(programs, "java"), `#!/bin/sh
if [ "$1" = -version ]; then echo "in $PWD" >> "`+shown+`"; echo 'openjdk version "21.0.1"' >&2; exit; fi
cat "${1#@}" >> "`+shown+`"; exit 1
`, 0o700)
	c.environ = append(c.environ, "PATH="+programs+":/usr/bin:/bin", "JAVA_HOME=vendor/jdk",
		"HTTPS_PROXY=http://127.0.0.1:1")
	c.write(t, "vendor/lib/neo4j-kernel-5.26.30.jar", "code", 0o600)
	c.write(t, "vendor/jdk/bin/java", "#!/bin/sh\necho relative >> '"+shown+"'\n", 0o700)
	c.write(t, ".env", "NEO4J_HOME=vendor\nNOMOGRAPH_ENGINE_DIR="+c.dir+
		"/engine\nNOMOGRAPH_EMBEDDER_URL=http://127.0.0.1:1\n", 0o600)

	output, code := c.run(t, "threshold", "list")
	ran, _ := os.ReadFile(shown)
	if code != 4 || !strings.Contains(output, "cannot be prepared") || strings.Contains(string(ran), "vendor") ||
		strings.Contains(string(ran), c.dir) || strings.Contains(string(ran), "relative") {
		t.Errorf("exit %d: %s\nran: %s", code, output, ran)
	}
	if lines := strings.Count(output, ".env"); lines != 1 ||
		!strings.Contains(output, "with NEO4J_HOME, NOMOGRAPH_ENGINE_DIR, NOMOGRAPH_EMBEDDER_URL: `nomograph trust") {
		t.Errorf("got %s, want one line about the ignored settings", output)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "engine")); err == nil {
		t.Error("the program wrote into a directory that the clone names")
	}
	c.session(t, `
$ trust --show --revoke # 2
err use only one of --show and --revoke
$ trust
out engine.home = vendor
out does not cover`)
	output, _ = c.run(t, "threshold", "list")
	if ran, _ := os.ReadFile(shown); !strings.Contains(string(ran), "vendor/lib/neo4j-kernel-5.26.30.jar") ||
		strings.Contains(output, ".env of this folder") {
		t.Errorf("a trusted file has no effect: %s\nran: %s", output, ran)
	}
}

// listen opens a port that speaks enough Bolt to receive the password.
func listen(t *testing.T) (address string, heard func() string) {
	t.Helper()
	listener := graphtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	var mutex sync.Mutex
	var all []byte
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			hello := make([]byte, 20)
			if _, err := io.ReadFull(conn, hello); err == nil {
				_, _ = conn.Write([]byte{0, 0, 4, 4}) // the first message contains the credentials
				output := make([]byte, 4096)
				n, _ := conn.Read(output)
				mutex.Lock()
				all = append(all, output[:n]...)
				mutex.Unlock()
			}
			_ = conn.Close()
		}
	}()
	return "bolt://" + listener.Addr().String(), func() string {
		mutex.Lock()
		defer mutex.Unlock()
		return string(all)
	}
}

func TestTrust_ClonedRepository_GetsNoPassword(t *testing.T) {
	const password = "of-the-user-0815"
	for _, row := range golden.Rows(t, "testdata/passwords.txt") {
		t.Run(row[0], func(t *testing.T) {
			c := newClone(t)
			address, heard := listen(t)
			named := strings.NewReplacer("ADDRESS", address, "SECRET", password, `\n`, "\n")
			c.write(t, filepath.Join(c.home, ".config", "nomograph", ".env"), named.Replace(row[1]), 0o600)
			dotenv, trusted := strings.CutPrefix(named.Replace(row[2]), "trusted ")
			if dotenv != "" {
				c.write(t, ".env", dotenv, 0o600)
			}
			if trusted {
				if output, code := c.run(t, "trust"); code != 0 || strings.Contains(output, password) {
					t.Fatalf("trust: exit %d, %s", code, output)
				}
			}
			c.environ = append(c.environ, strings.Fields(named.Replace(row[3]))...)
			output, code := c.run(t, append([]string{"threshold", "list"}, strings.Fields(named.Replace(row[4]))...)...)
			if strconv.Itoa(code) != row[5] || !strings.Contains(output, row[6]) || strings.Contains(output, password) {
				t.Errorf("exit %d (want %s): %s", code, row[5], output)
			}
			if got := heard(); strings.Contains(got, password) != (row[7] == "password") ||
				(got == "") != (row[7] == "nothing") {
				t.Errorf("the address received %q, want %s", got, row[7])
			}
		})
	}
}

func TestTrust_ChangedContentOrFolder_IsNotTrusted(t *testing.T) {
	c := newClone(t)
	c.write(t, ".env", "NEO4J_URI=bolt://127.0.0.1:1\n", 0o600)
	const counts, doesNot = "\n$ config get neo4j.uri\n= bolt://127.0.0.1:1",
		"\n$ config get neo4j.uri\nnot 127.0.0.1:1"
	c.session(t, "$ trust --show\nout is not trusted\nout neo4j.uri = bolt://127.0.0.1:1"+doesNot)
	c.session(t, "$ trust"+counts)
	records, err := filepath.Glob(filepath.Join(c.home, ".local/share/nomograph/trusted/*"))
	if err != nil || len(records) != 1 {
		t.Fatalf("got the records %v, %v, want one", records, err)
	}
	graphtest.Equal(t, graphtest.Must(os.Stat(records[0]))(t).Mode().Perm(), 0o600, "the permissions")
	// Another folder with the same file, also by a link to this one's.
	other := c
	other.dir = t.TempDir()
	graphtest.OK(t, os.Symlink(filepath.Join(c.dir, ".env"), filepath.Join(other.dir, ".env")))
	other.session(t, doesNot)
	// A link to this folder is this folder.
	other.dir = filepath.Join(t.TempDir(), "link")
	graphtest.OK(t, os.Symlink(c.dir, other.dir))
	other.session(t, counts)
	c.write(t, ".env", "NEO4J_URI=bolt://127.0.0.1:1\nNOMOGRAPH_CHECK_TIMEOUT=1h\n", 0o600)
	c.session(t, "$ version\nerr has changed since it was trusted"+doesNot+"\n$ trust ."+counts)
	c.write(t, ".env", "NEO4J_URI=bolt://127.0.0.1:1\n", 0o600)
	c.session(t, doesNot+"\n$ trust --revoke\nout is not trusted\n$ trust --revoke # 3")
	// A file with invalid settings loses its trust, too.
	c.write(t, ".env", "NOMOGRAPH_CHECK_TIMEOUT=soon\n", 0o600)
	c.session(t, "$ trust\n$ version # 2\n$ trust --revoke")
}
