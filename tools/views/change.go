package views

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/change"
)

func changePolicyDeleted(d change.PolicyDeleted) string {
	return changeDeleted(d.NodeDeleted, "policy", "its effect was "+d.Effect, nil)
}

func changeThresholdDeleted(d change.ThresholdDeleted) string {
	return changeDeleted(d.NodeDeleted, "threshold", "it had the value "+policies.ShowValueOrNone(d.Value.Any()),
		d.ReadBy)
}

// changeDeleted formats the result of deleting a policy or a threshold.
func changeDeleted(d change.NodeDeleted, kind, had string, readBy []string) string {
	var b strings.Builder
	done := "deleted"
	if d.DryRun {
		done = "to delete"
	}
	fmt.Fprintf(&b, "%s: %s; %s\n", d.Name, done, had)
	render.WriteNonEmpty(&b, "  the pack %s owns it\n", d.Pack)
	if len(readBy) > 0 {
		fmt.Fprintf(&b, "  read by %s\n", strings.Join(readBy, ", "))
	}
	if !d.DryRun {
		fmt.Fprintf(&b, "  nomograph history revert %s %s --to %.12s --reason \"...\" brings it back\n", kind, d.Name,
			d.Version)
	}
	return b.String()
}
