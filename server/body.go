package server

import (
	"cmp"
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
	maxBodies = 128 << 20 // bytes of all bodies above smallBody that are in use
	smallBody = 64 << 10
	bodyTime  = 30 * time.Second // timeout for receiving a body
)

var errBusy = errors.New("too many large bodies at once")

// limitBodyTime bounds the time for receiving a request body, also if the handler does not read it: net/http reads the
// rest of the body before it sends the answer.
func (s *Server) limitBodyTime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().
				Add(s.bodyTime)) // httptest's recorder has no deadlines
		}
		next.ServeHTTP(w, r)
	})
}

// limitBodySize limits the size of a request body and the memory that all large bodies use together. It refuses
// compressed bodies first, so that the counted bytes are the ones that are processed.
func (s *Server) limitBodySize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		if err := refuseCompressed(r); err != nil {
			w.Header().Set("Connection", "close")
			Refuse(w, r, err)
			return
		}
		limit := cmp.Or(s.long[r.URL.Path], maxBody)
		if r.ContentLength > limit {
			w.Header().Set("Connection", "close")
			Refuse(w, r, BodyError(&http.MaxBytesError{Limit: limit}))
			return
		}
		b := &body{Reader: http.MaxBytesReader(w, r.Body, limit), closer: r.Body, memory: s.memory,
			controller: http.NewResponseController(w), has: smallBody}
		defer b.release()
		r.Body = b
		next.ServeHTTP(w, r)
	})
}

// refuseCompressed refuses a body with a content encoding: a kilobyte of gzip can hold a megabyte. gRPC messages have
// an encoding of their own, which their endpoints refuse.
func refuseCompressed(r *http.Request) error {
	coding := r.Header.Get("Content-Encoding")
	if coding == "" || strings.EqualFold(coding, "identity") {
		return nil
	}
	return WithStatus(http.StatusUnsupportedMediaType,
		apperr.Newf(apperr.Validation, "Unsupported Content-Encoding %q", shorten(coding)).
			WithHint("Send the body without encoding"))
}

// body reserves shared memory as it grows.
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
	if errors.Is(err, io.EOF) { // end the deadline with the body, because later requests use the same connection
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

// BodyError returns the error for a body that could not be read.
func BodyError(err error) error {
	var long *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &long):
		limit := fmt.Sprintf("%d MB", long.Limit>>20)
		if long.Limit < 1<<20 {
			limit = fmt.Sprintf("%d kB", long.Limit>>10)
		}
		return WithStatus(http.StatusRequestEntityTooLarge,
			apperr.Newf(apperr.Validation, "The body is longer than %s", limit).WithHint("Send less per request"))
	case errors.Is(err, errBusy):
		return apperr.New(apperr.Unavailable, "The server is busy with large requests").
			WithHint("Try again in a moment").With(retryAfter, 1)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return WithStatus(http.StatusRequestTimeout, apperr.New(apperr.Validation, "The body did not arrive in time").
			WithHint("Send it again"))
	}
	return apperr.New(apperr.Validation, "The body is incomplete").WithHint("Send it again").Because(err)
}
