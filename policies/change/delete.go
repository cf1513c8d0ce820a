package change

import (
	"context"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/history"
	"nomograph/policies/rule"
	"nomograph/policies/table"
)

// Deletion names a policy or a threshold to delete.
type Deletion struct {
	Name      string `json:"name" jsonschema:"name of the policy or threshold" rule:"minLength=1,maxLength=200"`
	Reason    string `json:"reason" jsonschema:"reason for the history" rule:"minLength=1,maxLength=2000"`
	Scope     string `json:"scope,omitempty" jsonschema:"scope of the variant" rule:"maxLength=200"`
	IfVersion string `json:"if_version,omitempty" jsonschema:"reading.version you read; a different current version is a conflict" rule:"minLength=8,maxLength=64"`
	Force     bool   `json:"force,omitempty" jsonschema:"delete it even if a pack owns it or others read it"`
	DryRun    bool   `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
	By        string `json:"-"`
}

// NodeDeleted describes a deleted node.
type NodeDeleted struct {
	Name    string `json:"name"`
	Version string `json:"version" jsonschema:"last version of the node, for revert"`
	Deleted bool   `json:"deleted" jsonschema:"false for a dry run"`
	Pack    string `json:"pack,omitempty" jsonschema:"the pack that owns it; the pack shows the deletion as drift"`
	DryRun  bool   `json:"dry_run"`
}

// PolicyDeleted describes the deleted policy.
type PolicyDeleted struct {
	NodeDeleted
	Effect string `json:"effect" jsonschema:"effect that it had: block, warn, shadow, off or data"`
}

// ThresholdDeleted describes the deleted threshold and its readers.
type ThresholdDeleted struct {
	NodeDeleted
	Value  policies.Value `json:"value" jsonschema:"deleted value"`
	ReadBy []string       `json:"read_by" jsonschema:"rules, tables and rows that read it, which fail without it"`
}

// DeletePolicy deletes a policy and records author and reason, in one transaction. Its versions and changes remain, so
// that Revert can restore it. It returns not_found, and a conflict for a duplicate name, for a version other than
// IfVersion, and, unless Force is set, for a policy that a pack owns.
func (s *Store) DeletePolicy(ctx context.Context, d Deletion) (PolicyDeleted, error) {
	var out PolicyDeleted
	err := s.delete(ctx, d, &out.NodeDeleted, func(tx *graph.Tx) (*policies.Stored, error) {
		node, err := s.take(ctx, tx, "SYS_Policy", d.Name, d.Scope)
		if err != nil {
			return nil, err
		}
		out.Pack, _, err = readersOf(ctx, tx, node.ID, d.Name)
		out.Effect = rule.PolicyEffect(node.Properties, rule.LinkedThresholds(node.Links)).Effect
		return node, err
	})
	return out, err
}

// DeleteThreshold is DeletePolicy for a threshold. Unless Force is set, a threshold that rules or tables read is a
// conflict, too.
func (s *Store) DeleteThreshold(ctx context.Context, d Deletion) (ThresholdDeleted, error) {
	var out ThresholdDeleted
	err := s.delete(ctx, d, &out.NodeDeleted, func(tx *graph.Tx) (*policies.Stored, error) {
		node, err := s.take(ctx, tx, "SYS_Threshold", d.Name, d.Scope)
		if err != nil {
			return nil, err
		}
		name, _ := node.Properties["name"].(string)
		out.Value = policies.ValueOf(graph.JSON(node.Properties["value"]))
		if out.Pack, out.ReadBy, err = readersOf(ctx, tx, node.ID, name); err == nil && len(out.ReadBy) > 0 &&
			!d.Force && !d.DryRun {
			err = apperr.Newf(apperr.Conflict, "SYS_Threshold node '%s' is read by %s, which would fail without it",
				name, strings.Join(out.ReadBy, ", ")).
				WithHint("Change its readers first, or pass `force` to delete it anyway").With("read_by", out.ReadBy)
		}
		return node, err
	})
	return out, err
}

// delete deletes the node that take finds and locks; take also sets the pack that owns it.
func (s *Store) delete(ctx context.Context, d Deletion, out *NodeDeleted,
	take func(tx *graph.Tx) (*policies.Stored, error)) error {
	return s.write(ctx, d.DryRun, func(tx *graph.Tx) error {
		if err := tx.Run(ctx, cypher.PacksLock, nil); err != nil { // no pack can be applied meanwhile
			return err
		}
		node, err := take(tx)
		if err != nil {
			return err
		}
		out.Name, _ = node.Properties["name"].(string)
		out.Version, out.DryRun, out.Deleted = policies.Version(node.Properties, graph.Texts(node.Links)), d.DryRun,
			!d.DryRun
		switch {
		case !strings.HasPrefix(out.Version, d.IfVersion):
			return apperr.Newf(apperr.Conflict, "'%s' has changed since you read it", out.Name).
				WithHint("Read it again before you change it").With(CurrentVersion, out.Version)
		case out.Pack != "" && !d.Force && !d.DryRun:
			return apperr.Newf(apperr.Conflict, "'%s' belongs to the pack '%s'", out.Name, out.Pack).
				WithHint("Remove it from the pack and apply that with `prune`. `force` deletes it here; the pack then lists it as deleted").With("pack", out.Pack)
		}
		// Record manual edits first, so that the current version can be restored.
		if _, err := s.history.Record(ctx, tx, []string{node.ID}, history.Observed); err != nil {
			return err
		}
		if err := s.history.RecordRemoved(ctx, tx, []string{node.ID}, history.Removed(d.By, d.Reason)); err != nil {
			return err
		}
		return tx.Run(ctx, cypher.NodesRemove, graph.Params{"ids": []string{node.ID}})
	})
}

const maxReaders = 20 // maximum number of listed readers

// readersOf returns the pack that owns a node, and the readers of a threshold.
func readersOf(ctx context.Context, tx *graph.Tx, id, name string) (pack string, readers []string, err error) {
	found, err := graph.One[struct {
		Packs   []string
		Readers []struct {
			Label, ID  string
			Linked     bool
			Properties map[string]any
		}
	}](ctx, tx, cypher.ThresholdReaders, graph.Params{"id": id, "name": name})
	if err != nil {
		return "", nil, err
	}
	for _, r := range found.Readers {
		reads := r.Linked
		called := r.ID
		switch r.Label {
		case "policy":
			plain, scoped := rule.GuardrailOf(r.Properties).Thresholds()
			reads = reads || rule.IsGuardrail(r.Properties) && slices.Contains(slices.Concat(plain, scoped), name)
			called = graph.Text(r.Properties, "name")
		case "row":
			row := table.RowOf(r.ID, r.Properties)
			reads, called = reads || slices.Contains(row.Thresholds(), name), row.ID
		case "table":
			called = graph.Text(r.Properties, "table_id")
		}
		if reads {
			readers = append(readers, r.Label+" "+called)
		}
	}
	slices.Sort(readers)
	if more := len(readers) - maxReaders; more > 0 {
		readers = append(readers[:maxReaders], render.Plural(more, "other"))
	}
	if len(found.Packs) > 0 {
		pack = found.Packs[0]
	}
	return pack, readers, nil
}
