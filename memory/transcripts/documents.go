package transcripts

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	bounds "nomograph/internal/document"
	"nomograph/memory/turns"
)

// document is a conversation stored as a JSON object: a message tree as in ChatGPT's export, or a list of messages as in
// Cursor's.
type document struct {
	ID             string          `json:"id"`
	ConversationID string          `json:"conversation_id"`
	ComposerID     string          `json:"composerId"`
	UUID           string          `json:"uuid"`
	Title          string          `json:"title"`
	Name           string          `json:"name"`
	Project        string          `json:"project"`
	CreateTime     any             `json:"create_time"`
	CreatedAt      any             `json:"createdAt"`
	Created        any             `json:"created_at"`
	Started        any             `json:"startTime"`
	Timestamp      any             `json:"timestamp"`
	Date           any             `json:"date"`
	CurrentNode    string          `json:"current_node"`
	SessionID      string          `json:"sessionId"`
	ProjectHash    string          `json:"projectHash"`
	WorkingDir     string          `json:"working_dir"`
	Mapping        map[string]node `json:"mapping"`

	Info         json.RawMessage `json:"info"`
	Conversation json.RawMessage `json:"conversation"`
	Messages     json.RawMessage `json:"messages"`
	Bubbles      json.RawMessage `json:"bubbles"`
	ChatMessages json.RawMessage `json:"chat_messages"`
	Tabs         []document      `json:"tabs"`
}

// node is a message in ChatGPT's tree.
type node struct {
	Parent   string   `json:"parent"`
	Children []string `json:"children"`
	Message  *struct {
		Author struct {
			Role string `json:"role"`
			Name string `json:"name"`
		} `json:"author"`
		CreateTime any             `json:"create_time"`
		Recipient  string          `json:"recipient"`
		Content    json.RawMessage `json:"content"`
		Metadata   struct {
			Hidden bool `json:"is_visually_hidden_from_conversation"`
		} `json:"metadata"`
	} `json:"message"`
}

// documents reads a conversation object, or a list of them. Each object is read into memory as a whole. Objects that are
// too long, too deep or malformed are skipped and reported.
func (r *reading) documents(in *bufio.Reader) error {
	first, err := nextByte(in)
	switch {
	case err != nil:
		return errors.New("invalid JSON: " + reason(err))
	case first == '{':
		return r.value(in, r.file.Path)
	case first != '[':
		return errors.New("not a conversation")
	}
	_, _ = in.Discard(1)
	for number := 1; !r.stopped; number++ {
		place := fmt.Sprintf("%s, conversation %d", r.file.Path, number)
		next, err := nextByte(in)
		switch {
		case err != nil:
			return fmt.Errorf("the file is truncated before conversation %d", number)
		case next == ']':
			return nil
		case next == ',' && number > 1:
			_, _ = in.Discard(1)
			if next, err = nextByte(in); err != nil {
				return fmt.Errorf("the file is truncated before conversation %d", number)
			}
		case number > 1:
			return fmt.Errorf("cannot read conversation %d and those after it: missing comma", number)
		}
		if next != '{' {
			return fmt.Errorf("cannot read conversation %d and those after it: not an object", number)
		}
		if err := r.value(in, place); err != nil {
			return fmt.Errorf("cannot read conversation %d and those after it: %w", number, err)
		}
	}
	return nil
}

// value reads one conversation. An error ends the reading.
func (r *reading) value(in *bufio.Reader, place string) error {
	raw, err := nextValue(in)
	var refused errRefused
	if errors.As(err, &refused) {
		r.problem(place, refused.why)
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := bounds.Decode(raw); err != nil {
		r.problem(place, reasonOf(err))
		return nil
	}
	var d document
	if err := json.Unmarshal(raw, &d); err != nil && !d.hasSpeaker() {
		r.problem(place, "not a conversation: "+err.Error())
		return nil
	}
	r.document(d, place)
	return nil
}

func (d document) hasSpeaker() bool {
	return len(d.Mapping)+len(d.Conversation)+len(d.Messages)+len(d.Bubbles)+len(d.ChatMessages)+len(d.Tabs) > 0
}

func (r *reading) document(d document, place string) {
	defer func(late bool) { r.late = late }(r.late)
	r.late = len(d.Mapping) == 0
	switch {
	case len(d.Tabs) > 0:
		for i, tab := range d.Tabs {
			r.document(tab, fmt.Sprintf("%s, tab %d", place, i+1))
		}
	case len(d.Mapping) > 0:
		r.tree(d, place)
	case d.SessionID != "" && d.ProjectHash != "":
		r.geminiDocument(d)
	case d.WorkingDir != "" && d.ID != "" && len(d.Conversation) > 0:
		r.gooseDocument(d)
	case gjson.GetBytes(d.Messages, "0.parts").IsArray() && gjson.GetBytes(d.Info, "id").Str != "":
		r.openCodeDocument(d)
	case d.hasSpeaker():
		r.list(d, place)
	default:
		r.problem(place, "it names no speakers")
	}
}

// tree reads the branch of ChatGPT's tree that was displayed last.
func (r *reading) tree(d document, place string) {
	at := d.CurrentNode
	if _, ok := d.Mapping[at]; !ok {
		at = d.newest()
	}
	var branch []node
	for seen := map[string]bool{}; at != "" && !seen[at]; {
		seen[at] = true
		n := d.Mapping[at]
		branch = append(branch, n)
		at = n.Parent
	}
	slices.Reverse(branch)
	id := cmp.Or(d.ConversationID, d.ID)
	if id == "" {
		r.problem(place, "the conversation has no id")
		return
	}
	c := r.conversation(ChatGPT, clean(id))
	c.Title, c.Agent = clean(d.Title), "chatgpt"
	last := stamp(d.CreateTime)
	for _, n := range branch {
		if n.Message == nil || n.Message.Metadata.Hidden || roles[n.Message.Author.Role] == "system" {
			if n.Message != nil {
				r.skip("hidden " + n.Message.Author.Role + " message")
			}
			continue
		}
		if at := r.stamp(n.Message.CreateTime); !at.IsZero() {
			last = at
		}
		m := turns.Message{Speaker: "Assistant", At: last}
		switch role := n.Message.Author.Role; {
		case role == "user":
			m.Speaker, m.Asks = "User", true
		case role == "tool":
			if out := turns.ShortenOutput(textOf(gjson.ParseBytes(n.Message.Content))); out != "" {
				r.yieldMessage(c, turns.Message{Act: true, At: last, Text: "-> " + clean(out)})
			}
			continue
		case n.Message.Recipient != "" && n.Message.Recipient != "all":
			if text := textOf(gjson.ParseBytes(n.Message.Content)); text != "" {
				r.yieldMessage(c, turns.Message{Act: true, At: last, Text: "[" + clean(n.Message.Recipient) + "] " + clean(turns.ToolInput(text))})
			}
			continue
		}
		text := textOf(gjson.ParseBytes(n.Message.Content))
		if text == "" {
			r.skip(noText)
			continue
		}
		m.Text = turns.ShortenCode(clean(text))
		r.yieldMessage(c, m)
	}
	r.endConversation(c)
}

// newest returns the id of the leaf with the latest time.
func (d document) newest() (id string) {
	var last time.Time
	for name, n := range d.Mapping {
		if len(n.Children) > 0 || n.Message == nil {
			continue
		}
		if at := stamp(n.Message.CreateTime); id == "" || at.After(last) || at.Equal(last) && name > id {
			id, last = name, at
		}
	}
	return id
}

// list reads a conversation whose messages are a list.
func (r *reading) list(d document, place string) {
	source := JSON
	if d.ComposerID != "" || len(d.Bubbles) > 0 {
		source = Cursor
	}
	var messages []map[string]json.RawMessage
	for _, raw := range []json.RawMessage{d.Messages, d.Conversation, d.Bubbles, d.ChatMessages} {
		if json.Unmarshal(raw, &messages) == nil && len(messages) > 0 {
			break
		}
	}
	title := clean(cmp.Or(d.Title, d.Name))
	id := cmp.Or(d.ComposerID, d.ConversationID, d.ID, d.UUID)
	for _, fields := range messages { // the same instructions precede many conversations
		if _, role := speakerOf(unwrapped(fields)); id == "" && role != "system" {
			first, _ := contentOf(gjson.ParseBytes(pick(fields, words)))
			id = contentID(title, first)
		}
	}
	if id == "" {
		r.problem(place, "it names no speakers")
		return
	}
	c := r.conversation(source, clean(id))
	c.Title, c.Project = title, clean(d.Project)
	if source == Cursor {
		c.Agent = "cursor"
	}
	began := cmp.Or(stamp(d.CreatedAt), stamp(d.CreateTime), stamp(d.Created), stamp(d.Started), stamp(d.Timestamp), stamp(d.Date))
	if !began.IsZero() {
		r.said[c] = began
	}
	g := generic{r: r, first: map[*Conversation]string{}, under: c}
	for i, fields := range messages {
		r.begins = true
		for _, name := range sessions { // the document, not the message, identifies the conversation
			delete(fields, name)
		}
		if !g.message(fields) {
			r.problem(fmt.Sprintf("%s, message %d", place, i+1), "it names no speakers")
		}
	}
	r.endConversation(c)
}
