package client

import (
	"crypto/tls"
	"errors"
)

// isTrust tells whether a connection was not made since the server could not show who it is.
func isTrust(err error) bool {
	var unverified *tls.CertificateVerificationError
	var noTLS tls.RecordHeaderError
	return errors.As(err, &unverified) || errors.As(err, &noTLS)
}
