package engine

import (
	"net"

	"nomograph/internal/apperr"
)

// choosePort returns a free port: the fixed port if set, else the last port, else any port.
func choosePort(fixed, last int) (int, error) {
	if fixed != 0 {
		if err := checkPortFree(fixed); err != nil {
			return 0, portTaken(fixed, err)
		}
		return fixed, nil
	}
	if last != 0 && checkPortFree(last) == nil {
		return last, nil
	}
	listener, err := net.Listen("tcp", address(0))
	if err != nil {
		return 0, apperr.New(apperr.Unavailable, "No port is free on 127.0.0.1").
			WithHint("Check that the loopback interface is up").Because(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func checkPortFree(port int) error {
	listener, err := net.Listen("tcp", address(port))
	if err != nil {
		return err
	}
	return listener.Close()
}

func portTaken(port int, cause error) error {
	return apperr.Newf(apperr.Unavailable, "Another program uses port %d on 127.0.0.1", port).
		WithHint("Stop that program, or set %s to another port or to 0 for any free port", envPort).Because(cause)
}
