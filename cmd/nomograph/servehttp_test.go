package main_test

import (
	"bufio"
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
	stderr := graphtest.Must(cmd.StderrPipe())(t)
	graphtest.OK(t, cmd.Start())
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
	text := graphtest.Must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method,
		"params": params}))(t)
	headers := []string{"Content-Type", "application/json"}
	if token != "" {
		headers = append(headers, "X-API-Key", token)
	}
	status, _, answer := graphtest.Send(t, http.DefaultClient, http.MethodPost, url, string(text), headers...)
	var output map[string]any
	graphtest.OK(t, json.Unmarshal([]byte(answer), &output))
	return status, output
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
			status, _, _ := graphtest.Send(t, http.DefaultClient, http.MethodGet, strings.TrimSuffix(url, "/mcp")+path,
				"")
			graphtest.Equal(t, status, want, path)
		}
		_, _, metrics := graphtest.Send(t, http.DefaultClient, http.MethodGet, strings.TrimSuffix(url, "/mcp")+
			"/metrics", "")
		graphtest.Contains(t, metrics,
			`nomograph_calls_total{operation="get_policy",result="ok",transport="mcp"} 1`,
			`nomograph_round_trips_total{result="ok",statement="policies/live/`)

		address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
		environ := append(environ, "NOMOGRAPH_HTTP="+address, "URL="+url)
		session(t, environ, `
$ health
out status
$ health --ready
out status
$ health --url $URL
out status`)
		graphtest.Equal(t, end(), 0, "exit code")
		session(t, environ, "$ health # 4")
	})
	t.Run("open prints an invitation that works once", func(t *testing.T) {
		url, _ := atAddress(t, environ)
		address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
		output := printed(t, append(environ, "NOMOGRAPH_HTTP="+address), "open", "graph?depth=1", "--print")
		if !strings.HasPrefix(output, "http://"+address+"/graph?depth=1&open=") {
			t.Fatalf("open prints %s", output)
		}
		client := &http.Client{CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}
		for _, want := range []int{200, 303, 403} {
			var headers []string
			if want != 200 { // the first request is not from a browser
				headers = []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
			}
			status, header, _ := graphtest.Send(t, client, http.MethodGet, output, "", headers...)
			if status != want || want == 303 &&
				(header.Get("Location") != "/graph?depth=1" || len(header.Values("Set-Cookie")) != 1) {
				t.Errorf("%d %v, want %d", status, header, want)
			}
		}
	})
	t.Run("a running server accepts and revokes a new token", func(t *testing.T) {
		url, _ := atAddress(t, environ, "--auth")
		if status, output := post(t, url, "", "tools/list", nil); status != 401 ||
			output["error"] != "unauthenticated" {
			t.Errorf("without a token: %d %v", status, output)
		}
		secret := printed(t, environ, "token", "create", "ada", "--permissions", "read,decide", "--value")
		if !strings.HasPrefix(secret, "nmg_") {
			t.Fatalf("token create prints %s", secret)
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
