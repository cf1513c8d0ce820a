package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// containerName depends only on the directory, so that a leftover container is found.
func (o Options) containerName() string {
	sum := sha256.Sum256([]byte(o.Dir))
	return "nomograph-engine-" + hex.EncodeToString(sum[:])[:12]
}

// dockerCommand returns the command that runs the official image in the foreground, so that the engine ends with the
// command. Settings are the same as with Java except for paths and addresses, which belong to the image. The port is
// bound to loopback on the host. The password is read from a mounted file.
func (in *installation) dockerCommand(ctx context.Context, port int) (*exec.Cmd, string, error) {
	o := in.o
	name := o.containerName()
	in.dockerStop(name)

	password, err := readPassword(o)
	if err != nil {
		return nil, "", err
	}
	auth := o.path("run", "auth")
	if err := files.Write(auth, []byte(userName+"/"+password)); err != nil {
		return nil, "", err
	}
	var env strings.Builder
	env.WriteString("NEO4J_AUTH_PATH=/run/nomograph-auth\n")
	// With Java we pass this flag ourselves. It is added to the flags of the image.
	for _, setting := range append(o.settings(port),
		[2]string{"server.jvm.additional", "-XX:+ExitOnOutOfMemoryError"}) {
		key, value := setting[0], setting[1]
		if key == "server.bolt.listen_address" {
			value = "0.0.0.0:7687" // address inside the container
		}
		key = strings.ReplaceAll(strings.ReplaceAll(key, "_", "__"), ".", "_")
		fmt.Fprintf(&env, "NEO4J_%s=%s\n", key, value)
	}
	envFile := o.path("run", "docker.env")
	if err := files.Write(envFile, []byte(env.String())); err != nil {
		return nil, "", err
	}
	// Docker would create the directory as root.
	if err := os.MkdirAll(o.path("data"), 0o700); err != nil {
		return nil, "", files.Unwritable(o.path("data"), err)
	}
	args := []string{"run", "--rm", "--name", name, "--label", "nomograph.engine=" + o.Dir,
		"--publish", fmt.Sprintf("127.0.0.1:%d:7687", port),
		"--volume", o.path("data") + ":/data",
		"--volume", auth + ":/run/nomograph-auth:ro",
		"--env-file", envFile}
	if runtime.GOOS != "windows" {
		args = append(args, "--user", fmt.Sprintf("%d:%d", os.Getuid(),
			os.Getgid())) // the files must belong to the user
	}
	progress.Say(ctx, "Starting "+in.Image()+" with Docker (downloaded on first use)")
	return exec.Command(in.Docker, append(args, in.Image())...), name, nil
}

// dockerStop stops the container if it exists.
func (in *installation) dockerStop(name string) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout+10*time.Second)
	defer cancel()
	seconds := fmt.Sprint(int(stopTimeout.Seconds()))
	cmd := exec.CommandContext(ctx, in.Docker, "stop", "--time", seconds, name)
	cmd.Dir = in.o.Dir
	if text, err := cmd.CombinedOutput(); err != nil {
		in.log.Debug().Err(err).Bytes("docker", text).Msg("no container stopped")
	}
}

func (in *installation) unsupportedWithDocker() error {
	return apperr.New(apperr.Unavailable, "Backup and restore need Java; with Docker, use the tool in the container").
		WithHint("Stop the engine, then run: docker run --rm -v %q:/data -v \"$PWD\":/backups %s neo4j-admin database dump neo4j "+
			"--to-path=/backups (or database load neo4j --from-path=/backups --overwrite-destination=true)",
			in.o.path("data"), in.Image())
}
