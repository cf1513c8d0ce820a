package server

import (
	"crypto/tls"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
)

// keyPair is a certificate in files. They are checked at most once a second when a connection begins, so a renewed
// certificate is used without a restart, also behind symbolic links as in Kubernetes.
type keyPair struct {
	certificate, key string
	log              zerolog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	seen    [2]os.FileInfo // state of the files at the last read
	looked  time.Time
}

func newKeyPair(certificate, key string, log zerolog.Logger) (*keyPair, error) {
	p := &keyPair{certificate: certificate, key: key, log: log}
	if err := p.read(); err != nil {
		return nil, apperr.Newf(apperr.Validation, "Invalid certificate %s or key %s: %v", certificate, key, err).
			WithHint("Use PEM files. server.tls_certificate needs the whole chain, the server's certificate first").
			Because(err)
	}
	return p, nil
}

func (p *keyPair) read() error {
	var seen [2]os.FileInfo
	var texts [2][]byte
	for i, path := range []string{p.certificate, p.key} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if texts[i], err = disk.Read(path, 1<<20); err != nil {
			return err
		}
		seen[i] = info
	}
	pair, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil {
		return err
	}
	p.current, p.seen = &pair, seen
	return nil
}

// get returns the certificate for a new connection. If the files cannot be read, for example while only half of a pair
// is written, the previous certificate remains in use.
func (p *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) < time.Second {
		return p.current, nil
	}
	p.looked = time.Now()
	for i, path := range []string{p.certificate, p.key} {
		info, err := os.Stat(path)
		if err == nil && (!os.SameFile(info, p.seen[i]) || !info.ModTime().Equal(p.seen[i].ModTime()) ||
			info.Size() != p.seen[i].Size()) {
			err = p.read()
			if err == nil {
				p.log.Info().Str("certificate", p.certificate).Msg("certificate reloaded")
				break
			}
		}
		if err != nil {
			p.log.Error().Err(err).Msg("changed certificate invalid; previous certificate kept")
		}
	}
	return p.current, nil
}
