package provision

import (
	"context"
	"os/exec"
	"time"
)

// Image returns the Docker image.
func (p Programs) Image() string { return "neo4j:" + p.Version + "-community" }

// findDocker returns the docker program if a Docker engine answers it.
func findDocker(ctx context.Context) (string, bool) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, docker, "info")
	cmd.Dir = neutralFolder
	return docker, cmd.Run() == nil
}
