package process

import (
	"errors"
	"os"
	"os/exec"
)

// Become runs a command and exits with its exit code, because Windows cannot replace a process. Both processes receive
// interrupts; this one waits. It returns only if the command cannot be started.
func Become(path string, args, environ []string) error {
	command := exec.Command(path, args[1:]...)
	command.Env = environ
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := command.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return err
	}
	os.Exit(command.ProcessState.ExitCode())
	return nil
}
