package server

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"nomograph/internal/apperr"
)

const (
	maxBody   = 8 << 20   // bytes of one body
	maxBodies = 128 << 20 // of all that are larger than smallBody and not done with
	smallBody = 64 << 10
	bodyTime  = 30 * time.Second // in which a body must have come
)

var errBusy = errors.New("too many large bodies at once")

// hurried bounds how long the body of a request may take to come, also where nobody reads it: what is left of it is read before the answer
// is sent.
func (s *Server) hurried(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.bodyTime)) // not to be had in a test's recorder
		}
		next.ServeHTTP(w, r)
	})
}

// bounded bounds the body of a request: how long it may be, and how much memory large ones take together. A compressed body is refused
// before anybody looks at it, so that the bytes that are counted here are those that are worked on.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		if err := uncompressed(r); err != nil {
			w.Header().Set("Connection", "close")
			Refuse(w, r, err)
			return
		}
		if r.ContentLength > maxBody {
			w.Header().Set("Connection", "close")
			Refuse(w, r, BodyFault(&http.MaxBytesError{Limit: maxBody}))
			return
		}
		b := &body{Reader: http.MaxBytesReader(w, r.Body, maxBody), closer: r.Body, memory: s.memory, controller: http.NewResponseController(w), has: smallBody}
		defer b.release()
		r.Body = b
		next.ServeHTTP(w, r)
	})
}

// uncompressed refuses a body with a content encoding. A kilobyte of gzip may hold a megabyte. Messages of gRPC have
// an encoding of their own, which their endpoints refuse.
func uncompressed(r *http.Request) error {
	coding := r.Header.Get("Content-Encoding")
	if coding == "" || strings.EqualFold(coding, "identity") {
		return nil
	}
	return withStatus(http.StatusUnsupportedMediaType, apperr.Newf(apperr.Validation, "The body is encoded as %q", shortened(coding)).WithHint("Send it as it is"))
}

// body takes from the memory that all share as it grows.
type body struct {
	io.Reader
	closer     io.Closer
	memory     *semaphore.Weighted
	controller *http.ResponseController
	read, has  int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.read >= b.has {
		if !b.memory.TryAcquire(smallBody) {
			return 0, errBusy
		}
		b.has += smallBody
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.has-b.read)])
	b.read += int64(n)
	if errors.Is(err, io.EOF) { // what follows may take its time; else the rest of it has no more time than that
		_ = b.controller.SetReadDeadline(time.Time{})
	}
	return n, err
}

func (b *body) Close() error { return b.closer.Close() }

func (b *body) release() {
	if b.has > smallBody {
		b.memory.Release(b.has - smallBody)
		b.has = smallBody
	}
}

// BodyFault says what is wrong with a body that could not be read.
func BodyFault(err error) error {
	var long *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &long):
		most := fmt.Sprintf("%d MB", long.Limit>>20)
		if long.Limit < 1<<20 {
			most = fmt.Sprintf("%d kB", long.Limit>>10)
		}
		return withStatus(http.StatusRequestEntityTooLarge, apperr.Newf(apperr.Validation, "The body is longer than %s", most).WithHint("Send less at once"))
	case errors.Is(err, errBusy):
		return apperr.New(apperr.Unavailable, "The server is busy with large requests").WithHint("Try again in a moment").With(retryAfter, 1)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return withStatus(http.StatusRequestTimeout, apperr.New(apperr.Validation, "The body did not come in time").WithHint("Send it again"))
	}
	return apperr.New(apperr.Validation, "The body could not be read to its end").WithHint("Send it again").Because(err)
}
