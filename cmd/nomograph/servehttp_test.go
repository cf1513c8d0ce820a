package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"nomograph/graph/graphtest"
)

// atAddress starts the program with --http at a free port. It returns the address of MCP, and a function that stops
// the program and returns its exit code.
func atAddress(t *testing.T, environ []string, args ...string) (url string, end func() int) {
	t.Helper()
	cmd := graphtest.Command(t, graphtest.Binary(t), append([]string{"serve", "--http=127.0.0.1:0"}, args...)...)
	cmd.Env, cmd.Dir = environ, t.TempDir()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for url == "" && lines.Scan() {
		_, url, _ = strings.Cut(lines.Text(), "Serving MCP at ")
		url, _, _ = strings.Cut(url, ",") // addresses of other transports follow
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	ended := false
	end = func() int {
		ended = true
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}
	t.Cleanup(func() {
		if !ended {
			end()
		}
	})
	if url == "" {
		t.Fatal("the program does not serve")
	}
	return url, end
}

func post(t *testing.T, url, token, method string, params map[string]any) (int, map[string]any) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("X-API-Key", token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var output map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&output); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, output
}

func TestServeHTTP_Calls_AreAnswered(t *testing.T) {
	g := withPacks(t)
	environ := g.Environ(t)
	facet := map[string]any{"name": "get_policy", "arguments": map[string]any{"name": "NoTemporalFacet"}}

	t.Run("loopback needs no token", func(t *testing.T) {
		url, end := atAddress(t, environ)
		if status, output := post(t, url, "", "tools/call", facet); status != 200 ||
			output["result"].(map[string]any)["structuredContent"].(map[string]any)["facet_key"] != "TEMPORAL" {
			t.Errorf("get_policy: %d %v", status, output)
		}
		for path, want := range map[string]int{"/healthz": 200, "/readyz": 200} {
			answer, err := http.Get(strings.TrimSuffix(url, "/mcp") + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s: got %d, want %d", path, answer.StatusCode, want)
			}
		}
		answer, err := http.Get(strings.TrimSuffix(url, "/mcp") + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		metrics, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		for _, want := range []string{`nomograph_calls_total{operation="get_policy",result="ok",transport="mcp"} 1`,
			`nomograph_round_trips_total{result="ok",statement="policies/live/`} {
			if err != nil || !strings.Contains(string(metrics), want) {
				t.Errorf("%s is not among the metrics: %v %s", want, err, metrics)
			}
		}
		address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
		environ := append(environ, "NOMOGRAPH_HTTP="+address, "URL="+url)
		session(t, environ, `
$ health
out status
$ health --ready
out status
$ health --url $URL
out status`)
		if code := end(); code != 0 {
			t.Errorf("got the exit code %d", code)
		}
		session(t, environ, "$ health # 4")
	})
	t.Run("open prints an invitation that works once", func(t *testing.T) {
		url, _ := atAddress(t, environ)
		address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
		output, stderr, code := graphtest.Run(t, append(environ, "NOMOGRAPH_HTTP="+address), nil, graphtest.Binary(t),
			"open", "graph?depth=1", "--print")
		if code != 0 || !strings.HasPrefix(output, "http://"+address+"/graph?depth=1&open=") {
			t.Fatalf("open prints %d %s %s", code, output, stderr)
		}
		client := &http.Client{CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}
		for _, want := range []int{200, 303, 403} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSpace(output), nil)
			if err != nil {
				t.Fatal(err)
			}
			if want != 200 { // the first request is not from a browser
				r.Header.Set("Sec-Fetch-Mode", "navigate")
				r.Header.Set("Sec-Fetch-Dest", "document")
			}
			answer, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != want || want == 303 &&
				(answer.Header.Get("Location") != "/graph?depth=1" || len(answer.Cookies()) != 1) {
				t.Errorf("%d %v, want %d", answer.StatusCode, answer.Header, want)
			}
		}
	})
	t.Run("a running server accepts and revokes a new token", func(t *testing.T) {
		url, _ := atAddress(t, environ, "--auth")
		if status, output := post(t, url, "", "tools/list", nil); status != 401 ||
			output["error"] != "unauthenticated" {
			t.Errorf("without a token: %d %v", status, output)
		}
		secret, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "token", "create", "ada",
			"--permissions", "read,decide", "--value")
		if secret = strings.TrimSpace(secret); code != 0 || !strings.HasPrefix(secret, "nmg_") {
			t.Fatalf("token create: %d %s %s", code, secret, stderr)
		}
		if status, output := post(t, url, secret, "tools/call", facet); status != 200 || output["result"] == nil {
			t.Errorf("with the token: %d %v", status, output)
		}
		session(t, append(environ, "SECRET="+secret), `
$ token list
out ada
out read,decide
not $SECRET
$ token revoke ada`)
		graphtest.Until(t, "the revoked token is refused", func() bool {
			status, _ := post(t, url, secret, "tools/list", nil)
			return status == http.StatusUnauthorized
		})
	})
}

func TestServeHTTP_OpenToAnybody_Refuses(t *testing.T) {
	session(t, append(away(t), "DIR="+t.TempDir()), `
$ serve --http 0.0.0.0:0 # 2
err --auth
$ serve --http --tls-certificate cert.pem # 2
err must be set together
$ serve --http=127.0.0.1:0 --tls-certificate none.pem --tls-key none.pem # 2
err Invalid certificate
$ serve --http=127.0.0.1:0 --tokens $DIR/none.yaml # 2
err Cannot read
$ serve 127.0.0.1:9991 # 2
err after --http
$ serve --http=nowhere # 2
err an address`)
}
