package events

import (
	_ "embed"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"nomograph/events"
	"nomograph/server/rest"
)

// descriptionFile is the OpenAPI description of the path, without the schema of events.
//
//go:embed description.json
var descriptionFile []byte

// parameters returns the names of the allowed query parameters.
func parameters() (names []string) {
	for _, name := range gjson.GetBytes(descriptionFile, `parameters.#(in=="query")#.name`).Array() {
		names = append(names, name.Str)
	}
	return names
}

// Described returns the OpenAPI description of the path.
func Described() rest.OtherRoute {
	route := rest.OtherRoute{Path: Path, Method: "get", Tag: "events", Use: "Stream events as they happen."}
	event, err := jsonschema.For[events.Event](nil)
	text := descriptionFile
	if err == nil {
		text, err = sjson.SetBytes(text, "responses.200.content.text/event-stream.schema", event)
	}
	if err == nil {
		err = json.Unmarshal(text, &route.Operation)
	}
	if err != nil { // part of the program
		panic(err)
	}
	return route
}
