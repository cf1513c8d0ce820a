package server

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"nomograph/internal/retry"
)

const (
	collectorTimeout = 10 * time.Second // timeout of one request unless OTEL_EXPORTER_OTLP_TIMEOUT is set
	maxCollectorText = 4 << 10          // bytes of a response that are read
	maxRetryAfter    = 30               // seconds
)

// collectorRetries is also limited by the SDK's timeout for a batch (OTEL_BSP_EXPORT_TIMEOUT).
var collectorRetries = retry.Policy{Attempts: 5, First: time.Second, Max: 30 * time.Second}

// collector sends spans to an OpenTelemetry collector as protobuf over HTTP. It implements otlptrace.Client. The
// official client otlptracehttp would link gRPC into the program.
type collector struct {
	url     string
	headers http.Header
	gzipped bool
	client  http.Client
}

// newCollector reads the collector's address and options from the environment. Variables with TRACES_ in their names
// take precedence. Its error names the variable but not its value, which may be a secret.
func newCollector() (*collector, error) {
	c := &collector{headers: http.Header{"User-Agent": {"OTel OTLP Exporter Go/" + otlptrace.Version()},
		"Content-Type": {"application/x-protobuf"}}}
	name, endpoint := otlpVariable("ENDPOINT")
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%s must be a URL that begins with http:// or https://", name)
	}
	if !strings.Contains(name, "_TRACES_") { // the base URL for all signals
		at = at.JoinPath("v1", "traces")
	}
	at.Path = cmp.Or(at.Path, "/")
	c.url = at.String()
	if name, text := otlpVariable("HEADERS"); text != "" {
		for pair := range strings.SplitSeq(text, ",") {
			key, value, _ := strings.Cut(pair, "=")
			value, err := url.PathUnescape(strings.TrimSpace(value))
			if key = strings.TrimSpace(key); key == "" || err != nil {
				return nil, fmt.Errorf("%s must be a comma-separated list of name=value with percent-encoded values",
					name)
			}
			c.headers.Set(key, value)
		}
	}
	if _, value := otlpVariable("COMPRESSION"); value == "gzip" {
		c.gzipped = true
		c.headers.Set("Content-Encoding", value)
	}
	c.client.Timeout = collectorTimeout
	if name, text := otlpVariable("TIMEOUT"); text != "" {
		milliseconds, err := strconv.Atoi(text)
		if err != nil || milliseconds < 1 {
			return nil, fmt.Errorf("%s must be a number of milliseconds", name)
		}
		c.client.Timeout = time.Duration(milliseconds) * time.Millisecond
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig, err = collectorTLS()
	c.client.Transport = transport
	return c, err
}

// otlpVariable returns the value of OTEL_EXPORTER_OTLP_TRACES_*, otherwise of OTEL_EXPORTER_OTLP_*, with the name of
// the variable.
func otlpVariable(suffix string) (name, value string) {
	for _, name = range []string{"OTEL_EXPORTER_OTLP_TRACES_" + suffix, "OTEL_EXPORTER_OTLP_" + suffix} {
		if value = strings.TrimSpace(os.Getenv(name)); value != "" {
			break
		}
	}
	return name, value
}

// collectorTLS returns the TLS configuration with the certificates in the environment; nil if there are none.
func collectorTLS() (*tls.Config, error) {
	authorityName, authority := otlpVariable("CERTIFICATE")
	certificateName, certificate := otlpVariable("CLIENT_CERTIFICATE")
	keyName, key := otlpVariable("CLIENT_KEY")
	if authority == "" && certificate == "" && key == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		text, err := os.ReadFile(authority)
		config.RootCAs = x509.NewCertPool()
		if err != nil || !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s must be a PEM file of certificates", authorityName)
		}
	}
	if certificate != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("%s and %s must be PEM files of a certificate and its key", certificateName, keyName)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// Start does nothing: each request connects when needed.
func (c *collector) Start(context.Context) error { return nil }

// Stop closes idle connections.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans. Its error contains the collector's answer.
func (c *collector) UploadTraces(ctx context.Context, spans []*v1.ResourceSpans) error {
	// encodes to the same bytes as ExportTraceServiceRequest, whose package imports gRPC
	body, err := proto.Marshal(&v1.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	if c.gzipped {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body) // writing to memory cannot fail
		_ = w.Close()
		body = packed.Bytes()
	}
	return retry.Run(ctx, collectorRetries, func() error { return c.send(ctx, body) })
}

// send sends a request once. OTLP allows a retry after a failed connection and for four statuses.
func (c *collector) send(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return retry.Stop(err)
	}
	request.Header = c.headers.Clone()
	answer, err := c.client.Do(request)
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return retry.Stop(err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxCollectorText))
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return retry.After(refusal(answer, text), time.Duration(min(max(seconds, 0), maxRetryAfter))*time.Second)
	}
	if answer.StatusCode/100 != 2 {
		return retry.Stop(refusal(answer, text))
	}
	if err == nil && answer.Header.Get("Content-Type") == "application/x-protobuf" {
		err = rejectedSpans(text)
	}
	return retry.Stop(err)
}

func refusal(answer *http.Response, text []byte) error {
	return fmt.Errorf("the collector answered %s: %q", answer.Status, text)
}

// rejectedSpans reads an ExportTraceServiceResponse. It returns an error if the collector rejected some of the spans
// or sent a warning.
func rejectedSpans(response []byte) error {
	const partialSuccess, rejectedSpans, errorMessage = 1, 1, 2
	answer, err := fields(response)
	if err != nil {
		return err
	}
	partial, _ := protowire.ConsumeBytes(answer[partialSuccess])
	of, err := fields(partial)
	refused, _ := protowire.ConsumeVarint(of[rejectedSpans])
	message, _ := protowire.ConsumeBytes(of[errorMessage])
	if err == nil && (refused > 0 || len(message) > 0) {
		err = fmt.Errorf("the collector refused %d spans: %q", refused, message)
	}
	return err
}

// fields returns the encoded values of the fields of a protobuf message.
func fields(message []byte) (map[protowire.Number][]byte, error) {
	values := map[protowire.Number][]byte{}
	for len(message) > 0 {
		number, _, whole := protowire.ConsumeField(message)
		if whole < 0 {
			return nil, errors.New("the collector did not answer with protobuf")
		}
		_, _, tag := protowire.ConsumeTag(message)
		values[number], message = message[tag:whole], message[whole:]
	}
	return values, nil
}
