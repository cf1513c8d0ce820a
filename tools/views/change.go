package views

import (
	"fmt"
	"strings"

	"nomograph/policies"
	"nomograph/policies/change"
)

// changeThresholdDeleted formats the result of deleting a threshold.
func changeThresholdDeleted(d change.ThresholdDeleted) string {
	var b strings.Builder
	done := "deleted"
	if d.DryRun {
		done = "to delete"
	}
	fmt.Fprintf(&b, "%s: %s; it had the value %s\n", d.Name, done, policies.ShowValueOrNone(d.Value.Any()))
	if d.Pack != "" {
		fmt.Fprintf(&b, "  the pack %s owns it\n", d.Pack)
	}
	if len(d.ReadBy) > 0 {
		fmt.Fprintf(&b, "  read by %s\n", strings.Join(d.ReadBy, ", "))
	}
	if !d.DryRun {
		fmt.Fprintf(&b, "  nomograph history revert threshold %s --to %.12s --reason \"...\" brings it back\n", d.Name, d.Version)
	}
	return b.String()
}
