package process

import (
	"errors"
	"os"
	"os/exec"
)

// Become runs the command, ends when it ends, and with its exit code: no process can turn into another one here. An
// interrupt reaches both, and this one waits. It returns only where the command cannot be run.
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
