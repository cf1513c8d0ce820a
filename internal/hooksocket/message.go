package hooksocket

import (
	"errors"
	"io"
	"strconv"
	"time"
)

// A message is its length in four bytes (big-endian), then its texts, each with its length in the same form. Each
// process of a hook writes one and reads one; a JSON decoder would take longer than everything else in the process.
const lengthBytes = 4

var errMessage = errors.New("the message of a hook cannot be read")

type writer []byte

func appendLength(to []byte, n int) []byte {
	return append(to, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

func (w *writer) text(text string) { *w = append(appendLength(*w, len(text)), text...) }

func (w *writer) number(n int) { w.text(strconv.Itoa(n)) }

func (w *writer) texts(list []string) {
	w.number(len(list))
	for _, text := range list {
		w.text(text)
	}
}

func (w *writer) send(to io.Writer) error {
	_, err := to.Write(append(appendLength(make([]byte, 0, lengthBytes+len(*w)), len(*w)), *w...))
	return err
}

// reader reads the texts of a message. A missing text is an error.
type reader struct {
	left   []byte
	failed bool
}

func receive(from io.Reader, maxLength int) (*reader, error) {
	var head [lengthBytes]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	r := &reader{left: head[:]}
	n, _ := r.length()
	if n < 0 || n > maxLength { // an int may have 32 bits
		return nil, errMessage
	}
	r.left = nil
	text, err := io.ReadAll(io.LimitReader(from, int64(n))) // allocates as data arrives, whatever length was announced
	if err == nil && len(text) < n {
		err = io.ErrUnexpectedEOF
	}
	r.left = text
	return r, err
}

func (r *reader) length() (n int, ok bool) {
	if len(r.left) < lengthBytes {
		r.failed = true
		return 0, false
	}
	for _, b := range r.left[:lengthBytes] {
		n = n<<8 | int(b)
	}
	r.left = r.left[lengthBytes:]
	return n, true
}

func (r *reader) text() string {
	n, ok := r.length()
	if !ok || n < 0 || n > len(r.left) {
		r.failed = true
		return ""
	}
	text := string(r.left[:n])
	r.left = r.left[n:]
	return text
}

func (r *reader) number() int {
	n, err := strconv.Atoi(r.text())
	r.failed = r.failed || err != nil
	return n
}

func (r *reader) texts() (list []string) {
	for range r.number() {
		if r.failed {
			break
		}
		list = append(list, r.text())
	}
	return list
}

func (r *reader) err() error {
	if r.failed {
		return errMessage
	}
	return nil
}

func (r Request) send(to io.Writer) error {
	var w writer
	for _, text := range []string{r.Version, r.Client, r.Event, r.Dir, r.Settings, r.Agent, r.Project} {
		w.text(text)
	}
	for _, list := range [][]string{r.Args, r.FailOpen, r.Environ} {
		w.texts(list)
	}
	w.number(int(r.Budget / time.Microsecond))
	w.text(string(r.Stdin))
	return w.send(to)
}

func receiveRequest(from io.Reader) (r Request, err error) {
	m, err := receive(from, maxRequest)
	if err != nil {
		return r, err
	}
	for _, text := range []*string{&r.Version, &r.Client, &r.Event, &r.Dir, &r.Settings, &r.Agent, &r.Project} {
		*text = m.text()
	}
	for _, list := range []*[]string{&r.Args, &r.FailOpen, &r.Environ} {
		*list = m.texts()
	}
	r.Budget = time.Duration(m.number()) * time.Microsecond
	r.Stdin = []byte(m.text())
	return r, m.err()
}

func (a Answer) send(to io.Writer) error {
	var w writer
	w.text(a.Stdout)
	w.text(a.Stderr)
	w.number(a.Exit)
	w.text(strconv.FormatBool(a.Declined))
	return w.send(to)
}

func receiveAnswer(from io.Reader) (a Answer, err error) {
	m, err := receive(from, maxAnswer)
	if err != nil {
		return a, err
	}
	a.Stdout, a.Stderr, a.Exit = m.text(), m.text(), m.number()
	a.Declined, err = strconv.ParseBool(m.text())
	if err != nil {
		return Answer{}, errMessage
	}
	return a, m.err()
}
