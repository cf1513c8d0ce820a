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
	collectorTimeout = 10 * time.Second // of one request, unless OTEL_EXPORTER_OTLP_TIMEOUT says otherwise
	maxCollectorText = 4 << 10          // bytes of an answer that are read
	maxRetryAfter    = 30               // seconds
)

// collectorRetries ends earlier if the SDK's time for a batch is over (OTEL_BSP_EXPORT_TIMEOUT).
var collectorRetries = retry.Policy{Attempts: 5, First: time.Second, Max: 30 * time.Second}

// collector sends spans to an OpenTelemetry collector, over HTTP in protobuf. It is a client of otlptrace: otlptracehttp, which is one, too,
// makes gRPC a part of the program.
type collector struct {
	url     string
	headers http.Header
	gzipped bool
	client  http.Client
}

// newCollector reads from the environment where spans are sent and how. Variables with TRACES_ in their names win. It returns an error that
// names the variable and not its value, which may be a secret.
func newCollector() (*collector, error) {
	c := &collector{headers: http.Header{"User-Agent": {"OTel OTLP Exporter Go/" + otlptrace.Version()}, "Content-Type": {"application/x-protobuf"}}}
	name, endpoint := otlpVariable("ENDPOINT")
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%s is no URL that begins with http:// or https://", name)
	}
	if !strings.Contains(name, "_TRACES_") { // the address of all signals
		at = at.JoinPath("v1", "traces")
	}
	at.Path = cmp.Or(at.Path, "/")
	c.url = at.String()
	if name, text := otlpVariable("HEADERS"); text != "" {
		for pair := range strings.SplitSeq(text, ",") {
			key, value, _ := strings.Cut(pair, "=")
			value, err := url.PathUnescape(strings.TrimSpace(value))
			if key = strings.TrimSpace(key); key == "" || err != nil {
				return nil, fmt.Errorf("%s is not a list of name=value with percent-encoded values, parted by commas", name)
			}
			c.headers.Set(key, value)
		}
	}
	if _, way := otlpVariable("COMPRESSION"); way == "gzip" {
		c.gzipped = true
		c.headers.Set("Content-Encoding", way)
	}
	c.client.Timeout = collectorTimeout
	if name, text := otlpVariable("TIMEOUT"); text != "" {
		milliseconds, err := strconv.Atoi(text)
		if err != nil || milliseconds < 1 {
			return nil, fmt.Errorf("%s is no number of milliseconds", name)
		}
		c.client.Timeout = time.Duration(milliseconds) * time.Millisecond
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig, err = collectorTLS()
	c.client.Transport = transport
	return c, err
}

// otlpVariable gives the value of OTEL_EXPORTER_OTLP_TRACES_*, else of OTEL_EXPORTER_OTLP_*, with the name of the variable.
func otlpVariable(suffix string) (name, value string) {
	for _, name = range []string{"OTEL_EXPORTER_OTLP_TRACES_" + suffix, "OTEL_EXPORTER_OTLP_" + suffix} {
		if value = strings.TrimSpace(os.Getenv(name)); value != "" {
			break
		}
	}
	return name, value
}

// collectorTLS gives the certificates that the environment names; nil where it names none.
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
			return nil, fmt.Errorf("%s is no file of certificates in PEM", authorityName)
		}
	}
	if certificate != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("%s and %s are no files of a certificate and its key in PEM", certificateName, keyName)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// Start does nothing: a request makes its own connection.
func (c *collector) Start(context.Context) error { return nil }

// Stop closes connections.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans. An error says how the collector answered.
func (c *collector) UploadTraces(ctx context.Context, spans []*v1.ResourceSpans) error {
	body, err := proto.Marshal(&v1.TracesData{ResourceSpans: spans}) // has the same bytes as ExportTraceServiceRequest, whose package imports gRPC
	if err != nil {
		return err
	}
	if c.gzipped {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body) // into memory
		_ = w.Close()
		body = packed.Bytes()
	}
	_, err = retry.Do(ctx, collectorRetries, func() (struct{}, error) { return struct{}{}, c.send(ctx, body) })
	return err
}

// send sends a request once. OTLP says which errors may be retried: a connection that failed and four statuses.
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
		err = leftOut(text)
	}
	return retry.Stop(err)
}

func refusal(answer *http.Response, text []byte) error {
	return fmt.Errorf("the collector answered %s: %q", answer.Status, text)
}

// leftOut reads an ExportTraceServiceResponse: an error where the collector refused some of the spans or warns.
func leftOut(response []byte) error {
	var refused uint64
	var message []byte
	const partialSuccess, rejectedSpans, errorMessage = 1, 1, 2
	err := fields(response, func(number protowire.Number, _ uint64, partial []byte) error {
		if number != partialSuccess {
			return nil
		}
		return fields(partial, func(number protowire.Number, value uint64, text []byte) error {
			switch number {
			case rejectedSpans:
				refused = value
			case errorMessage:
				message = text
			}
			return nil
		})
	})
	if err == nil && (refused > 0 || len(message) > 0) {
		err = fmt.Errorf("the collector refused %d spans: %q", refused, message)
	}
	return err
}

// fields calls each with the number of a field of a protobuf message, and its value as a number or as bytes.
func fields(message []byte, each func(number protowire.Number, value uint64, text []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errors.New("the collector answered something else than protobuf")
		}
		message = message[n:]
		var value uint64
		var text []byte
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			text, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return errors.New("the collector answered something else than protobuf")
		}
		message = message[n:]
		if err := each(number, value, text); err != nil {
			return err
		}
	}
	return nil
}
