package graph

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"

	"nomograph/internal/lists"
)

// JSON converts a value from Bolt to its JSON form: times as RFC 3339 strings or their parts, durations as ISO 8601,
// points and bytes as objects that name their type. Numbers, strings, booleans and null stay unchanged.
func JSON(value any) any { return form{}.of(value) }

// cell is JSON for rows of a caller's query: integers that a float would round become a string in an object, and
// vectors become a note.
func cell(value any) any { return form{forQuery: true}.of(value) }

// UTC converts a time to the form of datetime(). Neo4j treats one instant in two zones as two values, and the driver
// sends Go's UTC as a named zone.
func UTC(t time.Time) time.Time { return t.In(offsetZero) }

var offsetZero = time.FixedZone("Offset", 0)

const (
	maxExact        = 1 << 53 // readers that only know floats round larger integers
	minVectorLength = 64      // numbers
)

type form struct{ forQuery bool }

func (f form) of(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = f.of(item)
		}
		return out
	case int64:
		if f.forQuery && (v > maxExact || v < -maxExact) {
			return map[string]any{"integer": strconv.FormatInt(v, 10)}
		}
		return v
	case []any:
		if f.forQuery && isVector(v) {
			return map[string]any{"omitted": fmt.Sprintf("a vector of %d numbers", len(v))}
		}
		return lists.Map(v, f.of)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) { // JSON has no such numbers
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return v
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
		if f.forQuery && len(v) >= minVectorLength*4 {
			return map[string]any{"omitted": fmt.Sprintf("%d bytes", len(v))}
		}
		return map[string]any{"base64": base64.StdEncoding.EncodeToString(v)}
	case neo4j.Node:
		return map[string]any{"element_id": v.ElementId, "labels": v.Labels, "properties": f.of(v.Props)}
	case neo4j.Path:
		nodes, relationships := make([]any, len(v.Nodes)), make([]any, len(v.Relationships))
		for i, node := range v.Nodes {
			nodes[i] = f.of(node)
		}
		for i, relationship := range v.Relationships {
			relationships[i] = f.of(relationship)
		}
		return map[string]any{"nodes": nodes, "relationships": relationships}
	case neo4j.Relationship:
		return map[string]any{"element_id": v.ElementId, "type": v.Type, "start": v.StartElementId,
			"end": v.EndElementId, "properties": f.of(v.Props)}
	default:
		return v
	}
}

func isVector(list []any) bool {
	if len(list) < minVectorLength {
		return false
	}
	for _, item := range list {
		if _, number := item.(float64); !number {
			return false
		}
	}
	return true
}
