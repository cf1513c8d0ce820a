package cstp

import (
	"cmp"
	_ "embed"
	"net/http"
	"slices"

	"nomograph/internal/caller"
	"nomograph/internal/document"
	"nomograph/server"
)

// Card describes this agent.
type Card struct {
	Name, Description, Version, Contact string
	URL                                 string // public URL of this agent; empty: the URL of the request
	Open                                bool   // true if the server requires no authentication
}

// methodsOfDesign are the methods of the CSTP design, which every CSTP agent knows; others follow.
var methodsOfDesign = []string{"cstp.announceIntent", "cstp.queryDecisions", "cstp.checkGuardrails"}

// methodNames returns the methods that a caller may use, those of the design first. For an unauthenticated caller it
// returns these three, for which a token is needed.
func (d *Server) methodNames(who caller.Caller) []string {
	if !who.Trusted && !who.Authenticated {
		return methodsOfDesign
	}
	available := d.availableMethods(who)
	first := slices.DeleteFunc(slices.Clone(methodsOfDesign),
		func(name string) bool { return !slices.Contains(available, name) })
	return append(first, slices.DeleteFunc(available,
		func(name string) bool { return slices.Contains(methodsOfDesign, name) })...)
}

// agentCard is the card of the CSTP design, with its order of members.
type agentCard struct {
	Name           string         `json:"name"`
	Description    string         `json:"description"`
	Version        string         `json:"version"`
	URL            string         `json:"url"`
	Capabilities   map[string]any `json:"capabilities"`
	Authentication map[string]any `json:"authentication"`
	Contact        string         `json:"contact,omitempty"`
}

// protocol is the version of CSTP's methods.
const protocol = "1.0"

func (d *Server) card(w http.ResponseWriter, r *http.Request) {
	c := d.options.Card
	schemes := []string{"bearer"}
	if c.Open {
		schemes = []string{}
	}
	server.Answer(w, http.StatusOK, agentCard{Name: c.Name, Description: c.Description, Version: c.Version,
		URL: cmp.Or(c.URL, server.BaseURL(r)),
		Capabilities: map[string]any{"cstp": struct {
			Version string   `json:"version"`
			Methods []string `json:"methods"`
		}{protocol, d.methodNames(caller.From(r.Context()))}}, Authentication: map[string]any{"schemes": schemes},
		Contact: c.Contact})
}

// extension names CSTP among the extensions of A2A.
const extension = "urn:cstp:1.0"

// skill is a method of the design in the agent card of A2A: a row of skills.json.
type skill struct {
	Description string   `json:"description"`
	Examples    []string `json:"examples"`
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Tags        []string `json:"tags"`
}

//go:embed skills.json
var skillsFile []byte

var skills = document.ShippedJSON[[]skill](skillsFile)

// a2aCard is the agent card of A2A 1.0. It names CSTP as an extension and as an interface with a binding of its own;
// this agent has no A2A tasks.
func (d *Server) a2aCard(w http.ResponseWriter, r *http.Request) {
	c := d.options.Card
	base := cmp.Or(c.URL, server.BaseURL(r))
	methods := d.methodNames(caller.From(r.Context()))
	card := map[string]any{"name": c.Name, "description": c.Description, "version": c.Version,
		"supportedInterfaces": []any{map[string]any{"url": base + Path, "protocolBinding": extension,
			"protocolVersion": protocol}},
		"capabilities": map[string]any{"streaming": false, "pushNotifications": false, "extendedAgentCard": false,
			"extensions": []any{map[string]any{"uri": extension,
				"description": "Cognition State Transfer Protocol: JSON-RPC 2.0 with the methods in params",
				"required":    true,
				"params":      map[string]any{"methods": methods}}}},
		"defaultInputModes": []string{"application/json"}, "defaultOutputModes": []string{"application/json"},
		"skills": slices.DeleteFunc(slices.Clone(skills()),
			func(s skill) bool { return !slices.Contains(methods, s.ID) })}
	if c.Contact != "" {
		card["provider"] = map[string]any{"organization": c.Contact, "url": base}
	}
	if !c.Open {
		card["securitySchemes"] = map[string]any{"bearer": map[string]any{"httpAuthSecurityScheme": map[string]any{"scheme": "Bearer"}}}
		card["securityRequirements"] = []any{map[string]any{"schemes": map[string]any{"bearer": map[string]any{"list": []string{}}}}}
	}
	server.Answer(w, http.StatusOK, card)
}
