package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// client is a minimal MCP client, so that the server is measured.
type client struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
}

func start(program string, environ []string, args ...string) (*client, error) {
	cmd := exec.Command(program, append([]string{"serve"}, args...)...)
	cmd.Env = environ
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &client{cmd, stdin, bufio.NewReaderSize(stdout, 1<<20)}, nil
}

// ask sends a request and returns the line with its response.
func (c *client) ask(method, params string) (string, error) {
	if _, err := fmt.Fprintf(c.stdin, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method, params); err != nil {
		return "", err
	}
	line, err := c.stdout.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%s: %w", method, err)
	}
	return line, nil
}

func (c *client) initialize() error {
	_, err := c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	return err
}

// call calls a tool and fails on an error result, so that no errors are measured.
func (c *client) call(tool, arguments string) error {
	line, err := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	if err != nil {
		return err
	}
	var answer struct {
		Result struct{ IsError bool }
		Error  any
	}
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		return err
	}
	if answer.Error != nil || answer.Result.IsError {
		return fmt.Errorf("%s: %s", tool, line)
	}
	return nil
}

func (c *client) close() error {
	if err := c.stdin.Close(); err != nil {
		return err
	}
	return c.cmd.Wait()
}
