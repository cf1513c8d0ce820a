package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/pack"
)

func key(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(slices.Repeat([]byte{seed}, 32))
}

func public(k ed25519.PrivateKey) []ed25519.PublicKey {
	return []ed25519.PublicKey{k.Public().(ed25519.PublicKey)}
}

// digest is the hash of docs/concepts/trace.md, written a second time.
func digest(fields ...string) string {
	var form strings.Builder
	for _, field := range fields {
		fmt.Fprintf(&form, "%d:%s,", len(field), field)
	}
	sum := sha256.Sum256([]byte(form.String()))
	return hex.EncodeToString(sum[:])
}

// session returns a session record with these events: type and payload in turn.
func session(name string, schema int, events ...string) map[string]any {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	uid, stamp := "uid-"+name, func(n int) string {
		return at.Add(time.Duration(n) * time.Microsecond).Format(time.RFC3339Nano)
	}
	head := digest("nomograph.session.1", uid, name, "ada", "acme/shop", stamp(0))
	chain := []any{}
	for i := 0; i < len(events); i += 2 {
		seq := fmt.Sprint(i / 2)
		e := map[string]any{"session": uid, "seq": i / 2, "type": events[i], "at": stamp(i), "agent": "Ada",
			"uid": uid + "-" + seq, "prev_hash": head}
		fields := []string{"nomograph.event.1", uid, seq, events[i], stamp(i), "Ada", events[i+1], head}
		if schema == 2 {
			fields, e["schema"] = append(fields, uid+"-"+seq), 2
			fields[0] = "nomograph.event.2"
		}
		if head = digest(fields...); strings.HasPrefix(events[i+1], "-") {
			e["forgotten"] = true
		} else {
			e["payload"] = json.RawMessage(events[i+1])
		}
		e["hash"] = head
		chain = append(chain, e)
	}
	return map[string]any{"uid": uid, "session_id": name, "agent_id": "ada", "workspace": "acme/shop", "ambient": false,
		"started_at": stamp(0), "last_at": stamp(9999), "events": len(events) / 2, "head": head, "chain": chain}
}

// made returns a payload with these sessions, and one record or more of each other kind.
func made(t *testing.T, sessions ...map[string]any) []byte {
	t.Helper()
	rule, threshold := `{"links":[],"properties":{"name":"no-deploys"}}`, `{"links":[],"properties":{"value":3}}`
	versions := []string{policies.Hash(rule), policies.Hash(threshold)}
	revision := Revision{Versions: versions}
	revision.Hash = revision.computed()
	result := func(uid string, allowed bool) map[string]any {
		return map[string]any{"verdict_id": uid, "allowed": allowed, "revision": revision.Hash, "violations": []any{}}
	}
	b := Bundle{Format: form, CreatedBy: "ada", Heads: []Head{}, Absent: []string{}}
	for _, kind := range kinds {
		b.Sections = append(b.Sections, section{Kind: kind, Records: []entry{}})
	}
	add := func(kind string, record any) {
		if err := b.Sections[slices.Index(kinds, kind)].add(record); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range sessions {
		add("session", s)
		b.Heads = append(b.Heads, Head{s["uid"].(string), int64(s["events"].(int)), s["head"].(string)})
	}
	add("verdict", map[string]any{"uid": "v1", "allowed": false, "revision": revision.Hash,
		"results":  result("v1", false),
		"versions": []any{map[string]any{"version": versions[0], "result": "violated"}}, "decisions": []any{}})
	add("verdict", map[string]any{"uid": "v2", "allowed": true, "revision": revision.Hash,
		"results":  result("v2", true),
		"versions": []any{}, "decisions": []any{"d1"}})
	add("decision", map[string]any{"uid": "d1", "id": "0000000d", "decision": "Use Postgres",
		"category": "architecture",
		"stakes":   "high", "confidence": 0.8, "revisions": 0, "events": []any{sessions[0]["uid"].(string) + "-0"}})
	add("review", map[string]any{"uid": "r1", "decision": "d1", "number": 1, "outcome": "failure", "in_force": false})
	add("review", map[string]any{"uid": "r2", "decision": "d1", "number": 2, "outcome": "success", "in_force": true})
	add("approval", map[string]any{"uid": "a1", "verdict": "v1", "versions": versions[:1], "state": "granted",
		"answered_by": "eve"})
	add("revision", revision)
	add("version", Version{Hash: versions[0], Of: "SYS_Policy", Name: "no-deploys", Content: rule})
	add("version", Version{Hash: versions[1], Of: "SYS_Threshold", Name: "lines_max", Content: threshold})
	b.Absent = check(b).absent()
	payload, err := exact(b)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// story are events that refer to all records of made, and to a verdict that is gone.
var story = []string{"thought", `{"text":"a"}`, "check", `{"verdict_id":"v1","allowed":false}`,
	"action.reported", `{"verdict_id":"v1","approval_id":"a1"}`,
	"decision", `{"uid":"d1","verdict_id":"v2","decision":"Use Postgres","category":"architecture","stakes":"high","confidence":0.8}`,
	"review", `{"uid":"d1","review_number":1,"outcome":"failure"}`, "review",
	`{"uid":"d1","review_number":2,"outcome":"success"}`,
	"check", `{"verdict_id":"gone","allowed":true}`, "thought", "-", "forgotten", `{"events":[[7,7]]}`}

// rechained recomputes the chains, counts and heads of the sections, as somebody with the key of the server can.
func rechained(payload []byte) []byte {
	for i := range gjson.GetBytes(payload, "sections.#").Int() {
		at, head := fmt.Sprintf("sections.%d.", i), ""
		records := gjson.GetBytes(payload, at+"records.#.record").Array()
		for n, record := range records {
			head = chained(gjson.GetBytes(payload, at+"kind").String(), head, []byte(record.Raw))
			payload, _ = sjson.SetBytes(payload, fmt.Sprintf("%srecords.%d.hash", at, n), head)
		}
		payload, _ = sjson.SetBytes(payload, at+"head", head)
		payload, _ = sjson.SetBytes(payload, at+"count", len(records))
	}
	return payload
}

func TestVerify_EveryForgery_IsFoundAndNamed(t *testing.T) {
	payload := made(t, session("one", 2, story...), session("two", 1, "thought", `{"text":"b"}`))
	sealed := func(payload []byte, k ed25519.PrivateKey) []byte {
		text, err := seal(payload, k)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	problems := func(text []byte) string {
		v, _, err := Verify(t.Context(), text, public(key(1)))
		if err != nil || v.Intact != (len(v.Problems) == 0) {
			t.Fatal(v, err)
		}
		var lines strings.Builder
		for _, p := range v.Problems {
			fmt.Fprintf(&lines, "%s %s: %s\n", p.Place, p.Problem, p.Message)
		}
		return lines.String()
	}
	honest := sealed(payload, key(1))
	if got := problems(honest); got != "" {
		t.Fatal("an honest bundle: ", got)
	}
	has := func(lines, want string) bool { // hashes in places may be left out
		at, problem := want[:strings.LastIndex(want, " ")], want[strings.LastIndex(want, " ")+1:]
		return slices.ContainsFunc(strings.Split(lines, "\n"), func(line string) bool {
			return strings.HasPrefix(line, at) && strings.Contains(line, " "+problem+":")
		})
	}
	for _, row := range golden.Rows(t, "testdata/forgeries.txt") {
		name, path, to, found, after := row[0], row[1], row[2], row[3], row[4]
		t.Run(name, func(t *testing.T) {
			if from, moved := strings.CutPrefix(to, "@"); moved {
				to = gjson.GetBytes(payload, from).Raw
			}
			forged, err := sjson.SetRawBytes(slices.Clone(payload), path, []byte(to))
			if to == "" {
				forged, err = sjson.DeleteBytes(slices.Clone(payload), path)
			}
			if err != nil || string(forged) == string(payload) {
				t.Fatal("nothing was changed: ", err)
			}
			e := envelope{PayloadType, forged, []signature{{pack.KeyText(public(key(1))[0]), nil}}}
			e.Signatures[0].Sig = ed25519.Sign(key(1), authenticated(PayloadType, payload))
			text, _ := json.Marshal(e)
			for how, text := range map[string][]byte{"signature_mismatch": text,
				"unknown_key": sealed(forged, key(2))} {
				if got := problems(text); !has(got, "signatures[0] "+how) || found != "" && !has(got, found) {
					t.Errorf("got\n%swant %s, %s", got, how, found)
				}
			}
			if got := problems(sealed(forged, key(1))); found != "" && !has(got, found) {
				t.Errorf("signed with the key of the server: got\n%swant %s", got, found)
			}
			if got := problems(sealed(rechained(forged), key(1))); after != "" && !has(got, after) ||
				after == "" && got != "" {
				t.Errorf("computed again: got\n%swant %s", got, after)
			}
		})
	}
}

func TestVerify_UnusualText_IsAClearError(t *testing.T) {
	payload := made(t, session("one", 2, story...))
	text, _ := seal(payload, key(1))
	change := func(path, to string) []byte {
		changed, err := sjson.SetRawBytes(slices.Clone(text), path, []byte(to))
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n)) }
	other, _ := seal([]byte(`{"format":"other"}`), key(1))
	deep, _ := seal(nested(1000), key(1))
	for name, test := range map[string]struct {
		text []byte
		says string
	}{
		"empty":             {nil, "it is empty"},
		"blank":             {[]byte(" \n"), "it is empty"},
		"no JSON":           {[]byte("PK\x03\x04"), "invalid JSON"},
		"cut":               {text[:len(text)/2], "not an audit bundle"},
		"goes on":           {append(slices.Clone(text), text...), "goes on after its end"},
		"nested":            {nested(50 << 20), "nested more than 100 levels"},
		"nested payload":    {deep, "nested more than 100 levels"},
		"payload cut":       {change("payload", `"eyJhIjo="`), "The payload is not an audit bundle"},
		"payload no base64": {change("payload", `"%%"`), "not an audit bundle"},
		"payload type": {change("payloadType", `"application/vnd.in-toto+json"`),
			"'application/vnd.in-toto+json'"},
		"a member more": {change("note", `1`), `unknown field "note"`},
		"a member twice": {[]byte(strings.Replace(string(text), `{`, `{"payload":"",`, 1)),
			"already exists"},
		"another form":              {other, "has the form 'other'"},
		"a line of an export":       {[]byte(`{"session_id":"s","hash":"h"}`), "unknown field"},
		"signatures of other types": {change("signatures", `7`), "cannot unmarshal"},
	} {
		_, _, err := Verify(t.Context(), test.text, public(key(1)))
		if !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), test.says) ||
			apperr.From(err).Hint == "" {
			t.Errorf("%s: got %.300v, want %q with a hint", name, err, test.says)
		}
	}
	for name, test := range map[string]struct{ path, to, problem string }{
		"no signature":      {"signatures", "[]", "not_signed"},
		"null":              {"signatures", "null", "not_signed"},
		"a short signature": {"signatures.0.sig", `"AAAA"`, "signature_mismatch"},
		"another key's id":  {"signatures.0.keyid", `"x"`, "key_mismatch"},
		"one more":          {"signatures.-1", `{"keyid":"x","sig":"AAAA"}`, "unknown_key"},
	} {
		v, _, err := Verify(t.Context(), change(test.path, test.to), public(key(1)))
		if err != nil || v.Intact || v.Problems[0].Problem != test.problem {
			t.Errorf("%s: got %+v %v, want %s", name, v.Problems, err, test.problem)
		}
	}
	if v, _, err := Verify(t.Context(), text, public(key(3))); err != nil || len(v.Problems) != 1 ||
		v.Problems[0].Problem != "unknown_key" || v.SignedBy != "" {
		t.Errorf("a wrong key: got %+v %v", v.Problems, err)
	}
}

// TestVerify_GeneratedSessions_AreIntact looks for false alarms.
func TestVerify_GeneratedSessions_AreIntact(t *testing.T) {
	random := rand.New(rand.NewPCG(59, 1))
	texts := []string{"a", "Ünï <b>&amp;</b>", `\"\n`, strings.Repeat("long ", 999), "\\u2028",
		"\\u003c \u2028 \x7f \u0085", ""}
	for n := range 1000 {
		events := []string{"thought", `{}`}
		for range random.IntN(20) {
			i := 2 * random.IntN(len(story)/2-2)
			kind, payload := story[i], story[i+1]
			switch random.IntN(4) {
			case 0:
				kind, payload = "thought", `{"text":"`+texts[random.IntN(len(texts))]+`","n":1e3}`
			case 1:
				kind, payload = "lookup", `{"uid":7,"decision":["x"],"verdict_id":null}`
			}
			events = append(events, kind, payload)
		}
		if random.IntN(3) == 0 {
			events = append(events, "thought", "-", "thought", "-", "forgotten",
				fmt.Sprintf(`{"events":[[%d,%d]]}`, len(events)/2, len(events)/2+1))
		}
		text, err := seal(made(t, session(fmt.Sprint("s", n), 1+n%2, events...)), key(1))
		if err != nil {
			t.Fatal(err)
		}
		v, report, err := Verify(context.Background(), text, public(key(1)))
		if err != nil || !v.Intact || v.SignedBy != pack.KeyText(public(key(1))[0]) {
			t.Fatalf("session %d: got %+v %v", n, v.Problems, err)
		}
		if page := report(); strings.Contains(page, "<b>&amp;") || !strings.Contains(page, "Intact") {
			t.Fatalf("session %d: the report is %.2000s", n, page)
		}
	}
}

// TestAuthenticated_KnownValue_Matches compares with the example of the DSSE specification.
func TestAuthenticated_KnownValue_Matches(t *testing.T) {
	got := authenticated("http://example.com/HelloWorld", []byte("hello world"))
	if want := "DSSEv1 29 http://example.com/HelloWorld 11 hello world"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFrameworks_File_IsComplete(t *testing.T) {
	for _, f := range frameworks() {
		for _, r := range f.Requirements {
			if f.Name == "" || f.Note == "" || r.ID == "" || r.Title == "" || r.Covers == "" || r.Lacks == "" {
				t.Errorf("got %+v of %s, want no empty field", r, f.Name)
			}
		}
	}
	if len(frameworks()) != 3 {
		t.Errorf("got %d frameworks, want 3", len(frameworks()))
	}
}
