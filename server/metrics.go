package server

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/tools"
)

// Metrics are Prometheus metrics: calls of operations by transport with result and duration, verdicts and violations,
// and statements sent to the database.
type Metrics struct {
	registry   *prometheus.Registry
	calls      *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	underWay   prometheus.Gauge
	verdicts   *prometheus.CounterVec
	violations *prometheus.CounterVec
	statements *prometheus.CounterVec
	trips      *prometheus.HistogramVec
}

// NewMetrics returns metrics at zero.
func NewMetrics() *Metrics {
	short := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nomograph_calls_total",
			Help: "Completed calls of operations; result is ok or the code of the error."},
			[]string{"operation", "transport", "result"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "nomograph_call_duration_seconds",
			Help: "Duration of calls in seconds.", Buckets: short}, []string{"operation", "transport"}),
		underWay: prometheus.NewGauge(prometheus.GaugeOpts{Name: "nomograph_calls_in_progress",
			Help: "Calls of operations in progress."}),
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nomograph_verdicts_total",
			Help: "Verdicts: allowed or denied."}, []string{"result"}),
		violations: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nomograph_violations_total",
			Help: "Violations of rules by actions; result is violated or error, mode enforce or shadow."},
			[]string{"rule", "result", "severity", "mode"}),
		statements: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nomograph_round_trips_total",
			Help: "Statements sent to the database."}, []string{"statement", "result"}),
		trips: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "nomograph_round_trip_seconds",
			Help: "Duration of statements in seconds, with the wait for a connection.", Buckets: short},
			[]string{"statement"}),
	}
	m.registry.MustRegister(m.calls, m.durations, m.underWay, m.verdicts, m.violations, m.statements, m.trips,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Watch counts calls, except for those in the background: pages opened after a start would fill the durations with
// planning.
func (m *Metrics) Watch(ctx context.Context, o tools.Operation) (context.Context, func(any, error)) {
	if graph.IsBackground(ctx) {
		return ctx, func(any, error) {}
	}
	start, transport := time.Now(), cmp.Or(caller.From(ctx).Transport, "http")
	m.underWay.Inc()
	return ctx, func(answer any, err error) {
		m.underWay.Dec()
		m.durations.WithLabelValues(o.Name, transport).Observe(time.Since(start).Seconds())
		m.calls.WithLabelValues(o.Name, transport, resultOf(err)).Inc()
		if verdict, ok := answer.(check.Verdict); ok && err == nil {
			m.countVerdict(verdict)
		}
	}
}

func (m *Metrics) countVerdict(v check.Verdict) {
	m.verdicts.WithLabelValues(map[bool]string{true: "allowed", false: "denied"}[v.Allowed]).Inc()
	for _, list := range [][]check.Violation{v.Violations, v.Warnings, v.Shadow} {
		for _, o := range list {
			m.violations.WithLabelValues(o.GuardrailID, o.Result, o.Severity, o.Mode).Inc()
		}
	}
}

// Sent counts statements, as an observer of the database.
func (m *Metrics) Sent(ctx context.Context, statement string) (context.Context, func(error)) {
	start := time.Now()
	return ctx, func(err error) {
		m.trips.WithLabelValues(statement).Observe(time.Since(start).Seconds())
		m.statements.WithLabelValues(statement, map[bool]string{true: "ok", false: "error"}[err == nil]).Inc()
	}
}

func resultOf(err error) string {
	if err == nil {
		return "ok"
	}
	return string(apperr.From(err).Code)
}

// Handler serves the metrics. They include all callers' calls and the names of rules, so it is for callers who may read
// all projects.
func (m *Metrics) Handler() http.Handler {
	answers := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := caller.From(r.Context())
		if !who.May(caller.Read) {
			Refuse(w, r, apperr.New(apperr.PermissionDenied, "Metrics need the permission read").
				WithHint("Ask an administrator for a token with the permission").With("needs", caller.Read))
			return
		}
		if who.Limited() {
			Refuse(w, r, apperr.New(apperr.PermissionDenied,
				"Metrics cover all projects, and the caller may see only some").
				WithHint("Use a token for all projects"))
			return
		}
		answers.ServeHTTP(w, r)
	})
}
