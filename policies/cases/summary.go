package cases

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/policies/pack"
)

// summary formats the report: a line for each failure, one for each pack, then coverage.
func (r Report) summary(packs []pack.Pack) string {
	var b strings.Builder
	for _, c := range r.Cases {
		switch {
		case c.Problem != "":
			fmt.Fprintf(&b, "FAIL %s: %s: %s\n", c.Place, c.Name, oneLine(c.Problem))
		case c.leftOut(): // counted below
		case !c.Passed:
			fmt.Fprintf(&b, "skip %s: %s\n", c.Place, c.Name)
		}
	}
	for i, pack := range packs {
		passed, all, left := 0, 0, 0
		for _, c := range r.Cases {
			switch {
			case c.pack != i:
			case c.leftOut():
				left++
			default:
				all++
				if c.Passed {
					passed++
				}
			}
		}
		if all+left == 0 {
			fmt.Fprintf(&b, "%s %s: no cases\n", pack.Name, pack.Version)
			continue
		}
		fmt.Fprintf(&b, "%s %s: %d of %d cases passed", pack.Name, pack.Version, passed, all)
		if left > 0 {
			fmt.Fprintf(&b, "; %d left out (without a graph)", left)
		}
		b.WriteByte('\n')
	}
	return render.Printable(b.String() + r.Coverage.lines())
}

func (c Result) leftOut() bool { return !c.Passed && c.Problem == "" && c.Note != "" }

func oneLine(text string) string {
	lines := lists.Map(strings.Split(text, "\n"), strings.Fields)
	return strings.Join(lists.Map(lines, func(words []string) string { return strings.Join(words, " ") }), "; ")
}

// lines formats the coverage.
func (c Coverage) lines() string {
	var b strings.Builder
	fmt.Fprintf(&b, "coverage %v %%: %d of %d branches, %d of %d rows; %d of %d rules applied\n", c.Percent,
		c.Branches.Covered, c.Branches.Total, c.Rows.Covered, c.Rows.Total, c.Rules.Covered, c.Rules.Total)
	for _, missed := range c.Missed {
		b.WriteString("  " + missed + "\n")
	}
	notes := map[string][]string{}
	for _, r := range c.ByRule {
		if r.Note != "" {
			notes[r.Note] = append(notes[r.Note], r.Rule)
		}
	}
	for _, note := range slices.Sorted(maps.Keys(notes)) {
		fmt.Fprintf(&b, "  not evaluated (%s): %s\n", note, strings.Join(notes[note], ", "))
	}
	if !c.enough() {
		fmt.Fprintf(&b, "FAIL coverage is %v %%, and at least %v %% is asked for\n", c.Percent, c.Required)
	}
	return b.String()
}
