package lint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies/pack"
)

// Finding is a mistake in policies, thresholds or tables.
type Finding struct {
	Check    string `json:"check" jsonschema:"such as literal-repeats-threshold; docs/guides/decision-tables.md has them all"`
	Severity string `json:"severity" jsonschema:"error or warning"`
	Subject  string `json:"subject" jsonschema:"checked object, such as row D12_R1"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	Place    string `json:"location,omitempty" jsonschema:"file:line:column, in a pack"`
}

// Severities. A warning may be intended.
const (
	severityError   = "error"
	severityWarning = "warning"
)

// Request names packs to lint; without names the graph is linted.
type Request struct {
	Packs []pack.Source `json:"packs,omitempty" jsonschema:"packs to lint (default the graph)" rule:"maxItems=50"`
}

// Report holds the findings, errors first.
type Report struct {
	Findings []Finding `json:"findings"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Summary  string    `json:"summary" jsonschema:"readable summary"`
}

// Failed reports whether there are errors.
func (r Report) Failed() bool { return r.Errors > 0 }

// Packs lints packs, or the graph if the request names none. It returns a validation_error with all positions for an
// invalid pack, not_found for an unknown shipped pack, and the errors of reading.
func (s *Store) Packs(ctx context.Context, r Request) (Report, error) {
	var findings []Finding
	if len(r.Packs) == 0 {
		var err error
		if findings, err = s.Graph(ctx); err != nil {
			return Report{}, err
		}
	}
	packs, err := pack.ParseAll(ctx, r.Packs)
	if err != nil {
		return Report{}, err
	}
	for _, pack := range packs {
		findings = append(findings, Pack(pack)...)
	}
	return reportOf(findings), nil
}

// Pack lints a pack. Nodes that it names and does not contain may be in the graph.
func Pack(pack pack.Pack) []Finding {
	return examine(context.Background(), modelOfPack(pack))
}

// Graph lints all policies, thresholds and decision tables of the graph.
func (s *Store) Graph(ctx context.Context) ([]Finding, error) {
	read, err := graph.One[nodes](ctx, s.graph, cypher.LintGraph, nil)
	if err != nil {
		return nil, err
	}
	findings := examine(ctx, modelOfGraph(read))
	if ctx.Err() != nil {
		return nil, apperr.New(apperr.QueryTimeout, "The check exceeded its time limit").
			WithHint("Allow more time, or check packs one by one")
	}
	return findings, nil
}

// linter collects findings in a model.
type linter struct {
	*model
	findings []Finding
}

func examine(ctx context.Context, m *model) []Finding {
	l := &linter{model: m}
	l.ambiguousNames()
	l.conditions()
	l.absent()
	l.unknownInCheck()
	l.checkPathFunctions()
	l.literals()
	l.unread()
	l.bounds()
	l.circles()
	for _, table := range m.tables {
		l.reachRows(ctx, table)
	}
	for _, policy := range m.evaluable() {
		l.reachRule(ctx, policy)
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	return l.findings
}

func (l *linter) found(check, severity, subject, place, hint, format string, args ...any) {
	l.findings = append(l.findings, Finding{check, severity, subject, fmt.Sprintf(format, args...), hint, place})
}

func reportOf(findings []Finding) Report {
	report := Report{Findings: findings}
	var b strings.Builder
	for _, f := range findings {
		if f.Severity == severityError {
			report.Errors++
		} else {
			report.Warnings++
		}
		if f.Place != "" {
			b.WriteString(f.Place + ": ")
		}
		fmt.Fprintf(&b, "%s: %s: %s [%s]\n  %s\n", f.Severity, f.Subject, f.Message, f.Check, f.Hint)
	}
	fmt.Fprintf(&b, "%s, %s\n", render.Plural(report.Errors, "error"), render.Plural(report.Warnings, "warning"))
	report.Summary = b.String()
	return report
}
