package cases

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies/check"
	"nomograph/policies/pack"
)

// VerdictQuery selects the verdict to write as a case.
type VerdictQuery struct {
	ID   string        `json:"id" jsonschema:"verdict_id, or its beginning" rule:"minLength=1,maxLength=100"`
	Pack []pack.Source `json:"pack,omitempty" jsonschema:"pack to which the case is added; the answer then holds its whole text" rule:"maxItems=1"`
}

// OfVerdict is a verdict as a test case.
type OfVerdict struct {
	VerdictID string   `json:"verdict_id"`
	Name      string   `json:"name"`
	Allowed   bool     `json:"allowed" jsonschema:"expected result: that of the verdict, or true if the denial was overturned"`
	Notes     []string `json:"notes" jsonschema:"facts that the case lacks"`
	Text      string   `json:"text" jsonschema:"the case as YAML, or the pack with it"`
}

// overturnedPrefix starts the name of a case about an overturned denial. The id of the verdict follows.
const overturnedPrefix = "overturned verdict "

// Overturned returns the ids of overturned verdicts for which FromVerdict added a case to the pack.
func Overturned(p pack.Pack) (ids []string) {
	for _, c := range p.Cases {
		if rest, ok := strings.CutPrefix(graph.Text(c.Fields, "name"), overturnedPrefix); ok {
			id, _, _ := strings.Cut(rest, " ")
			ids = append(ids, id)
		}
	}
	return ids
}

// FromVerdict writes a verdict as a test case of a pack: the stored action, its time, and the expected answer. The
// case of an overturned denial expects that the action is allowed, so it fails until the rules change. It returns a
// conflict if the action was not stored in full or the pack already has the case, and a validation_error for an
// invalid pack.
func FromVerdict(ctx context.Context, e check.Explanation, packs []pack.Source) (OfVerdict, error) {
	if e.InputsKept != check.RetainFull || len(e.Action) == 0 {
		return OfVerdict{}, apperr.Newf(apperr.Conflict, "The action of verdict '%s' was not stored in full",
			e.VerdictID).
			WithHint("Set verdicts.inputs to full to store actions of later verdicts")
	}
	var stored struct {
		check.ActionCheck
		Recording json.RawMessage `json:"recording"`
	}
	if err := json.Unmarshal(e.Action, &stored); err != nil {
		return OfVerdict{}, err
	}
	action := stored.ActionCheck
	overturned := e.Appeal != nil && e.Appeal.State == check.AppealOverturned
	out := OfVerdict{VerdictID: e.VerdictID, Allowed: e.Allowed || overturned}
	lead := "verdict "
	if overturned {
		lead = overturnedPrefix
	}
	out.Name = strings.TrimSpace(lead + e.VerdictID + " " + cmp.Or(render.Title(action.Description), action.Name))
	if e.Facts != nil && len(e.Facts.Masked) > 0 {
		out.Notes = append(out.Notes, "Masked values stay masked: "+strings.Join(e.Facts.Masked, ", "))
	}
	phase := ""
	if len(stored.Recording) > 0 {
		phase = "record"
		if err := json.Unmarshal(stored.Recording, &action); err != nil { // its facts have the names of an action's
			return OfVerdict{}, err
		}
	}
	parsed, err := pack.ParseAll(ctx, packs)
	if err != nil {
		return OfVerdict{}, err
	}
	expect, err := expectationOf(e, out.Allowed, parsed)
	if err != nil {
		return OfVerdict{}, err
	}
	item, err := yamlOf(out.Name, phase, e.At, action, expect)
	if err != nil {
		return OfVerdict{}, err
	}
	out.Text = "tests:\n" + item
	if len(packs) > 0 {
		out.Text, err = withCase(packs[0], item)
		if err == nil {
			_, err = pack.Parse(ctx, packs[0].Name, out.Text)
		}
	}
	return out, err
}

// expectationOf returns what a case of a verdict expects, with the violated rules of the pack to which it is added, if
// any. It returns a conflict if the pack already has the case, or none of the rules.
func expectationOf(e check.Explanation, allowed bool, packs []pack.Pack) (Expectation, error) {
	expect := Expectation{Allowed: &allowed}
	for _, p := range packs {
		if slices.ContainsFunc(p.Cases, func(c pack.RawCase) bool {
			return strings.Contains(graph.Text(c.Fields, "name"), e.VerdictID)
		}) {
			return expect, apperr.Newf(apperr.Conflict, "The pack '%s' has a case of verdict '%s'", p.File,
				e.VerdictID).
				WithHint("Edit that case")
		}
	}
	if allowed {
		return expect, nil
	}
	for _, v := range e.Violations {
		if len(packs) == 0 || packs[0].Item("policies", v.GuardrailID) != nil {
			expect.Violations = append(expect.Violations, v.GuardrailID)
		}
	}
	if len(expect.Violations) == 0 && len(packs) > 0 && len(e.Violations) > 0 {
		return expect, apperr.Newf(apperr.Conflict, "No rule of the pack '%s' denied verdict '%s'", packs[0].File,
			e.VerdictID).
			WithHint("Add the case to the pack of %s", e.Violations[0].GuardrailID)
	}
	return expect, nil
}

// yamlOf writes a case as an item of a list. JSON is valid YAML.
func yamlOf(name, phase string, at time.Time, action check.ActionCheck, expect Expectation) (string, error) {
	var b strings.Builder
	for i, field := range []struct {
		name  string
		value any
	}{{"name", name}, {"now", at}, {"phase", phase}, {"action", action}, {"expect", expect}} {
		if field.value == "" {
			continue
		}
		text, err := json.Marshal(field.value)
		if err != nil {
			return "", err
		}
		lead := "    "
		if i == 0 {
			lead = "  - "
		}
		fmt.Fprintf(&b, "%s%s: %s\n", lead, field.name, text)
	}
	return b.String(), nil
}

// withCase adds an item to the list `tests` of a pack, at its end. It returns a conflict unless the list has one item
// per line.
func withCase(source pack.Source, item string) (string, error) {
	text, err := source.Read(pack.ShippedText)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(strings.TrimRight(text, "\n")+"\n", "\n")
	lines = lines[:len(lines)-1] // nothing follows the last line
	key := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "tests:") })
	if key < 0 {
		return strings.Join(lines, "") + "tests:\n" + item, nil
	}
	if rest, _, _ := strings.Cut(strings.TrimPrefix(lines[key], "tests:"), "#"); strings.TrimSpace(rest) != "" {
		return "", apperr.Newf(apperr.Conflict, "The list `tests` of the pack '%s' is on one line", source.Name).
			WithHint("Write one test per line, each after a dash")
	}
	end, indent := key+1, "  "
	for i := key + 1; i < len(lines); i++ {
		line := strings.TrimLeft(lines[i], " ")
		column := len(lines[i]) - len(line)
		if column == 0 && !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "#") &&
			strings.TrimSpace(line) != "" {
			break
		}
		if end == key+1 && strings.HasPrefix(line, "-") {
			indent = strings.Repeat(" ", column)
		}
		if strings.TrimSpace(line) != "" && (column > 0 || !strings.HasPrefix(line, "#")) {
			end = i + 1
		}
	}
	var b strings.Builder
	for line := range strings.Lines(item) {
		b.WriteString(indent + strings.TrimPrefix(line, "  "))
	}
	return strings.Join(lines[:end], "") + b.String() + strings.Join(lines[end:], ""), nil
}
