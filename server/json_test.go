package server_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"nomograph/internal/document/documenttest"
	"nomograph/server"
)

func TestReadJSON_Encodings_AreReadOrRefused(t *testing.T) {
	post := func(kind string, body []byte) ([]byte, error) {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.Header.Set("Content-Type", kind)
		return server.ReadJSON(r)
	}
	for name, encode := range documenttest.Accepted {
		if got, err := post("application/json", encode(`{"a": "é"}`)); err != nil || string(got) != `{"a": "é"}` {
			t.Errorf("%s: got %q (%v), want the JSON", name, got, err)
		}
	}
	for name, bad := range documenttest.Refused {
		if got, err := post("application/json", []byte(`{"a": "caf`+bad+`"}`)); err == nil ||
			!strings.Contains(err.Error(), "The body cannot be read: line 1, column 11: byte 11 ") ||
			server.Status(err) != 400 {
			t.Errorf("%s: got %q (%v), want an error at byte 11", name, got, err)
		}
	}
	for kind, status := range map[string]int{"application/json; charset=utf-8": 0, "application/json; charset=UTF8": 0,
		`application/json; charset="utf-8"`: 0, "application/json; charset=us-ascii": 0, "application/problem+json": 0,
		"application/json; charset=iso-8859-1": 415, "application/json; charset=windows-1252": 415,
		"application/json; charset=shift_jis": 415, "text/plain": 415} {
		if _, err := post(kind, []byte(`{}`)); (err == nil) != (status == 0) || err != nil &&
			server.Status(err) != status {
			t.Errorf("%s: got %v, want status %d", kind, err, status)
		}
	}
}
