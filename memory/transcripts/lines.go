package transcripts

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	bounds "nomograph/internal/document"
	"nomograph/memory/turns"
)

// line is a line of a JSON lines file: of a Claude Code session, a Cursor transcript, or another format.
type line struct {
	document
	kind string // its type
}

// lineOf parses a line; ok is false if it is not a JSON object. json.Valid limits the depth.
func lineOf(raw []byte) (l line, ok bool) {
	if raw[0] != '{' || !json.Valid(raw) {
		return line{}, false
	}
	l.document = document{gjson.ParseBytes(raw)}
	l.kind = l.text("type")
	return l, true
}

// lines reads JSON lines. An incomplete last line is still being written and is not reported.
func (r *reading) lines(in *bufio.Reader) error {
	if err := r.findVersions(); err != nil {
		return err
	}
	g := &generic{r: r, first: map[*Conversation]string{}}
	err := eachLine(in, func(number int, raw []byte, complete bool) {
		if r.stopped {
			return
		}
		raw, err := bounds.Decode(bytes.TrimSpace(raw))
		if err != nil {
			r.problem(r.place(number), reasonOf(err))
			return
		}
		if tooDeep(raw) {
			r.problem(r.place(number), fmt.Sprintf("the line is nested more than %d levels deep", deepest))
			return
		}
		l, ok := lineOf(raw)
		if !ok {
			if complete {
				r.problem(r.place(number), "the line is not a JSON object")
			}
			return
		}
		if r.native == nil {
			r.native = r.nativeReader(l)
		}
		for _, one := range recordsOf(raw) {
			k := keysOf(one)
			if one = r.newest(k.id, one); one != nil {
				r.inOrder(record{k, one, number}, g)
			}
		}
	}, func(number int) {
		r.problem(r.place(number), "the line is longer than 32 MB, and was left out")
	})
	waiting := slices.Concat(slices.Collect(maps.Values(r.versions.waiting))...) // they answer each other
	slices.SortFunc(waiting, func(a, b record) int { return a.number - b.number })
	for _, one := range waiting {
		r.record(one, g)
	}
	return err
}

// inOrder reads a record, and those that wait for it. A record that answers a later one waits.
func (r *reading) inOrder(one record, g *generic) {
	v := r.versions
	if v.last[one.parent] != 0 && !v.read[one.parent] && one.parent != one.id {
		one.raw = bytes.Clone(one.raw)
		v.waiting[one.parent] = append(v.waiting[one.parent], one)
		return
	}
	for next := []record{one}; len(next) > 0; {
		one = next[0]
		r.record(one, g)
		v.read[one.id] = true
		next = append(v.waiting[one.id], next[1:]...)
		delete(v.waiting, one.id)
	}
}

// record reads one record.
func (r *reading) record(one record, g *generic) {
	l, _ := lineOf(one.raw)
	r.begins, r.id = true, one.id
	message := l.Get("message")
	switch {
	case r.native != nil:
		r.native(l)
	case l.kind != "" && l.text("sessionId") != "":
		r.claude(l)
	case l.kind == "summary" || l.kind == "file-history-snapshot": // metadata of a session that is not in this file
		r.skip(l.kind)
	case message.IsObject() && l.text("role") != "":
		r.cursorLine(l)
	case l.kind == "turn_ended":
		r.skip(l.kind)
	case g.message(l.Map()):
	case l.hasSpeaker(): // a whole conversation in one line
		r.document(l.document, r.place(one.number))
	default:
		r.problem(r.place(one.number), "it names no speakers")
	}
}

// recordsOf returns the records of a line: the messages in an update, or the line itself.
func recordsOf(raw []byte) [][]byte {
	var all [][]byte
	for _, path := range []string{"$set.messages", "$set.message", "$push.messages", "$push.message",
		"$push.messages.$each"} {
		messages := gjson.GetBytes(raw, path)
		for _, m := range messages.Array() { // one object counts as a list
			if m.IsObject() && !m.Get("$each").Exists() {
				all = append(all, []byte(m.Raw))
			}
		}
	}
	if all == nil {
		return [][]byte{raw}
	}
	return all
}

// record is a record of a line.
type record struct {
	keys
	raw    []byte
	number int // of the line
}

// keys are the fields that relate a record to others.
type keys struct {
	id, parent string // "" for none; ids of calls and sessions are not ids of records
	speaks     string // type and role
	session    string
	at         time.Time
}

func keysOf(raw []byte) (k keys) {
	texts := map[string]string{}
	gjson.ParseBytes(raw).ForEach(func(key, value gjson.Result) bool {
		if value.Type == gjson.String {
			texts[key.Str] = value.Str
		}
		if slices.Contains(times, key.Str) && k.at.IsZero() {
			k.at = stamp(value.Value())
		}
		return true
	})
	k.speaks = texts["type"] + " " + texts["role"]
	for _, name := range sessions {
		k.session = cmp.Or(k.session, texts[name])
	}
	for _, name := range []string{"uuid", "id"} {
		if texts[name] == "" {
			continue
		}
		k.id = name + " " + texts[name]
		if parent := cmp.Or(texts["parentUuid"], texts["parentId"], texts["parent_id"]); parent != "" {
			k.parent = name + " " + parent
		}
		break
	}
	return k
}

// versions are the records of a file that come again with the same id: a client streams a record and writes it again
// when it is complete, or writes earlier records again when it resumes a session.
type versions struct {
	last map[string]uint64 // hash of the newest version of each record
	text map[string][]byte // newest version of the records that changed
	// records whose newest version was found, at the place of the first one; true if it was read
	read    map[string]bool
	speaks  map[string]string   // type and role of each record
	waiting map[string][]record // records by the record that they answer
}

// findVersions reads the file for records that come again, and for times that are out of order. It stores only records
// that changed.
func (r *reading) findVersions() error {
	r.versions = versions{map[string]uint64{}, map[string][]byte{}, map[string]bool{}, map[string]string{},
		map[string][]record{}}
	seed := maphash.MakeSeed()
	linked, late, last := false, false, map[string]time.Time{}
	version := func(raw []byte) {
		k := keysOf(raw)
		before, again := r.versions.last[k.id]
		if linked = linked || k.parent != ""; !again && !k.at.IsZero() {
			late, last[k.session] = late || k.at.Before(last[k.session]), k.at
		}
		hash := maphash.Bytes(seed, raw)
		switch {
		case k.id == "":
		case !again:
			r.versions.last[k.id], r.versions.speaks[k.id] = hash, k.speaks
		case before == 0 || r.versions.speaks[k.id] != k.speaks: // records of several speakers share the id, so it is that of their conversation
			r.versions.last[k.id] = 0
			delete(r.versions.text, k.id)
		case before != hash:
			r.versions.last[k.id], r.versions.text[k.id] = hash, bytes.Clone(raw)
		}
	}
	err := eachLine(bufio.NewReaderSize(r.whole(), maxSniffLength), func(number int, raw []byte, _ bool) {
		if raw, err := bounds.Decode(bytes.TrimSpace(raw)); err == nil && isObject(raw) && !tooDeep(raw) {
			if r.native == nil && number <= maxHeadLines {
				l, _ := lineOf(raw)
				r.native = r.sessionReader(l)
			}
			for _, one := range recordsOf(raw) {
				version(one)
			}
		}
	}, func(int) {})
	r.late = late && !linked && r.file.Size <= maxDocumentLength
	return err
}

// newest returns the newest version of a record where its first one was, and nil for the others.
func (r *reading) newest(id string, raw []byte) []byte {
	if r.versions.last[id] == 0 { // appended meanwhile, or the id of a conversation
		return raw
	}
	if _, again := r.versions.read[id]; again {
		return nil
	}
	r.versions.read[id] = false
	if newer := r.versions.text[id]; newer != nil {
		delete(r.versions.text, id)
		return newer
	}
	return raw
}

// claude reads a line of Claude Code. The lines of a subagent form a separate conversation.
func (r *reading) claude(l line) {
	id, parent := l.text("sessionId"), ""
	if agent := l.text("agentId"); agent != "" || l.Get("isSidechain").Bool() {
		id, parent = id+"/"+cmp.Or(agent, "sidechain"), id
	}
	c := r.conversation(ClaudeCode, id)
	c.Parent, c.Folder, c.Agent = parent, cmp.Or(c.Folder, l.text("cwd")), "claude-code"
	switch l.kind {
	case "custom-title", "ai-title", "summary":
		c.Title = cmp.Or(l.text("customTitle", "aiTitle", "summary"), c.Title)
		return
	case "user", "assistant":
	default:
		r.skip(l.kind)
		return
	}
	if l.Get("isMeta").Bool() || !l.Get("message").IsObject() {
		r.skip("meta")
		return
	}
	if r.file.Called != nil {
		r.calls(c, l)
	}
	m := said(l.kind == "user", r.stamp(l.Get("timestamp").Value()))
	if l.Get("isCompactSummary").Bool() {
		m.Speaker, m.Asks, m.Summary = "Summary", false, true
	}
	r.yieldBlocks(c, m, l.Get("message.content"))
}

// said returns a message of the user, who asks, or of the assistant.
func said(asks bool, at time.Time) turns.Message {
	if asks {
		return turns.Message{Speaker: "User", Asks: true, At: at}
	}
	return turns.Message{Speaker: "Assistant", At: at}
}

// cursorLine reads a line of a Cursor agent transcript. The file name is the id of the conversation. The folder above
// is the path of the project, with all characters except letters and digits replaced.
func (r *reading) cursorLine(l line) {
	role := l.text("role")
	if roles[role] == "system" {
		r.skip(role + " message")
		return
	}
	c := r.conversation(Cursor, r.stem())
	if before, _, ok := strings.Cut(filepath.ToSlash(r.file.Path), "/agent-transcripts/"); ok {
		c.Project = filepath.Base(before)
	}
	c.Agent = "cursor"
	r.yieldBlocks(c, said(role == "user", r.stamp(l.Get("timestamp").Value())), l.Get("message.content"))
}
