package transcripts

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	bounds "nomograph/internal/document"
	"nomograph/memory/turns"
)

// document is a conversation stored as a JSON object: a message tree as in ChatGPT's export, or a list of messages as
// in Cursor's.
type document struct{ gjson.Result }

// text returns a clean copy of the first text with one of the names, which does not keep the document in memory.
func (d document) text(names ...string) string {
	for _, name := range names {
		if value := d.Get(name); value.Type == gjson.String && value.Str != "" {
			return strings.Clone(clean(value.Str))
		}
	}
	return ""
}

// lists are the fields that hold the messages of a conversation.
var lists = []string{"messages", "conversation", "bubbles", "chat_messages"}

// documents reads a conversation object, or a list of them. Each object is read into memory as a whole. Objects that
// are too long, too deep or malformed are skipped and reported.
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
	raw, refused, err := nextValue(in)
	switch {
	case err != nil:
		return err
	case refused != "":
		r.problem(place, refused)
		return nil
	}
	if _, err := bounds.Decode(raw); err != nil {
		r.problem(place, reasonOf(err))
		return nil
	}
	if err := json.Unmarshal(raw, new(json.RawMessage)); err != nil {
		r.problem(place, "not a conversation: "+err.Error())
		return nil //nolint:nilerr // a problem of one document does not end the import
	}
	r.document(document{gjson.ParseBytes(raw)}, place)
	return nil
}

func (d document) hasSpeaker() bool {
	return len(d.Get("mapping").Map())+len(d.Get("tabs").Array()) > 0 ||
		slices.ContainsFunc(lists, func(name string) bool { return d.Get(name).Exists() })
}

func (r *reading) document(d document, place string) {
	mapping := d.Get("mapping").Map()
	defer func(late bool) { r.late = late }(r.late)
	r.late = len(mapping) == 0
	switch tabs := d.Get("tabs").Array(); {
	case len(tabs) > 0:
		for i, tab := range tabs {
			r.document(document{tab}, fmt.Sprintf("%s, tab %d", place, i+1))
		}
	case len(mapping) > 0:
		r.tree(d, mapping, place)
	case d.text("sessionId") != "" && d.text("projectHash") != "":
		r.geminiDocument(d)
	case d.text("working_dir") != "" && d.text("id") != "" && d.Get("conversation").Exists():
		r.gooseDocument(d)
	case d.Get("messages.0.parts").IsArray() && d.text("info.id") != "":
		r.openCodeDocument(d)
	case d.hasSpeaker():
		r.list(d, place)
	default:
		r.problem(place, "it names no speakers")
	}
}

// tree reads the branch of ChatGPT's tree that was displayed last.
func (r *reading) tree(d document, nodes map[string]gjson.Result, place string) {
	at := d.text("current_node")
	if !nodes[at].Exists() {
		at = newestLeaf(nodes)
	}
	var branch []gjson.Result // messages
	for seen := map[string]bool{}; at != "" && !seen[at]; {
		seen[at] = true
		branch = append(branch, nodes[at].Get("message"))
		at = nodes[at].Get("parent").Str
	}
	slices.Reverse(branch)
	id := d.text("conversation_id", "id")
	if id == "" {
		r.problem(place, "the conversation has no id")
		return
	}
	c := r.conversation(ChatGPT, id)
	c.Title, c.Agent = d.text("title"), "chatgpt"
	last := stamp(d.Get("create_time").Value())
	for _, message := range branch {
		role := message.Get("author.role").Str
		if !message.IsObject() {
			continue
		}
		if message.Get("metadata.is_visually_hidden_from_conversation").Bool() || roles[role] == "system" {
			r.skip("hidden " + role + " message")
			continue
		}
		if at := r.stamp(message.Get("create_time").Value()); !at.IsZero() {
			last = at
		}
		text, recipient := textOf(message.Get("content")), message.Get("recipient").Str
		switch {
		case role == "tool":
			if out := turns.ShortenOutput(text); out != "" {
				r.yieldMessage(c, turns.Message{Act: true, At: last, Text: "-> " + clean(out)})
			}
			continue
		case recipient != "" && recipient != "all":
			if text != "" {
				r.yieldMessage(c, turns.Message{Act: true, At: last, Text: "[" + clean(recipient) + "] " +
					clean(turns.ToolInput(text))})
			}
			continue
		}
		if text == "" {
			r.skip(noText)
			continue
		}
		m := said(role == "user", last)
		m.Text = turns.ShortenCode(clean(text))
		r.yieldMessage(c, m)
	}
	r.endConversation(c)
}

// newestLeaf returns the id of the leaf with the latest time.
func newestLeaf(nodes map[string]gjson.Result) (id string) {
	var last time.Time
	for name, n := range nodes {
		if len(n.Get("children").Array()) > 0 || !n.Get("message").IsObject() {
			continue
		}
		if at := stamp(n.Get("message.create_time").Value()); id == "" || at.After(last) || at.Equal(last) &&
			name > id {
			id, last = name, at
		}
	}
	return id
}

// list reads a conversation whose messages are a list.
func (r *reading) list(d document, place string) {
	source := JSON
	if d.text("composerId") != "" || d.Get("bubbles").Exists() {
		source = Cursor
	}
	var messages []gjson.Result
	for _, name := range lists {
		if messages = d.Get(name).Array(); len(messages) > 0 {
			break
		}
	}
	title := d.text("title", "name")
	id := d.text("composerId", "conversation_id", "id", "uuid")
	for _, message := range messages { // the same instructions precede many conversations
		fields := message.Map()
		if _, role := speakerOf(unwrapped(fields)); id == "" && role != "system" {
			first, _ := contentOf(pick(fields, words))
			id = contentID(title, first)
		}
	}
	if id == "" {
		r.problem(place, "it names no speakers")
		return
	}
	c := r.conversation(source, id)
	c.Title, c.Project = title, d.text("project")
	if source == Cursor {
		c.Agent = "cursor"
	}
	for _, name := range []string{"createdAt", "create_time", "created_at", "startTime", "timestamp", "date"} {
		if began := stamp(d.Get(name).Value()); !began.IsZero() {
			r.said[c] = began
			break
		}
	}
	g := generic{r: r, first: map[*Conversation]string{}, under: c}
	for i, message := range messages {
		fields := message.Map()
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
