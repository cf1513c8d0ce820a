package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/loopback"
)

// Options configures the server and the caller.
type Options struct {
	URL       string // https://host, optionally with a path prefix
	Token     string // empty: no authentication
	CAFile    string // PEM certificates of additional trusted authorities
	AllowHTTP bool   // allow sending a token over an unencrypted connection
	// Unverified accepts any certificate. Use it only for a server on this machine to which no token is sent.
	Unverified bool
	Timeout    time.Duration // limit for one call; 0 means defaultTimeout
	Wait       time.Duration // delay before a retry; 0 means firstDelay
	Agent      string        // acting agent, unless the token names it
	Version    string        // version of this program
}

const (
	defaultTimeout = 5 * time.Minute
	firstDelay     = 250 * time.Millisecond // doubled each time
	connectTime    = 10 * time.Second
)

// agentHeader names the acting agent for a server without authentication.
const agentHeader = "X-Nomograph-Agent"

// asksHeader says that a person can be asked.
const asksHeader = "X-Nomograph-Asks"

// Client calls one server. It is safe for concurrent use.
type Client struct {
	options Options
	base    *url.URL
	http    *http.Client
}

// New returns a client without sending a request. It returns a validation_error for an invalid URL, and for a URL over
// which others could read the token.
func New(o Options) (*Client, error) {
	base, err := addressOf(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Token != "" && base.Scheme == "http" && !o.AllowHTTP && !loopback.Is(base.Hostname()) {
		return nil, apperr.Newf(apperr.Validation, "The token would be sent to %s unencrypted, so the call was not made", base.Host).
			WithHint("Use https://, or --allow-http on a trusted network")
	}
	if strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, apperr.New(apperr.Validation, "The token contains blanks or other invalid characters").
			WithHint("Check the variable that it comes from")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second}).DialContext
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.Unverified &&
		o.Token == "" && loopback.Is(base.Hostname())} //nolint:gosec // documented at Unverified
	if o.CAFile != "" {
		if transport.TLSClientConfig.RootCAs, err = authorities(o.CAFile); err != nil {
			return nil, err
		}
	}
	o.Timeout, o.Wait = cmp.Or(o.Timeout, defaultTimeout), cmp.Or(o.Wait, firstDelay)
	return &Client{options: o, base: base, http: &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// addressOf parses the URL of a server. It also accepts the URL of the server's MCP endpoint.
func addressOf(text string) (*url.URL, error) {
	wrong := func(why string) error { // without the URL, which may contain a secret
		return apperr.Newf(apperr.Validation, "The server address %s", why).
			WithHint("Use an address such as https://nomograph.example.org or http://127.0.0.1:9991")
	}
	address, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return nil, wrong("is invalid")
	case address.Scheme != "http" && address.Scheme != "https" || address.Host == "":
		return nil, wrong("does not begin with https:// or http:// and a host")
	case address.User != nil:
		return nil, wrong("contains a user name or password; put a token into NOMOGRAPH_TOKEN")
	case address.RawQuery != "" || address.Fragment != "":
		return nil, wrong("contains more than a host and a path")
	}
	address.Path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(address.Path, "/"), "/mcp"), "/")
	address.RawPath = ""
	return address, nil
}

func authorities(file string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	text, err := disk.Read(file, 4<<20)
	if err != nil {
		return nil, apperr.Newf(apperr.Validation, "Cannot read the certificate file %s", file).
			WithHint("Check remote.ca_file (--ca-file)").Because(err)
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, apperr.Newf(apperr.Validation, "The file %s contains no certificate", file).
			WithHint("Use a PEM file with lines such as -----BEGIN CERTIFICATE-----")
	}
	return pool, nil
}

// Server returns the URL of the server without a trailing slash.
func (c *Client) Server() string { return c.base.String() }

// Open sends a request without a body to a path of the server, such as /api/v1/events, and returns the response. The
// caller closes its body. The request lasts until its context ends. A response other than 2xx is an error as in Call.
func (c *Client) Open(ctx context.Context, path string, query url.Values, header http.Header) (*http.Response, error) {
	r, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	r.URL.RawQuery = query.Encode()
	for name, values := range header {
		r.Header[name] = values
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachableError(ctx, err)
	}
	if answer.StatusCode/100 != 2 {
		defer func() { _ = answer.Body.Close() }()
		return nil, c.refusal(answer)
	}
	return answer, nil
}

// request builds a request to a path of the server with authentication headers.
func (c *Client) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "nomograph/"+cmp.Or(c.options.Version, "dev"))
	if c.options.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.options.Token)
	} else if c.options.Agent != "" {
		r.Header.Set(agentHeader, url.QueryEscape(c.options.Agent))
	}
	return r, nil
}
