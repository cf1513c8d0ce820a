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

// The sections, by kind.
const (
	inSession, inVerdict, inDecision, inReview = "sections.0.records.", "sections.1.records.", "sections.2.records.",
		"sections.3.records."
	inApproval, inRevision, inVersion = "sections.4.records.", "sections.5.records.", "sections.6.records."
	inChain                           = inSession + "0.record.chain."
)

// forgeries change a payload: the value at a path, where "" deletes it and "@PATH" moves another value there. found is
// how the change is found if nobody computes anything again. after is how it is found if somebody with the key of the
// server computed all hashes of sections again; "" if only the key and the graph could tell.
var forgeries = map[string]struct{ path, to, found, after string }{
	"creator":            {"created_by", `"bob"`, "", ""},
	"time of the bundle": {"created_at", `"2020-01-01T00:00:00Z"`, "", ""},
	"scope":              {"scope.project", `"other"`, "", ""},
	"count of a section": {"sections.1.count", "1", "verdict count_mismatch", ""},
	"head of a section":  {"sections.3.head", `"00"`, "review head_mismatch", ""},
	"a section gone":     {"sections.4", "", "sections[4] section_missing", "sections[4] section_missing"},
	"a section twice": {"sections.-1", "@sections.1", "sections[7] section_added",
		"sections[7] section_added"},
	"a section of another kind": {"sections.2.kind", `"notes"`, "sections[2] section_missing",
		"sections[2] section_missing"},
	"a hash of a record":         {inVerdict + "0.hash", `"00"`, "verdict[0] v1 record_mismatch", ""},
	"declared head, its hash":    {"heads.0.head", `"00"`, "heads[0] head_mismatch", "heads[0] head_mismatch"},
	"declared head, its count":   {"heads.0.events", "3", "heads[0] head_mismatch", "heads[0] head_mismatch"},
	"declared head, its session": {"heads.0.session", `"x"`, "heads[0] head_mismatch", "heads[0] head_mismatch"},
	"declared head gone":         {"heads.0", "", "heads[0] head_mismatch", "heads[0] head_mismatch"},
	"declared head more": {"heads.-1", `{"session":"x","events":1,"head":"00"}`, "heads[2] head_mismatch",
		"heads[2] head_mismatch"},
	"absent, one less": {"absent.0", "", "session[0] one event 6 reference_missing",
		"session[0] one event 6 reference_missing"},
	"absent, one more":          {"absent.-1", `"verdict v1"`, "absent[1] not_absent", "absent[1] not_absent"},
	"absent, what nobody needs": {"absent.-1", `"verdict x"`, "absent[1] not_absent", "absent[1] not_absent"},
	"session, its id": {inSession + "0.record.session_id", `"x"`, "session[0] uid-one record_mismatch",
		"session[0] x event 0 invalid_start"},
	"session, its uid": {inSession + "0.record.uid", `"x"`, "session[0] one event 0 foreign_event",
		"session[0] one event 0 foreign_event"},
	"session, its agent": {inSession + "0.record.agent_id", `"bob"`, "session[0] one event 0 invalid_start",
		"session[0] one event 0 invalid_start"},
	"session, its workspace": {inSession + "0.record.workspace", `"x"`, "session[0] one event 0 invalid_start",
		"session[0] one event 0 invalid_start"},
	"session, its start": {inSession + "0.record.started_at", `"2026-11-01T11:00:00Z"`,
		"session[0] one event 0 invalid_start", "session[0] one event 0 invalid_start"},
	"session, its last use": {inSession + "0.record.last_at", `"2020-11-01T11:00:00Z"`,
		"session[0] uid-one record_mismatch", ""},
	"session, its count": {inSession + "0.record.events", "10", "session[0] one event 9 missing_tail",
		"session[0] one event 9 missing_tail"},
	"session, a lower count": {inSession + "0.record.events", "8", "session[0] one event 8 foreign_event",
		"session[0] one event 8 foreign_event"},
	"session, its head": {inSession + "0.record.head", `"00"`, "session[0] one event 8 head_mismatch",
		"session[0] one event 8 head_mismatch"},
	"session, a property more": {inSession + "0.record.note", `"x"`, "session[0] uid-one invalid_record",
		"session[0] uid-one invalid_record"},
	"session gone": {inSession + "1", "", "session count_mismatch", "heads[1] head_mismatch"},
	"session twice": {inSession + "-1", "@" + inSession + "0", "session[2] uid-one duplicate_record",
		"session[2] uid-one duplicate_record"},
	"event, its type": {inChain + "1.type", `"thought"`, "session[0] one event 1 hash_mismatch",
		"session[0] one event 1 hash_mismatch"},
	"event, its time": {inChain + "1.at", `"2026-11-01T12:00:00.000003Z"`,
		"session[0] one event 1 hash_mismatch", "session[0] one event 1 hash_mismatch"},
	"event, an earlier time": {inChain + "2.at", `"2026-10-01T12:00:00Z"`,
		"session[0] one event 2 time_regression", "session[0] one event 2 time_regression"},
	"event, its agent": {inChain + "1.agent", `"Bob"`, "session[0] one event 1 hash_mismatch",
		"session[0] one event 1 hash_mismatch"},
	"event, its uid": {inChain + "1.uid", `"x"`, "session[0] one event 1 hash_mismatch",
		"session[0] one event 1 hash_mismatch"},
	"event, its payload": {inChain + "1.payload.allowed", "true", "session[0] one event 1 verdict_mismatch",
		"session[0] one event 1 hash_mismatch"},
	"event, its payload gone": {inChain + "1.payload", "", "session[0] one event 1 hash_mismatch",
		"session[0] one event 1 hash_mismatch"},
	"event, its hash": {inChain + "1.hash", `"00"`, "session[0] one event 2 chain_broken",
		"session[0] one event 2 chain_broken"},
	"event, its predecessor": {inChain + "1.prev_hash", `"00"`, "session[0] one event 1 chain_broken",
		"session[0] one event 1 chain_broken"},
	"event, the first one's": {inChain + "0.prev_hash", `"00"`, "session[0] one event 0 invalid_start",
		"session[0] one event 0 invalid_start"},
	"event, its place": {inChain + "1.seq", "5", "session[0] one event 1 sequence_gap",
		"session[0] one event 1 sequence_gap"},
	"event, an earlier place": {inChain + "2.seq", "1", "session[0] one event 1 sequence_gap",
		"session[0] one event 1 hash_mismatch"},
	"event, its session": {inChain + "1.session", `"uid-two"`, "session[0] one event 1 foreign_event",
		"session[0] one event 1 foreign_event"},
	"event, its schema": {inChain + "1.schema", "1", "session[0] one event 1 hash_mismatch",
		"session[0] one event 1 hash_mismatch"},
	"event, a property more": {inChain + "1.note", `"x"`, "session[0] uid-one invalid_record",
		"session[0] uid-one invalid_record"},
	"event gone": {inChain + "2", "", "session[0] one event 2 sequence_gap",
		"session[0] one event 2 sequence_gap"},
	"event gone at the start": {inChain + "0", "", "session[0] one event 0 sequence_gap",
		"session[0] one event 0 sequence_gap"},
	"event gone at the end": {inChain + "8", "", "session[0] one event 8 missing_tail",
		"session[0] one event 7 hash_mismatch"},
	"event twice": {inChain + "-1", "@" + inChain + "8", "session[0] one event 8 chain_broken",
		"session[0] one event 8 chain_broken"},
	"event of another session": {inChain + "3", "@" + inSession + "1.record.chain.0",
		"session[0] one event 0 foreign_event", "session[0] one event 0 foreign_event"},
	"event of an old schema": {inSession + "1.record.chain.0.payload.text", `"z"`,
		"session[1] two event 0 hash_mismatch", "session[1] two event 0 hash_mismatch"},
	"event forgotten, by hand": {inChain + "7.forgotten", "", "session[0] one event 7 hash_mismatch",
		"session[0] one event 7 hash_mismatch"},
	"what was forgotten": {inChain + "8.payload.events.0.0", "8", "session[0] one event 7 hash_mismatch",
		"session[0] one event 8 hash_mismatch"},
	"verdict, its answer": {inVerdict + "0.record.allowed", "true", "verdict[0] v1 record_mismatch",
		"verdict[0] v1 results_mismatch"},
	"verdict, answer and results": {inVerdict + "0.record", `{"uid":"v1","allowed":true}`,
		"session[0] one event 1 verdict_mismatch", "session[0] one event 1 verdict_mismatch"},
	"verdict, its uid": {inVerdict + "0.record.uid", `"v9"`, "session[0] one event 1 reference_missing",
		"approval[0] a1 reference_missing"},
	"verdict, its rule set": {inVerdict + "0.record.revision", `"00"`, "verdict[0] v1 reference_missing",
		"verdict[0] v1 results_mismatch"},
	"verdict, its rule": {inVerdict + "0.record.versions.0.version", `"00"`,
		"verdict[0] v1 rule_not_in_force", "verdict[0] v1 reference_missing"},
	"verdict, no object": {inVerdict + "0.record", `[]`, "verdict[0] invalid_record",
		"verdict[0] invalid_record"},
	"verdict gone": {inVerdict + "1", "", "verdict count_mismatch",
		"session[0] one event 3 reference_missing"},
	"verdict twice": {inVerdict + "-1", "@" + inVerdict + "0", "verdict[2] v1 duplicate_record",
		"verdict[2] v1 duplicate_record"},
	"verdict added": {inVerdict + "-1", `{"hash":"00","record":{"uid":"v9","revision":"zz"}}`,
		"verdict[2] v9 record_mismatch", "verdict[2] v9 reference_missing"},
	"verdicts in another order": {inVerdict + "0", "@" + inVerdict + "1", "verdict[0] v2 record_mismatch",
		"verdict[1] v2 duplicate_record"},
	"verdict in other decisions": {inVerdict + "1.record.decisions.0", `"d9"`, "verdict[1] v2 reference_missing",
		"verdict[1] v2 reference_missing"},
	"decision, its text": {inDecision + "0.record.decision", `"Use MySQL"`, "decision[0] d1 record_mismatch",
		"session[0] one event 3 decision_mismatch"},
	"decision, its confidence": {inDecision + "0.record.confidence", "0.9",
		"session[0] one event 3 decision_mismatch", "session[0] one event 3 decision_mismatch"},
	"decision, its stakes": {inDecision + "0.record.stakes", `"low"`, "session[0] one event 3 decision_mismatch",
		"session[0] one event 3 decision_mismatch"},
	"decision, its events": {inDecision + "0.record.events.0", `"x"`, "decision[0] 0000000d reference_missing",
		"decision[0] 0000000d reference_missing"},
	"decision gone": {inDecision + "0", "", "decision count_mismatch", "review[0] r1 reference_missing"},
	"review, its outcome": {inReview + "0.record.outcome", `"success"`, "review[0] r1 record_mismatch",
		"session[0] one event 4 review_mismatch"},
	"review, its decision": {inReview + "0.record.decision", `"d9"`, "review[0] r1 reference_missing",
		"session[0] one event 4 reference_missing"},
	"review, its number": {inReview + "1.record.number", "7", "review[1] r2 record_mismatch",
		"session[0] one event 5 reference_missing"},
	"review gone": {inReview + "0", "", "review count_mismatch",
		"session[0] one event 4 reference_missing"},
	"review added": {inReview + "-1", `{"hash":"00","record":{"uid":"r9","decision":"d1","number":3}}`,
		"review[2] r9 record_mismatch", ""},
	"review of no decision": {inReview + "-1", `{"hash":"00","record":{"uid":"r9","decision":"d9"}}`,
		"review[2] r9 reference_missing", "review[2] r9 reference_missing"},
	"approval, who answered": {inApproval + "0.record.answered_by", `"ada"`, "approval[0] a1 record_mismatch", ""},
	"approval, its verdict": {inApproval + "0.record.verdict", `"v9"`, "approval[0] a1 reference_missing",
		"approval[0] a1 reference_missing"},
	"approval, its rule": {inApproval + "0.record.versions.0", `"00"`, "approval[0] a1 reference_missing",
		"approval[0] a1 reference_missing"},
	"approval gone": {inApproval + "0", "", "approval count_mismatch",
		"session[0] one event 2 reference_missing"},
	"rule set, its hash": {inRevision + "0.record.hash", `"00"`, "revision[0] 00 revision_mismatch",
		"verdict[0] v1 reference_missing"},
	"rule set, a version less": {inRevision + "0.record.versions.1", "", "revision[0] record_mismatch",
		"revision[0] revision_mismatch"},
	"rule set, a version more": {inRevision + "0.record.versions.-1", `"00"`, "revision[0] reference_missing",
		"revision[0] revision_mismatch"},
	"rule, its content": {inVersion + "0.record.content", `"{}"`, "version[0] record_mismatch",
		"version[0] version_mismatch"},
	"rule, its hash": {inVersion + "0.record.hash", `"00"`, "version[0] 00 version_mismatch",
		"revision[0] reference_missing"},
	"threshold, its content": {inVersion + "1.record.content", `"{\"links\":[],\"properties\":{\"value\":9}}"`,
		"version[1] version_mismatch", "version[1] version_mismatch"},
	"rule swapped with another": {inVersion + "0.record.content", "@" + inVersion + "1.record.content",
		"version[0] version_mismatch", "version[0] version_mismatch"},
	"rule gone": {inVersion + "0", "", "version count_mismatch", "revision[0] reference_missing"},
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
	if len(forgeries) < 60 {
		t.Errorf("only %d forgeries", len(forgeries))
	}
	has := func(lines, want string) bool { // hashes in places may be left out
		at, problem := want[:strings.LastIndex(want, " ")], want[strings.LastIndex(want, " ")+1:]
		return slices.ContainsFunc(strings.Split(lines, "\n"), func(line string) bool {
			return strings.HasPrefix(line, at) && strings.Contains(line, " "+problem+":")
		})
	}
	for name, f := range forgeries {
		t.Run(name, func(t *testing.T) {
			to := f.to
			if from, moved := strings.CutPrefix(to, "@"); moved {
				to = gjson.GetBytes(payload, from).Raw
			}
			forged, err := sjson.SetRawBytes(slices.Clone(payload), f.path, []byte(to))
			if to == "" {
				forged, err = sjson.DeleteBytes(slices.Clone(payload), f.path)
			}
			if err != nil || string(forged) == string(payload) {
				t.Fatal("nothing was changed: ", err)
			}
			e := envelope{PayloadType, forged, []signature{{pack.KeyText(public(key(1))[0]), nil}}}
			e.Signatures[0].Sig = ed25519.Sign(key(1), authenticated(PayloadType, payload))
			text, _ := json.Marshal(e)
			for how, text := range map[string][]byte{"signature_mismatch": text,
				"unknown_key": sealed(forged, key(2))} {
				if got := problems(text); !has(got, "signatures[0] "+how) || f.found != "" && !has(got, f.found) {
					t.Errorf("got\n%swant %s, %s", got, how, f.found)
				}
			}
			if got := problems(sealed(forged, key(1))); f.found != "" && !has(got, f.found) {
				t.Errorf("signed with the key of the server: got\n%swant %s", got, f.found)
			}
			if got := problems(sealed(rechained(forged), key(1))); f.after != "" && !has(got, f.after) ||
				f.after == "" && got != "" {
				t.Errorf("computed again: got\n%swant %s", got, f.after)
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
