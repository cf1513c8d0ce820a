package document_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"nomograph/graph/graphtest"
	"nomograph/internal/document"
	"nomograph/internal/document/documenttest"
)

const sample = "{\"a\": \"é 漢字 😀\"}\nsecond line\n"

func TestDecode_AcceptedEncoding_ReturnsTheText(t *testing.T) {
	for name, encode := range documenttest.Accepted {
		raw := encode(sample)
		graphtest.Equal(t, graphtest.Must(document.Text("it", raw))(t), sample, name)
		for form, reader := range map[string]io.Reader{"at once": bytes.NewReader(raw),
			"byte by byte": iotest.OneByteReader(bytes.NewReader(raw)),
			"halves":       iotest.HalfReader(bytes.NewReader(raw))} {
			read, err := io.ReadAll(document.NewReader(reader))
			if got := strings.ReplaceAll(string(read), "\r\n", "\n"); err != nil || got != sample {
				t.Errorf("%s, %s: got %q (%v), want %q", name, form, got, err, sample)
			}
		}
	}
}

// A mark in the middle of a character, and characters across the reader's buffer, are read like others.
func TestNewReader_LongText_IsComplete(t *testing.T) {
	for _, begin := range []string{"", "x", "xy"} {
		text := begin + strings.Repeat("😀é", 20_000)
		for name, encode := range documenttest.Accepted {
			if begin == "" && strings.Contains(name, "without one") { // only a text that starts with ASCII reveals its order
				continue
			}
			graphtest.Equal(t, string(graphtest.Must(io.ReadAll(document.NewReader(bytes.NewReader(encode(text)))))(t)),
				text, name, "bytes")
		}
	}
}

func TestDecode_RefusedBytes_NamesThePosition(t *testing.T) {
	for name, bad := range documenttest.Refused {
		raw := []byte("é: 1\nb: caf" + bad + "\n")
		got, err := document.Decode(raw)
		if err == nil || !strings.HasPrefix(err.Error(), "line 2, column 7: byte 13 ") {
			t.Errorf("%s: got %q (%v), want an error at line 2, column 7: byte 13", name, got, err)
		}
		if read, err := io.ReadAll(document.NewReader(bytes.NewReader(raw))); err != nil || !bytes.Equal(read, raw) {
			t.Errorf("%s: got %q (%v) from the reader, want the same bytes", name, read, err)
		}
	}
	for raw, want := range map[string]string{
		"caf\xe9":                        "line 1, column 4: byte 4 (0xE9) is not UTF-8",
		"\xef\xbb\xbfcaf\xe9":            "line 1, column 4: byte 7 (0xE9) is not UTF-8",
		"a\x00\n\x00\x00\xd8b\x00":       "line 2, column 1: byte 5 (0x00) is not UTF-16",
		"\xfe\xff\x00a\xdc\x00":          "line 1, column 2: byte 5 (0xDC) is not UTF-16",
		"\xff\xfea\x00b":                 "line 1, column 2: byte 5 (0x62) is not UTF-16",
		"\xff\xfe\x00\x00a\x00\x00\x00":  "line 1, column 1: byte 3 is zero, so it is not text",
		"ab\x00":                         "line 1, column 3: byte 3 is zero, so it is not text",
		"\xff\xfe=\xd8":                  "line 1, column 1: byte 3 (0x3D) is not UTF-16",
		"PK\x03\x04\x14\x00\x00\x00\x08": "line 1, column 6: byte 6 is zero, so it is not text",
	} {
		if got, err := document.Decode([]byte(raw)); err == nil || err.Error() != want {
			t.Errorf("%q: got %q (%v), want %s", raw, got, err, want)
		}
	}
}

// A client waits for the answer to its first line before it sends more.
func TestNewReader_FirstLine_DoesNotWaitForMore(t *testing.T) {
	for name, encode := range documenttest.Accepted {
		from, to := io.Pipe()
		go func() { _, _ = to.Write(encode("{}\n")) }()
		read := make([]byte, 100)
		n := 0
		for r := document.NewReader(from); n < 3; {
			more, err := r.Read(read[n:])
			if n += more; err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		_ = to.Close()
		if !strings.HasPrefix(string(read[:n]), "{}") {
			t.Errorf("%s: got %q, want {}", name, read[:n])
		}
	}
}
