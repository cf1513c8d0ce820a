package webhooks

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/goccy/go-yaml"

	"nomograph/events"
	"nomograph/internal/render"
	"nomograph/policies/circuit"
	"nomograph/policies/history"
)

// message is what templates of messages and formats read.
type message struct {
	*events.Event
	Breaker *circuit.State // of breaker.opened
	Name    string         // of the webhook

	ID, Type    string
	At          time.Time
	Title, Text string
	Link        string // page where a person can act; "" without the address of the site
	Urgent      bool
	Topic       string // last part of the address, for ntfy
	Data        any    // event as JSON
}

// wording is how people read an event type.
type wording struct {
	Title, Text, Link *template.Template
	Urgent            bool
}

var (
	//go:embed messages.yaml
	wordingsFile []byte
	//go:embed formats
	formatFiles embed.FS
)

const maxText = 1000 // characters of a title or a text, as chats show

// functions are the functions of templates.
var functions = template.FuncMap{
	"json": func(v any) (string, error) {
		text, err := render.JSON(v)
		return string(text), err
	},
	"join": func(list any) string { return strings.Trim(inWords(list), "[]") },
	"time": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"changes": func(changed map[string]history.Difference) string {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(changed)) {
			parts = append(parts, name+" "+inWords(changed[name].From)+" -> "+inWords(changed[name].To))
		}
		return strings.Join(parts, "; ")
	},
	"mrkdwn": strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace,
}

// inWords returns a value of the graph on one line.
func inWords(v any) string {
	text, err := render.JSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// wordings are the texts of messages.yaml by event type.
var wordings = sync.OnceValue(func() map[string]wording {
	var file map[string]struct {
		Title, Text, Link string
		Urgent            bool
	}
	if err := yaml.Unmarshal(wordingsFile, &file); err != nil { // the file is embedded, and the tests read it
		panic(err)
	}
	parsed := map[string]wording{}
	part := func(text string) *template.Template {
		return template.Must(template.New("").Funcs(functions).Option("missingkey=error").Parse(text))
	}
	for name, of := range file {
		parsed[name] = wording{part(of.Title), part(of.Text), part(of.Link), of.Urgent}
	}
	return parsed
})

// templateOf returns the template of a format: an embedded one, or a file.
func templateOf(format string) (*template.Template, error) {
	text, err := formatFiles.ReadFile("formats/" + format + ".tmpl")
	if filepath.IsAbs(format) {
		text, err = os.ReadFile(format)
	}
	if err != nil {
		return nil, err
	}
	return template.New("").Funcs(functions).Option("missingkey=error").Parse(string(text))
}

// body returns the text that is sent for a message, in a format.
func (t *target) body(m message, site, format string) ([]byte, error) {
	said, found := wordings()[m.Type]
	m.Name, m.Title = t.Name, m.Type
	if found {
		var err error
		text := func(of *template.Template) string {
			var out strings.Builder
			if failed := of.Execute(&out, m); failed != nil {
				err = failed
			}
			return render.Cut(render.OneLine(out.String()), maxText)
		}
		m.Title, m.Text, m.Link, m.Urgent = text(said.Title), text(said.Text), text(said.Link), said.Urgent
		if err != nil {
			return nil, err
		}
	} else if of := slices.IndexFunc(events.Types(), func(of events.Type) bool { return of.Name == m.Type }); of >= 0 {
		m.Title = events.Types()[of].Use
	}
	if m.Link != "" {
		m.Link = site + m.Link
	}
	if site == "" {
		m.Link = ""
	}
	if address, err := url.Parse(t.url); err == nil {
		m.Topic = address.Path[strings.LastIndex(address.Path, "/")+1:]
	}
	form, err := templateOf(format)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = form.Execute(&out, m)
	return bytes.TrimSpace(out.Bytes()), err
}

// messageOf returns the message of an event for the webhook, and whether the webhook asks for it.
func (t *target) messageOf(e *events.Event) (message, bool) {
	m := message{Event: e, ID: e.ID, Type: e.Type, At: e.At}
	if text, err := e.JSON(); err == nil {
		m.Data = json.RawMessage(text)
	}
	if e.Change != nil && e.Type == events.PolicyChanged && strings.HasPrefix(e.Change.Name, "frozen-") &&
		t.names(agentFrozen) {
		m.Type = agentFrozen
	}
	return m, t.names(m.Type)
}

// breakerMessage is the message of an open circuit breaker.
func breakerMessage(s circuit.State) message {
	m := message{Breaker: &s, ID: breakerKey(s), Type: breakerOpened, Data: s}
	if s.OpenedAt != nil {
		m.At = *s.OpenedAt
	}
	return m
}

// breakerKey identifies one opening of a circuit breaker.
func breakerKey(s circuit.State) string {
	if s.OpenedAt == nil {
		return s.Policy
	}
	return s.Policy + "/" + s.OpenedAt.UTC().Format(time.RFC3339Nano)
}

// deliveryID is the id of a message at the receiver, the same for each attempt.
func (t *target) deliveryID(m message) string {
	sum := sha256.Sum256([]byte(t.Name + "\n" + m.ID))
	return "msg_" + hex.EncodeToString(sum[:16])
}
