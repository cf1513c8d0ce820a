package graph

import (
	"encoding/base64"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"
)

// JSON gives a value that came over Bolt in the form in which every door shows it: times as RFC 3339 text or its parts,
// durations as ISO 8601, points and bytes as objects that name what they are. Numbers, text, booleans and null stay.
func JSON(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = JSON(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = JSON(item)
		}
		return out
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case dbtype.LocalDateTime:
		return v.Time().Format("2006-01-02T15:04:05.999999999")
	case dbtype.Date:
		return v.Time().Format(time.DateOnly)
	case dbtype.Time:
		return v.Time().Format("15:04:05.999999999Z07:00")
	case dbtype.LocalTime:
		return v.Time().Format("15:04:05.999999999")
	case dbtype.Duration:
		return v.String()
	case dbtype.Point2D:
		return map[string]any{"srid": v.SpatialRefId, "x": v.X, "y": v.Y}
	case dbtype.Point3D:
		return map[string]any{"srid": v.SpatialRefId, "x": v.X, "y": v.Y, "z": v.Z}
	case []byte:
		return map[string]any{"base64": base64.StdEncoding.EncodeToString(v)}
	case neo4j.Node:
		return map[string]any{"element_id": v.ElementId, "labels": v.Labels, "properties": JSON(v.Props)}
	case neo4j.Relationship:
		return map[string]any{"element_id": v.ElementId, "type": v.Type, "start": v.StartElementId, "end": v.EndElementId, "properties": JSON(v.Props)}
	default:
		return v
	}
}
