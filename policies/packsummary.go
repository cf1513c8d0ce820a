package policies

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// summary tells a person how the cases went: a line for each that fails, one for each pack, then what was reached.
func (r TestReport) summary(packs []Pack) string {
	var b strings.Builder
	for _, c := range r.Cases {
		switch {
		case c.Problem != "":
			fmt.Fprintf(&b, "FAIL %s: %s: %s\n", c.Place, c.Name, oneLine(c.Problem))
		case !c.Passed:
			fmt.Fprintf(&b, "skip %s: %s\n", c.Place, c.Name)
		case c.Note != "":
			fmt.Fprintf(&b, "note %s: %s: %s\n", c.Place, c.Name, c.Note)
		}
	}
	for i, pack := range packs {
		passed, all := 0, 0
		for _, c := range r.Cases {
			if c.pack == i {
				all++
				if c.Passed {
					passed++
				}
			}
		}
		if all == 0 {
			fmt.Fprintf(&b, "%s %s: no cases\n", pack.Name, pack.Version)
			continue
		}
		fmt.Fprintf(&b, "%s %s: %d of %d cases hold\n", pack.Name, pack.Version, passed, all)
	}
	return printable(b.String() + r.Coverage.lines())
}

func oneLine(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return strings.Join(lines, "; ")
}

// lines tell a person what was reached and what was not.
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
		fmt.Fprintf(&b, "  not judged (%s): %s\n", note, strings.Join(notes[note], ", "))
	}
	if !c.enough() {
		fmt.Fprintf(&b, "FAIL coverage is %v %%, and at least %v %% is asked for\n", c.Percent, c.Required)
	}
	return b.String()
}
