package events

import (
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/events"
	"nomograph/server/rest"
)

// parameters returns the names of the allowed query parameters.
func parameters() []string { return slices.Sorted(maps.Keys(descriptions)) }

var descriptions = map[string]string{
	"type":       "only events of these types, separated by commas, such as threshold.changed; threshold selects all threshold events",
	"name":       "only changes of the policy, threshold, table, atlas or context with this name, approval requests for this action, and resets of the breaker with this scope",
	"rule":       "only verdicts that violate this rule",
	"allowed":    "true: only verdicts that allow; false: only denials",
	"project":    "only verdicts and decisions in this project",
	"agent_id":   "only events of this agent",
	"category":   "only verdicts and decisions in this category",
	"stakes":     "only verdicts and decisions with these stakes: low, medium, high, critical; separated by commas",
	"session_id": "only events of this session, by its id or uid",
	"outcome":    "only reviews with this outcome",
	lastEventID:  "id of the last received event, for clients that cannot send the header Last-Event-ID",
	"as":         "ofrep: only notices that flags changed, in the format of OpenFeature's remote evaluation protocol",
}

// Described returns the OpenAPI description of the path.
func Described() rest.OtherRoute {
	parameters := []map[string]any{{"name": "Last-Event-ID", "in": "header",
		"description": "id of the last received event; every server first sends the events after it",
		"schema":      map[string]any{"type": "string"}}}
	for _, name := range slices.Sorted(maps.Keys(descriptions)) {
		schema := map[string]any{"type": "string"}
		switch name {
		case "allowed":
			schema["type"] = "boolean"
		case "as":
			schema["enum"] = []string{asOFREP}
		}
		parameters = append(parameters, map[string]any{"name": name, "in": "query", "description": descriptions[name],
			"schema": schema})
	}
	event, err := jsonschema.For[events.Event](nil)
	if err != nil { // cannot happen: a type of this package
		panic(err)
	}
	problem := map[string]any{"$ref": "#/components/responses/Problem"}
	responses := map[string]any{"200": map[string]any{"description": "A stream of events that stays open until the client or the server closes it. The data of each event is this object; " +
		"Last-Event-ID takes its id.", "content": map[string]any{"text/event-stream": map[string]any{"schema": event}}},
		"101": map[string]any{"description": "The same over a WebSocket, if the request asks for one: messages {id, event, data}."}}
	for _, status := range []string{"400", "401", "403", "410", "429", "503", "default"} {
		responses[status] = problem
	}
	return rest.OtherRoute{Path: Path, Method: "get", Tag: "events", Use: "Stream events as they happen.",
		Operation: map[string]any{"operationId": "events", "summary": "Events",
			"description": "Streams events as they happen: changes of policies and thresholds, verdicts, decisions, reviews, links and approval requests. Session events are sent only if the request names their types.",
			"parameters":  parameters, "responses": responses, "x-openai-isConsequential": false}}
}
