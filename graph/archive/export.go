package archive

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// ExportOptions says what else is exported.
type ExportOptions struct {
	Vectors bool // export vectors of decisions, which can be computed again from the text
}

// ExportResult counts what was written.
type ExportResult struct {
	Nodes         int64  `json:"nodes"`
	Vectors       int64  `json:"vectors,omitempty"`
	Relationships int64  `json:"relationships"`
	SHA256        string `json:"sha256" jsonschema:"SHA-256 of all bytes before the last line"`
}

// Export writes our part of the graph to w in constant memory. Nodes, vectors and relationships are read one after
// another, so concurrent writes may be in the file or not, and a relationship may be included without its node; Import
// skips it. It returns errors of the database and of w.
func Export(ctx context.Context, db *graph.DB, w io.Writer, o ExportOptions) (ExportResult, error) {
	server, err := db.Connect(ctx)
	if err != nil {
		return ExportResult{}, err
	}
	size, err := graph.One[struct {
		Size int64
		At   time.Time
	}](ctx, db, cypher.ArchiveSize, nil)
	if err != nil {
		return ExportResult{}, err
	}
	x := exporter{ctx: ctx, w: newWriter(w), total: size.Size}
	err = x.write(line{Nomograph: "export", Format: format, At: size.At.Format(time.RFC3339), Server: "Neo4j " +
		server.Version})
	if err != nil {
		return ExportResult{}, writeError(err)
	}
	unique, keyed, open := labelsBy(o.Vectors)
	ours := graph.Params{"unique": unique, "keyed": keyed, "open": open, "labels": labels, "types": types}
	if err := graph.Each(ctx, db, cypher.ArchiveNodes, ours, x.node); err != nil {
		return ExportResult{}, err
	}
	if o.Vectors {
		if err := graph.Each(ctx, db, cypher.ArchiveVectors, nil, x.vectors); err != nil {
			return ExportResult{}, err
		}
	}
	if err := graph.Each(ctx, db, cypher.ArchiveRelationships, ours, x.relationship); err != nil {
		return ExportResult{}, err
	}
	if err := x.w.close(); err != nil {
		return ExportResult{}, writeError(err)
	}
	return ExportResult(x.w.end), nil
}

// labelsBy groups labels by what identifies nodes of Nomograph: a uid, a key, or only the label.
func labelsBy(withVectors bool) (unique, keyed, open []string) {
	for _, k := range kinds {
		switch {
		case k.label == "SYS_SearchIndex" && !withVectors: // this node describes vectors that are not in the file
		case k.by == byUID:
			unique = append(unique, k.label)
		case k.keys[0] == "key":
			keyed = append(keyed, k.label)
		default:
			open = append(open, k.label)
		}
	}
	return unique, keyed, open
}

type exporter struct {
	ctx         context.Context
	w           *writer
	done, total int64
}

func (x *exporter) write(l line) error {
	const often = 1000
	if x.done++; x.done%often == 0 {
		progress.Report(x.ctx, progress.Step{Message: "Writing the archive", Done: min(x.done, x.total),
			Total: x.total})
	}
	if err := x.w.write(l); err != nil {
		return writeError(err)
	}
	return nil
}

func (x *exporter) node(row struct {
	Key        string
	Labels     []any
	Properties map[string]any
}) error {
	names := make([]string, len(row.Labels))
	for i, label := range row.Labels {
		names[i], _ = label.(string)
	}
	dropLocalProperties(names, row.Properties)
	properties, err := encodeProperties(row.Properties)
	if err != nil {
		return nodeError(row.Key, err)
	}
	slices.Sort(names)
	return x.write(line{Node: &node{row.Key, names, properties}})
}

func (x *exporter) vectors(row vectors) error {
	for _, side := range vectorProperties {
		if list, ok := row.Properties[side].([]any); ok {
			row.Properties[side] = toFloat32(list)
		}
	}
	var err error
	if row.Properties, err = encodeProperties(row.Properties); err != nil {
		return nodeError(row.Of, err)
	}
	return x.write(line{Vectors: &row})
}

func (x *exporter) relationship(row relationship) error {
	var err error
	if row.Properties, err = encodeProperties(row.Properties); err != nil {
		return nodeError(row.From, err)
	}
	return x.write(line{Relationship: &row})
}

// vectorProperties are the properties of an embedding that hold vectors.
var vectorProperties = []string{"text", "structure", "function"}

// toFloat32 halves the size of vectors that were stored as 32-bit floats.
func toFloat32(list []any) any {
	out := make([]float32, len(list))
	for i, item := range list {
		wide, ok := item.(float64)
		if out[i] = float32(wide); !ok || float64(out[i]) != wide {
			return list
		}
	}
	return out
}

func nodeError(key string, err error) error {
	return apperr.Newf(apperr.QueryFailed, "Cannot export node '%s': %v", strings.TrimPrefix(key, "element:"), err).
		WithHint("Nomograph does not know this type. Change the property, or use a newer Nomograph")
}

func writeError(err error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot write the archive: %v", err).
		WithHint("Check free space and permissions").Because(fmt.Errorf("archive: %w", err))
}
