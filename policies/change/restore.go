package change

import (
	"fmt"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies/history"
)

// toStored converts the properties of a version to stored values. Times are marked with their type.
func toStored(properties graph.Parameters) (map[string]any, error) {
	out := make(map[string]any, len(properties))
	for key, value := range properties {
		m, ok := value.(map[string]any)
		if !ok {
			out[key] = value
			continue
		}
		form, kind, _ := history.TypeMarker(m)
		text, _ := form.(string)
		restored, err := restore(kind, text)
		if err != nil {
			return nil, apperr.Newf(apperr.Conflict, "Cannot restore %s of '%s': it is a %s", key, properties["name"],
				kind).
				WithHint("Set it by hand in the graph, then try again").Because(err)
		}
		out[key] = restored
	}
	return out, nil
}

func restore(kind, text string) (any, error) {
	switch kind {
	case "Date":
		t, err := time.Parse(time.DateOnly, text)
		return dbtype.Date(t), err
	case "LocalDateTime":
		t, err := time.Parse("2006-01-02T15:04:05.999999999", text)
		return dbtype.LocalDateTime(t), err
	case "LocalTime":
		t, err := time.Parse("15:04:05.999999999", text)
		return dbtype.LocalTime(t), err
	case "Time": // both of Neo4j's types of times with an offset have this name
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			return t, nil
		}
		t, err := time.Parse("15:04:05.999999999Z07:00", text)
		return dbtype.Time(t), err
	}
	return nil, fmt.Errorf("%s is not known", kind)
}
