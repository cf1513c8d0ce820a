package graphtest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Send sends a request and returns status, headers and text of the answer. The names of the request's headers, of which
// Host can be one, stand before their values.
func Send(t testing.TB, client *http.Client, method, url, body string, headers ...string) (int, http.Header, string) {
	t.Helper()
	r := Must(http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body)))(t)
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	answer, err := client.Do(r)
	OK(t, err)
	defer answer.Body.Close()
	text := Must(io.ReadAll(answer.Body))(t)
	return answer.StatusCode, answer.Header, string(text)
}
