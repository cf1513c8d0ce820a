package client

import (
	"context"
	"encoding/json"
	"net/http"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/internal/retry"
)

// Card is an agent's description of itself. It is not authenticated: the URL in it is shown, never followed.
type Card struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Version     string   `json:"version,omitempty"`
	URL         string   `json:"url,omitempty" jsonschema:"URL in the card"`
	Methods     []string `json:"methods,omitempty" jsonschema:"methods in the card"`
	Contact     string   `json:"contact,omitempty"`
	Notes       []string `json:"notes,omitempty" jsonschema:"differences between the card and the known settings"`
}

const (
	maxCardLength = 256 << 10
	maxMethods    = 200
)

// cardPaths are the well-known paths of agent cards: in the CSTP design, and in A2A.
var cardPaths = []string{"/.well-known/agent.json", "/.well-known/agent-card.json"}

// Card reads an agent's card. Cards are public, so no token is sent. It returns not_found if there is none, and the
// errors of Call.
func (c *Client) Card(ctx context.Context, a Agent) (Card, error) {
	for _, path := range cardPaths {
		text, err := c.inTime(ctx, a, func(ctx context.Context) ([]byte, error) { return c.page(ctx, a, path) })
		if apperr.Is(err, apperr.NotFound) {
			continue
		}
		if err != nil {
			return Card{}, err
		}
		return cardOf(a, text)
	}
	return Card{}, apperr.Newf(apperr.NotFound, "'%s' publishes no agent card", a.Name).
		WithHint("It may support CSTP without one: %s", a.URL)
}

func (c *Client) page(ctx context.Context, a Agent, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL+path, nil)
	if err != nil {
		return nil, retry.Stop(invalidAnswer(a).Because(err))
	}
	r.Header.Set("Accept", "application/json")
	status, _, text, err := c.send(r, maxCardLength)
	switch {
	case err != nil:
		return nil, unreachableError(ctx, a, err)
	case status == http.StatusBadGateway || status == http.StatusServiceUnavailable ||
		status == http.StatusTooManyRequests:
		return nil, httpStatusError(a, status)
	case status != http.StatusOK:
		return nil, retry.Stop(notCSTP(a, status))
	case len(text) > maxCardLength || !json.Valid(text):
		return nil, retry.Stop(apperr.Newf(apperr.NotFound, "The agent card of '%s' is invalid", a.Name).
			WithHint("Tell the operator of that server")) // the server may still support CSTP
	}
	return text, nil
}

func cardOf(a Agent, text []byte) (Card, error) {
	var document struct {
		Name, Description, Version, URL, Contact string
		Capabilities                             struct {
			CSTP struct{ Methods []string }
		}
		SupportedInterfaces []struct{ URL string } // A2A 1.0
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return Card{}, apperr.Newf(apperr.NotFound, "The agent card of '%s' is invalid", a.Name).
			WithHint("Tell the operator of that server")
	}
	clean := func(text string) string { return render.Cut(render.OneLine(text), maxRemoteText) }
	card := Card{Name: clean(document.Name), Description: clean(document.Description), Version: clean(document.Version),
		URL: clean(document.URL), Contact: clean(document.Contact)}
	if card.URL == "" && len(document.SupportedInterfaces) > 0 {
		card.URL = clean(document.SupportedInterfaces[0].URL)
	}
	for _, method := range document.Capabilities.CSTP.Methods[:min(len(document.Capabilities.CSTP.Methods),
		maxMethods)] {
		card.Methods = append(card.Methods, clean(method))
	}
	if at, err := Address(card.URL); card.URL != "" && (err != nil || at != a.URL) {
		card.Notes = append(card.Notes, "Its card names another address. Nomograph still asks it at "+a.URL+
			", because a card can name any address")
	}
	return card, nil
}
