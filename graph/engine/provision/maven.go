package provision

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

//go:embed pom.xml
var pom []byte

const (
	mavenTimeout     = 5 * time.Second // time to end after being asked to
	defaultJars      = 213             // number of jars of Version, for progress only
	lockPollInterval = 25 * time.Millisecond
)

// fetch downloads the jars with Maven into the cache, once for all its users, and reports progress. It returns
// unavailable on failure.
func fetch(ctx context.Context, from Source, mvn string) ([]string, error) {
	if err := os.MkdirAll(from.Cache, 0o700); err != nil {
		return nil, files.Unwritable(from.Cache, err)
	}
	lock := flock.New(filepath.Join(from.Cache, "provision.lock"), flock.SetPermissions(0o600))
	progress.Say(ctx, "Preparing Neo4j "+from.Version)
	if _, err := lock.TryLockContext(ctx, lockPollInterval); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, files.Unwritable(lock.Path(), err)
	}
	defer lock.Close()
	if jars := fetchedJars(from); jars != nil {
		return jars, nil // another process was faster
	}

	aside := from.folder() + ".partial"
	if err := os.RemoveAll(aside); err != nil {
		return nil, files.Unwritable(aside, err)
	}
	// Maven searches for a .mvn directory, which may name code to run, in the project directory and its parents. This
	// one ends the search.
	if err := os.MkdirAll(filepath.Join(aside, ".mvn"), 0o700); err != nil {
		return nil, files.Unwritable(aside, err)
	}
	if err := os.WriteFile(filepath.Join(aside, "pom.xml"), pom, 0o600); err != nil {
		return nil, files.Unwritable(aside, err)
	}
	if err := copyDependencies(ctx, from, mvn, aside); err != nil {
		return nil, err
	}
	jars, err := jarsIn(filepath.Join(aside, "lib"))
	if err != nil || len(jars) == 0 {
		return nil, fmt.Errorf("maven left no jars in %s: %w", aside, err)
	}
	if err := os.WriteFile(filepath.Join(aside, "complete"), []byte(fingerprint(jars)), 0o600); err != nil {
		return nil, files.Unwritable(aside, err)
	}
	if err := os.RemoveAll(from.folder()); err != nil {
		return nil, files.Unwritable(from.folder(), err)
	}
	if err := os.Rename(aside, from.folder()); err != nil {
		return nil, files.Unwritable(from.folder(), err)
	}
	return jarsIn(filepath.Join(from.folder(), "lib"))
}

func copyDependencies(ctx context.Context, from Source, mvn, dir string) error {
	log, err := os.OpenFile(from.Log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return files.Unwritable(from.Log, err)
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, mvn, "-B", "-f", filepath.Join(dir, "pom.xml"), "dependency:copy-dependencies",
		"-DoutputDirectory="+filepath.Join(dir, "lib"), "-DincludeScope=runtime", "-Dneo4j.version="+from.Version)
	cmd.Dir = dir
	cmd.WaitDelay = mavenTimeout
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("read maven's output: %w", err)
	}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return apperr.New(apperr.Unavailable, "Cannot start Maven (mvn)").WithHint("Check that `%s -version` works", mvn).Because(err)
	}
	countJars(ctx, from.Version, io.TeeReader(out, log))
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return apperr.New(apperr.Unavailable, "Maven could not download Neo4j "+from.Version).
			WithHint("Check the version and the network (proxies and mirrors in Maven's settings.xml); see %s. "+
				"Or set NEO4J_URI to a running Neo4j, or NEO4J_HOME to an installed one",
				log.Name()).Because(err)
	}
	return nil
}

// countJars reports one progress step for each jar that Maven has downloaded, then for each that it has copied.
func countJars(ctx context.Context, version string, output io.Reader) {
	var downloaded, copied int64
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.Contains(line, "Downloaded from") && strings.Contains(line, ".jar"):
			downloaded++ // includes Maven's own jars, so the total is not exact
			progress.Report(ctx, progress.Step{
				Message: "fetching Neo4j " + version + " (jars)", Done: min(downloaded, defaultJars), Total: defaultJars,
			})
		case strings.Contains(line, "Copying ") && strings.Contains(line, ".jar"):
			copied++
			progress.Report(ctx, progress.Step{
				Message: "unpacking Neo4j " + version + " (jars)", Done: min(copied, defaultJars), Total: defaultJars,
			})
		}
	}
	_, _ = io.Copy(io.Discard, output) // a line too long for the scanner must not block Maven
}

func findMaven() (string, error) {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", fmt.Errorf("no mvn in PATH")
	}
	return mvn, nil
}
