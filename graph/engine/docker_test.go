package engine_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"nomograph/graph/engine"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

// fakeDocker is a docker program that answers `info`, records the arguments of `run`, and has no image.
const fakeDocker = `#!/bin/sh
here=${0%/*}
case "$1" in
info) exit 0 ;;
run)
  for argument; do echo "$argument"; done >"$here/arguments"
  while [ "$1" != --env-file ]; do shift; done
  while read -r line; do echo "$line"; done <"$2" >"$here/environment"
  echo "Unable to find image" >&2
  exit 125 ;;
*) exit 1 ;;
esac
`

func TestEngine_NoJavaNoNetwork_UsesDocker(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake docker is a shell script")
	}
	o := setup(t)
	bin := t.TempDir()
	graphtest.OK(t, os.WriteFile(filepath.Join(bin, "docker"), []byte(fakeDocker), 0o700))
	bare(t, &o)
	t.Setenv("PATH", bin)

	_, err := engine.Acquire(within(t, time.Minute), o)
	wantError(t, err, apperr.Unavailable, "container", "console.log")

	text := graphtest.Must(os.ReadFile(filepath.Join(bin, "arguments")))(t)
	arguments := string(text)
	golden.Contains(t, "the arguments", arguments,
		"neo4j:"+o.Version+"-community\n", "--rm\n", "--label\nnomograph.engine="+o.Dir+"\n",
		"--publish\n127.0.0.1:", ":7687\n", filepath.Join(o.Dir, "data")+":/data\n")
	text = graphtest.Must(os.ReadFile(filepath.Join(bin, "environment")))(t)
	environment := string(text)
	golden.Contains(t, "the environment", environment,
		"NEO4J_AUTH_PATH=/", "NEO4J_server_jvm_additional=-XX:+ExitOnOutOfMemoryError\n",
		"NEO4J_server_memory_heap_max__size=256m\n", "NEO4J_server_bolt_listen__address=0.0.0.0:7687\n",
		"NEO4J_dbms_security_allow__csv__import__from__file__urls=false\n",
		"NEO4J_internal_dbms_cypher__ip__blocklist=0.0.0.0/0,::/0\n")
	password, err := os.ReadFile(filepath.Join(o.Dir, "password"))
	if err != nil || strings.Contains(arguments+environment, strings.TrimSpace(string(password))) {
		t.Errorf("the password is on the command line or in the environment (%v)", err)
	}

	graphtest.OK(t, os.MkdirAll(filepath.Join(o.Dir, "data", "databases", "neo4j"), 0o700))
	err = engine.Backup(within(t, time.Minute), o, filepath.Join(t.TempDir(), "graph.dump"))
	wantError(t, err, apperr.Unavailable, "docker run", "database dump")
}
