package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	driverconfig "github.com/neo4j/neo4j-go-driver/v5/neo4j/config"

	"nomograph/graph/engine/files"
	"nomograph/graph/engine/process"
	"nomograph/graph/engine/provision"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

const (
	// writing a class-data archive on a busy machine takes a minute; afterwards the process is killed
	stopTimeout  = 3 * time.Minute
	startTimeout = 15 * time.Minute // long enough to recover from a long transaction log
)

var errEnded = errors.New("the engine stopped during startup")

// server is one run of Neo4j on the data.
type server struct {
	in        *installation
	cmd       *exec.Cmd
	port      int
	container string        // name of the container; empty without Docker
	ended     chan struct{} // closed when the process has ended
	archive   string        // class-data archive in use
	aside     string        // class-data archive to be written at the end
	logBegin  int64         // offset of this run's output in neo4j.log
}

// open starts Neo4j on the data with its password set, and waits until it answers. After an end for an unknown cause,
// it deletes the class-data archive, which may be broken, or ignores it if it cannot be deleted. It chooses another port
// if another program took the free port first.
func (in *installation) open(ctx context.Context) (*server, error) {
	if _, err := CheckSpace(in.o); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		port, err := choosePort(in.o.Port, in.journal.record().Port)
		if err != nil {
			return nil, err
		}
		if err := in.o.writeConf(port); err != nil {
			return nil, err
		}
		password, err := in.ensurePassword(ctx)
		if err != nil {
			return nil, err
		}
		s, err := in.launch(ctx, port)
		if err != nil {
			return nil, err
		}
		err = s.waitUntilReady(ctx, password)
		if err == nil {
			return s, nil
		}
		s.stop()
		if !errors.Is(err, errEnded) {
			return nil, err
		}
		output := s.lastOutput()
		in.log.Warn().Int("attempt", attempt).Bool("archive", s.archive != "").Str("said", output).
			Msg("engine stopped during startup")
		cause := in.knownCause(output, port)
		switch {
		case attempt >= maxAttempts:
		case in.o.Port == 0 && isPortTaken(output):
			_ = in.journal.update(func(r *record) { r.Port = 0 })
			continue
		case s.archive != "" && cause == nil:
			in.DropClassData(s.archive)
			in.noArchive = exists(s.archive)
			continue
		}
		if cause == nil {
			cause = in.unknownCause(output)
		}
		return nil, cause
	}
}

const maxAttempts = 3 // one start may fail on a broken archive, one on a taken port

// launch starts the process and stores it in the record, so that it is found if the supervisor dies.
func (in *installation) launch(ctx context.Context, port int) (*server, error) {
	s := &server{in: in, port: port, ended: make(chan struct{})}
	if info, err := os.Stat(in.o.path("logs", "neo4j.log")); err == nil {
		s.logBegin = info.Size()
	}
	var err error
	if in.Docker != "" {
		s.cmd, s.container, err = in.dockerCommand(ctx, port)
	} else {
		s.cmd, err = s.javaCommand(ctx)
	}
	if err != nil {
		return nil, err
	}
	console, err := os.OpenFile(in.o.path("logs", "console.log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, files.Unwritable(in.o.path("logs", "console.log"), err)
	}
	defer console.Close()
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = in.o.Dir, console, console
	process.OwnGroup(s.cmd)
	if err := s.cmd.Start(); err != nil {
		return nil, apperr.Newf(apperr.Unavailable, "Cannot start Neo4j with %s", s.cmd.Path).
			WithHint("Check that this program runs by itself; the logs are in %s", in.o.path("logs")).Because(err)
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	err = in.journal.update(func(r *record) {
		r.Engine, r.Port, r.Version = process.Identify(s.cmd.Process.Pid), port, in.Version
	})
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) javaCommand(ctx context.Context) (*exec.Cmd, error) {
	in := s.in
	var flags []string
	if !in.noArchive {
		flags, s.archive, s.aside = in.ClassData(ctx)
	}
	if in.o.Compiler == quick {
		flags = append(flags, provision.QuickCompiler)
	}
	flags = append(flags, "-Xms"+in.o.firstHeap(), "-Xmx"+in.o.Heap, "-XX:ErrorFile="+in.o.path("logs", crashLogs))
	arguments := in.o.path("run", "neo4j.args")
	err := in.WriteArguments(arguments, flags, in.EntryPoint(), "--home-dir="+in.o.Dir, "--config-dir="+
		in.o.path("conf"))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(in.Java, "@"+arguments)
	cmd.Env = provision.Environ()
	return cmd, nil
}

// waitUntilReady waits until Neo4j accepts the password over Bolt.
func (s *server) waitUntilReady(ctx context.Context, password string) error {
	started := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errors.New("startup timed out"))
	defer cancel()
	driver, err := s.driver(password)
	if err != nil {
		return err
	}
	defer driver.Close(context.WithoutCancel(ctx))

	progress.Say(ctx, "Starting Neo4j "+s.in.Version)
	for reported := started; ; {
		select {
		case <-s.ended:
			return errEnded
		default:
		}
		if speaksBolt(ctx, uri(s.port)) {
			err := driver.VerifyConnectivity(ctx)
			if err == nil {
				return nil
			}
			var refused *neo4j.Neo4jError
			if errors.As(err, &refused) && refused.Code == "Neo.ClientError.Security.Unauthorized" {
				return apperr.Newf(apperr.Unavailable, "The engine refuses the password in %s", s.in.o.passwordFile()).
					WithHint("Delete the file: the next start creates a new password and keeps the graph").Because(err)
			}
		}
		if time.Since(reported) > 5*time.Second {
			reported = time.Now()
			progress.Say(ctx, fmt.Sprintf("Starting Neo4j %s (%d s so far)", s.in.Version,
				int(time.Since(started).Seconds())))
		}
		if err := sleep(ctx, leasePollInterval); err != nil {
			if cause := context.Cause(ctx); errors.Is(err, context.DeadlineExceeded) {
				return apperr.Newf(apperr.Unavailable, "Neo4j did not answer within %s", startTimeout).
					WithHint("See %s", s.in.o.path("logs", "debug.log")).Because(cause)
			}
			return err
		}
	}
}

// driver returns a driver with short-lived connections, so that each use also tests new connections.
func (s *server) driver(password string) (neo4j.DriverWithContext, error) {
	driver, err := neo4j.NewDriverWithContext(uri(s.port), neo4j.BasicAuth(userName, password, ""),
		func(c *driverconfig.Config) {
			c.TelemetryDisabled = true
			c.SocketConnectTimeout = time.Second
			c.MaxConnectionLifetime = 5 * time.Second
		})
	if err != nil {
		return nil, fmt.Errorf("prepare a connection: %w", err)
	}
	return driver, nil
}

// kill kills the process. Committed data is in the transaction log, from which the next start recovers.
func (s *server) kill() {
	if s.container != "" {
		_ = exec.Command(s.in.Docker, "kill", s.container).Run()
	}
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// stop ends the process and keeps its new class-data archive if it ended cleanly.
func (s *server) stop() {
	if s.container != "" {
		s.in.dockerStop(s.container)
	} else {
		_ = process.AskToStop(s.cmd.Process)
	}
	select {
	case <-s.ended:
	case <-time.After(stopTimeout):
		s.in.log.Warn().Msg("engine stop timed out; killing it")
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	s.in.KeepClassData(s.aside, s.cmd.ProcessState.Success())
	if crash, err := os.ReadFile(s.crashLog()); err == nil && s.archive != "" && !isOutOfMemory(string(crash)) {
		s.in.DropClassData(s.archive) // the virtual machine itself failed, possibly because of the archive
	}
}

func (s *server) crashLog() string {
	return s.in.o.path("logs", strings.Replace(crashLogs, "%p", fmt.Sprint(s.cmd.Process.Pid), 1))
}
