package attribution

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
	"nomograph/internal/progress"
	"nomograph/internal/redact"
	"nomograph/internal/render"
)

const (
	maxCommits      = 100_000 // maximum number of commits that are read, newest first
	maxCommitLength = 64 << 10
	progressEvery   = 2000 // between progress reports
)

// GitCommit is a commit.
type GitCommit struct {
	Hash    string    `json:"commit"`
	Subject string    `json:"subject"`
	At      time.Time `json:"at"`

	pulls []int64 // pull requests that it merged
}

// revert is a commit that reverts others, with their hashes or pull requests.
type revert struct {
	GitCommit
	hashes  []string
	numbers []int64
}

// repository is a git repository, read with the git program.
type repository struct{ git, dir string }

// openRepository returns the repository that contains the folder. It returns unavailable without a git program, and a
// validation_error without a repository.
func openRepository(ctx context.Context, dir string) (repository, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return repository{}, apperr.New(apperr.Unavailable, "git not found").
			WithHint("Install git, or run this on a machine with git").Because(err)
	}
	r := repository{git, dir}
	if _, err := r.output(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		if _, bare := r.output(ctx, "rev-parse", "--git-dir"); bare == nil {
			return r, apperr.Newf(apperr.Validation, "The git repository in %s has no commits", dir).
				WithHint("Commit first, or name another repository")
		}
		return r, err
	}
	return r, nil
}

// command runs git without anything that the repository's configuration can run: no file monitor, hook, pager or
// signature checker. It also disables transports, which would fetch objects that a partial clone lacks.
func (r repository) command(ctx context.Context, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.git, append([]string{"--no-pager", "--no-optional-locks", "-c",
		"core.fsmonitor=false", "-c", "log.showSignature=false",
		"-c", "core.hooksPath=" + os.DevNull}, arguments...)...)
	cmd.Dir = r.dir
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "GIT_") { // git sets variables for hooks that select another repository
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	return cmd
}

func (r repository) output(ctx context.Context, arguments ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := r.command(ctx, arguments...)
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	return strings.TrimSpace(string(text)), r.gitError(ctx, err, stderr.String())
}

// gitError returns git's error message.
func (r repository) gitError(ctx context.Context, err error, stderr string) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return graph.AsError(ctx.Err())
	case !errors.As(err, &exit):
		return apperr.New(apperr.Unavailable, "git failed").WithHint("Check that `git status` works in the repository").
			Because(err)
	}
	message := fmt.Sprintf("git cannot read %s", r.dir)
	if stderr = strings.TrimPrefix(render.FirstLine(stderr), "fatal: "); stderr != "" {
		message += ": " + redact.Mask(stderr)
	}
	return apperr.New(apperr.Validation, message).WithHint("Name a folder of a git repository").Because(err)
}

var remoteName = pattern.New(`[:/]([^/:]+/[^/:]+?)(?:\.git)?/?$`)

// project returns owner/repo from the remote origin; empty without one.
func (r repository) project(ctx context.Context) string {
	address, err := r.output(ctx, "config", "--get", "remote.origin.url")
	if found := remoteName.FindStringSubmatch(address); err == nil && found != nil {
		return found[1]
	}
	return ""
}

// shallow reports whether the clone is shallow.
func (r repository) shallow(ctx context.Context) bool {
	answer, err := r.output(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && answer == "true"
}

// walk visits the commits of HEAD, newest first, at most 100,000, and returns their number.
func (r repository) walk(ctx context.Context, visit func(c GitCommit, body string)) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var stderr bytes.Buffer
	cmd := r.command(ctx, "log", "-z", "--no-color", "--no-decorate", "--max-count="+strconv.Itoa(maxCommits),
		"--format=%H%x01%ct%x01%s%x01%b", "HEAD", "--")
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return 0, r.gitError(ctx, err, "")
	}
	read := 0
	for reader := bufio.NewReaderSize(out, maxCommitLength); ; {
		text, err := readRecord(reader)
		if fields := strings.SplitN(text, "\x01", 4); len(fields) == 4 {
			seconds, _ := strconv.ParseInt(fields[1], 10, 64) // git writes a number
			c := GitCommit{Hash: fields[0], Subject: strings.ToValidUTF8(fields[2], "?"), At: time.Unix(seconds, 0).
				UTC()}
			c.pulls = pullsOf(c.Subject, fields[3])
			visit(c, fields[3])
			if read++; read%progressEvery == 0 {
				progress.Report(ctx, progress.Step{Message: "Reading the git history", Done: int64(read)})
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			cancel()
			_ = cmd.Wait() // the error is the command's cancellation
			return read, r.gitError(ctx, err, "")
		}
	}
	return read, r.gitError(ctx, cmd.Wait(), stderr.String())
}

// readRecord reads up to the next zero byte. The rest of a record longer than the buffer is dropped.
func readRecord(reader *bufio.Reader) (string, error) {
	part, err := reader.ReadSlice(0)
	text := strings.TrimSuffix(string(part), "\x00")
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = reader.ReadSlice(0)
	}
	return text, err
}

// Messages that hosts write into merge commits, and git into reverts.
var (
	mergedPull   = pattern.New(`^Merge pull request #(\d{1,9}) from |\((?:pull request )?#(\d{1,9})\)$`)
	mergeRequest = pattern.New(`(?m)^See merge request \S*!(\d{1,9})\s*$`)
	revertedHash = pattern.New(`(?i)\bThis reverts (?:merge )?commit ([0-9a-f]{7,64})\b`)
	quotedRevert = pattern.New(`^Revert "(.*)"`)
	revertedPull = pattern.New(`(?m)^Reverts ([\w.-]+/[\w.-]+)?#(\d{1,9})\b`)
	fixUp        = pattern.New(`(?i)^(?:hot|bug)?fix(?:up|es|ed)?\b`)
	mentioned    = pattern.New(`#(\d{1,9})\b`)
)

func pullsOf(subject, body string) []int64 {
	var pulls []int64
	for _, found := range append(mergedPull.FindAllStringSubmatch(subject, -1),
		mergeRequest.FindAllStringSubmatch(body, -1)...) {
		pulls = append(pulls, numbersIn(found[1:])...)
	}
	return pulls
}

func numbersIn(texts []string) []int64 {
	var numbers []int64
	for _, text := range texts {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// revertOf parses what a commit reverts; false if it reverts nothing. Pull requests of other projects are ignored.
func revertOf(c GitCommit, body, project string) (revert, bool) {
	r := revert{GitCommit: c}
	for _, found := range revertedHash.FindAllStringSubmatch(body, -1) {
		r.hashes = append(r.hashes, strings.ToLower(found[1]))
	}
	if found := quotedRevert.FindStringSubmatch(c.Subject); found != nil {
		r.numbers = pullsOf(found[1], "")
	}
	for _, found := range revertedPull.FindAllStringSubmatch(body, -1) {
		if found[1] == "" || strings.EqualFold(found[1], project) {
			r.numbers = append(r.numbers, numbersIn(found[2:])...)
		}
	}
	return r, len(r.hashes)+len(r.numbers) > 0
}

// resolveInside resolves a path, which must be inside of one of the roots after following links.
func resolveInside(path string, roots []string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return "", apperr.Newf(apperr.Validation, "Cannot read the path %s", path).
			WithHint("Name a folder of a git repository").Because(err)
	}
	for _, root := range roots {
		if root, err = filepath.EvalSymlinks(root); err != nil {
			continue
		}
		if relative, err := filepath.Rel(root, real); err == nil && relative != ".." &&
			!strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
			return real, nil
		}
	}
	return "", apperr.Newf(apperr.Validation, "The path %s is outside the working directory", path).
		WithHint("Run `propose_outcomes` in that repository")
}
