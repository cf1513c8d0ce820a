package memory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/internal/render"
	"nomograph/memory/turns"
)

const (
	maxDeliberationLength = 2000             // bytes of events after which a turn ends, even without a decision
	maxLineLength         = 4000             // bytes of one event
	turnPause             = 30 * time.Minute // a longer pause starts a new turn
)

// turnsOf groups the events of a session into turns. A decision, a review, a report of an action or the end of the
// session ends a turn. The number of a turn is the seq of its first event.
func turnsOf(events []event) (all []turns.Turn) {
	var t turns.Turn
	var text strings.Builder
	end := func() {
		if t.Text = strings.TrimSpace(text.String()); t.Text != "" {
			all = append(all, t)
		}
		t = turns.Turn{}
		text.Reset()
	}
	for _, e := range events {
		seq, ok := e.Seq.(int64)
		at, timed := e.At.(time.Time)
		kind, _ := e.Type.(string)
		written, _ := e.Payload.(string)
		var payload map[string]any
		if !ok || !timed || json.Unmarshal([]byte(written), &payload) != nil { // not written by Nomograph, or forgotten
			continue
		}
		line := render.Cut(strings.ToValidUTF8(lineOf(kind, payload), ""), maxLineLength)
		if line == "" {
			continue
		}
		if text.Len() > 0 && (at.Sub(t.EndsAt) > turnPause || text.Len() > maxDeliberationLength) {
			end()
		}
		if text.Len() == 0 {
			t.Number, t.At = seq, at.UTC()
		} else {
			text.WriteString("\n")
		}
		text.WriteString(line)
		t.Through, t.EndsAt = seq, at.UTC()
		for _, name := range []string{"uid", "source_uid", "target_uid"} {
			if uid := textOf(payload, name); uid != "" && kind != "lookup" && !slices.Contains(t.Links, uid) {
				t.Links = append(t.Links, uid)
			}
		}
		if kind == "decision" || kind == "review" || kind == "action.reported" || kind == "session.ended" {
			end()
		}
	}
	end()
	return all
}

// lineOf describes an event in a few lines. It returns "" for events that are not stored in memory.
func lineOf(kind string, p map[string]any) string {
	switch kind {
	case "input":
		return join("Input: ", textOf(p, "text"))
	case "thought", "step":
		return join("Thought: ", cmp.Or(textOf(p, "thought"), textOf(p, "text"))) +
			join("\nConclusion: ", textOf(p, "conclusion"))
	case "query":
		return join("Asked for precedents: ", cmp.Or(textOf(p, "query"), textOf(p, "text")))
	case "stats", "lookup", "tool.executed", "forgotten": // reads of data that is stored elsewhere, and calls
		return ""
	case "check":
		return join("Asked whether allowed: ", cmp.Or(textOf(p, "description"), textOf(p, "text"))) + verdict(p)
	case "decision":
		return join(fmt.Sprintf("Decided (%s): ", textOf(p, "id")), render.Title(textOf(p, "decision"))) + sure(p)
	case "update":
		return join(fmt.Sprintf("Changed decision %s: ", textOf(p, "id")), textOf(p, "decision")) + join("; why: ",
			textOf(p, "why"))
	case "review":
		return join(fmt.Sprintf("Reviewed decision %s: ", textOf(p, "id")), textOf(p, "decision")) + join("; outcome: ",
			textOf(p, "outcome")) +
			join(". ", textOf(p, "actual_result")) + join(" Lessons: ", textOf(p, "lessons")) + join(" ",
			textOf(p, "notes"))
	case "link":
		return fmt.Sprintf("Linked decision %s: %s %s", textOf(p, "source_id"), textOf(p, "edge_type"),
			textOf(p, "target_id")) + join(" (", textOf(p, "context"), ")")
	case "session.started":
		return join("Goal: ", textOf(p, "goal"))
	case "session.ended":
		return join("Ended: ", textOf(p, "summary"))
	case "context.given":
		return join("Needed: ", textOf(p, "need")) + join("; was given ", names(p["contexts"], "context_id"))
	case "action.reported":
		verb := map[string]string{"denied": "Denied: ", "needs_approval": "Asked to do: "}[textOf(p, "decision")]
		return join(cmp.Or(verb, "Did: "), textOf(p, "action")) + join(" because ", textOf(p, "reason")) + join("; ",
			textOf(p, "decision"))
	case "feedback":
		helped := map[bool]string{true: "helped", false: "did not help"}[p["helpful"] == true]
		return fmt.Sprintf("Context %s %s", textOf(p, "context_id"), helped) + join(": ", textOf(p, "reason"))
	}
	return join(kind+": ", describeUnknown(p))
}

func verdict(p map[string]any) string {
	switch p["allowed"] {
	case true:
		return "; allowed"
	case false:
		return "; denied" + join(" by ", names(p["violations"], "name"))
	}
	return ""
}

func sure(p map[string]any) string {
	var parts []string
	if confidence, ok := p["confidence"].(float64); ok {
		parts = append(parts, fmt.Sprintf("confidence %.2g", confidence))
	}
	for _, name := range []string{"category", "stakes"} {
		if value := textOf(p, name); value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	return join(" (", strings.Join(parts, ", "), ")")
}

// textOf returns a text field of a payload, or "".
func textOf(p map[string]any, name string) string {
	text, _ := p[name].(string)
	return strings.TrimSpace(text)
}

// join returns before, text and after concatenated, or "" if text is empty.
func join(before, text string, after ...string) string {
	if text == "" {
		return ""
	}
	return before + text + strings.Join(after, "")
}

// names joins the texts in a list, or the given field of its objects.
func names(value any, field string) string {
	list, _ := value.([]any)
	var all []string
	for _, item := range list {
		switch v := item.(type) {
		case string:
			all = append(all, v)
		case map[string]any:
			all = append(all, textOf(v, field))
		}
	}
	return strings.Join(all, ", ")
}

// describeUnknown describes a payload of an unknown event type.
func describeUnknown(p map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		switch v := p[name].(type) {
		case string:
			parts = append(parts, join(name+" ", strings.TrimSpace(v)))
		case float64, bool:
			parts = append(parts, fmt.Sprintf("%s %v", name, v))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}
