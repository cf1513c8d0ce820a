package pack

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies/rule"
)

// ValidateRequest names packs to validate.
type ValidateRequest struct {
	Packs []Source `json:"packs" rule:"minItems=1,maxItems=50"`
}

// Validation counts the contents of valid packs.
type Validation struct {
	Valid   bool       `json:"valid"`
	Packs   []Contents `json:"packs"`
	Summary string     `json:"summary" jsonschema:"readable summary"`
}

// Contents counts the contents of a pack.
type Contents struct {
	Pack       string   `json:"pack"`
	Version    string   `json:"version"`
	Policies   int      `json:"policies"`
	Guardrails int      `json:"guardrails" jsonschema:"number of policies that evaluate actions"`
	Thresholds int      `json:"thresholds"`
	Tables     int      `json:"tables"`
	Rows       int      `json:"rows"`
	Cases      int      `json:"cases"`
	Needs      []string `json:"needs" jsonschema:"references that the graph must provide"`
}

// Validate parses packs and compiles their rules. It returns a validation_error that lists all problems with file, line
// and column, and not_found for an unknown shipped pack. It needs no database.
func Validate(ctx context.Context, r ValidateRequest) (Validation, error) {
	packs, err := ParseAll(ctx, r.Packs)
	if err != nil {
		return Validation{}, err
	}
	v := Validation{Valid: true, Packs: make([]Contents, len(packs))}
	var b strings.Builder
	for i, pack := range packs {
		p := pack.contents(packs)
		v.Packs[i] = p
		fmt.Fprintf(&b, "%s %s: %s (%s), %s, %s with %s, %s\n",
			p.Pack, p.Version, render.Plural(p.Policies, "policy"), render.Plural(p.Guardrails, "guardrail"),
			render.Plural(p.Thresholds, "threshold"),
			render.Plural(p.Tables, "table"), render.Plural(p.Rows, "row"), render.Plural(p.Cases, "case"))
		if len(p.Needs) > 0 {
			fmt.Fprintf(&b, "  the graph must have %s\n", render.Printable(strings.Join(p.Needs, ", ")))
		}
	}
	v.Summary = b.String()
	return v, nil
}

func (p Pack) contents(together []Pack) Contents {
	c := Contents{Pack: p.Name, Version: p.Version, Cases: len(p.Cases)}
	for _, item := range p.Items {
		switch item.Section.Name {
		case "policies":
			c.Policies++
			if rule.IsGuardrail(item.Properties) {
				c.Guardrails++
			}
		case "thresholds":
			c.Thresholds++
		case "decision_tables":
			c.Tables++
		case "decision_rows":
			c.Rows++
		}
	}
	for _, link := range p.References() {
		brought := slices.ContainsFunc(together, func(other Pack) bool {
			return other.Item(link.Section, link.Key) != nil
		})
		if need := SectionOf(link.Section).One + " " + link.Key; !brought && !slices.Contains(c.Needs, need) {
			c.Needs = append(c.Needs, need)
		}
	}
	slices.Sort(c.Needs)
	return c
}

// ParseAll parses all packs before it reports problems.
func ParseAll(ctx context.Context, sources []Source) ([]Pack, error) {
	packs := make([]Pack, len(sources))
	var wrong []error
	for i, source := range sources {
		text, err := source.Read(ShippedText)
		if err != nil {
			return nil, err
		}
		if packs[i], err = Parse(ctx, source.Name, text); err != nil {
			if !apperr.Is(err, apperr.Validation) {
				return nil, err
			}
			wrong = append(wrong, err)
		}
	}
	if err := Join(wrong); err != nil {
		return nil, err
	}
	return packs, nil
}

// Join merges the errors of several files; nil if there are none.
func Join(wrong []error) error {
	switch len(wrong) {
	case 0:
		return nil
	case 1:
		return wrong[0]
	}
	var lines []string
	problems := []map[string]any{}
	for _, err := range wrong {
		found, _ := apperr.From(err).Details["problems"].([]map[string]any)
		lines, problems = append(lines, apperr.From(err).Message), append(problems, found...)
	}
	return apperr.New(apperr.Validation, strings.Join(lines, "\n")).WithHint("%s", apperr.From(wrong[0]).Hint).
		With("problems", problems)
}
