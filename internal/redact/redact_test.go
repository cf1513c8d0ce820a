package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nomograph/graph/graphtest"
)

// secret is concatenated so that no scanner reports this file as a leak.
var secret = "hunter2" + "-not-real"

func TestValue_Nested_MasksEveryDepth(t *testing.T) {
	in := func() map[string]any {
		return map[string]any{
			"name":   "deploy",
			"count":  int64(3),
			"ratio":  0.5,
			"nobody": nil,
			"steps": []any{"run --token " + secret, map[string]any{"db": map[string]any{"dbPassword": secret,
				"has_password": true}}},
			"env": []any{map[string]any{"name": "API_KEY", "value": secret},
				map[string]any{"name": "REGION", "value": "eu"}},
			"args":  []any{"psql", "--password", secret, "--host", "db"},
			"creds": map[string]any{"a": []any{secret}},
			"pins":  map[string]any{"secret": int64(42), "password": "", "token": nil, "secrets": []any{1.5}},
		}
	}
	given := in()
	got, changed := Value(given)
	want := map[string]any{
		"name":   "deploy",
		"count":  int64(3),
		"ratio":  0.5,
		"nobody": nil,
		"steps": []any{"run --token [redacted]", map[string]any{"db": map[string]any{"dbPassword": mask,
			"has_password": true}}},
		"env": []any{map[string]any{"name": "API_KEY", "value": mask},
			map[string]any{"name": "REGION", "value": "eu"}},
		"args":  []any{"psql", "--password", mask, "--host", "db"},
		"creds": mask,
		"pins":  map[string]any{"secret": mask, "password": "", "token": nil, "secrets": mask},
	}
	diff := cmp.Diff(want, got)
	graphtest.Values(t, "changed", diff, "", changed, true)
	graphtest.Equal(t, cmp.Diff(in(), given), "", "the input was modified")
	if strings.Contains(asJSON(t, got), secret) {
		t.Error("the secret survives")
	}
}

func TestValue_NoSecret_ReturnsDeepCopy(t *testing.T) {
	given := map[string]any{"list": []any{"a"}, "map": map[string]any{"b": "c"}}
	got, changed := Value(given)
	diff := cmp.Diff(any(given), got)
	graphtest.Values(t, "changed", diff, "", changed, false)
	got.(map[string]any)["list"].([]any)[0] = "other"
	got.(map[string]any)["map"].(map[string]any)["b"] = "other"
	graphtest.Equal(t, cmp.Diff(map[string]any{"list": []any{"a"}, "map": map[string]any{"b": "c"}}, given), "",
		"the copy shares with the input")
}

func TestValue_Scalars_StayUnchanged(t *testing.T) {
	for _, value := range []any{nil, true, int64(5), 2.5, "", "plain", map[string]any(nil), []any(nil),
		map[string]any{}, []any{}} {
		if got, changed := Value(value); changed || !cmp.Equal(value, got) {
			t.Errorf("Value(%#v) = %#v, %v", value, got, changed)
		}
	}
}

func TestValue_SecretFieldNames_AreMaskedAndNumbered(t *testing.T) {
	one, two := "ghp_"+strings.Repeat("a1", 18), "ghp_"+strings.Repeat("b2", 18)
	given := map[string]any{one: "first", two: "second", "[redacted] 2": "taken", one + "_token": secret}
	want := map[string]any{"[redacted]": "first", "[redacted] 2": "taken", "[redacted] 3": mask,
		"[redacted] 4": "second"}
	for range 20 { // maps are walked in a different order each time
		got, changed := Value(given)
		if diff := cmp.Diff(any(want), got); diff != "" || !changed {
			t.Fatalf("changed %v:\n%s", changed, diff)
		}
	}
}

func TestValue_SecondCall_ChangesNothing(t *testing.T) {
	words := rapid.SampledFrom([]string{
		"password", "token", "API key", "--secret", "Authorization", "Cookie", "Bearer ", "Basic ", "passphrase", "PWD",
		"name", "value",
		"=", ": ", ":", "==", "=>", " ", "\n", "\n  ", "\"", "'", `\"`, `\`, "`", ",", ";", "&", "{", "}", "[", "]",
		"(", ")", "$", "|", ".", "@",
		"://", "/", "<", "-", mask, "abc", "x1", "é", "ghp_" + strings.Repeat("a1", 18), "eyJ" +
			strings.Repeat("a.b1", 5),
		"-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----", "\xff",
	})
	text := rapid.Map(rapid.SliceOfN(words, 0, 25), func(parts []string) string { return strings.Join(parts, "") })
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{
			text.Draw(t, "name"): text.Draw(t, "text"),
			text.Draw(t, "list"): []any{text.Draw(t, "first"), text.Draw(t, "second")},
			"name":               text.Draw(t, "name of a value"),
			"value":              text.Draw(t, "value"),
		}
		once, _ := Value(value)
		clean().Purge() // the cache would hide a second mask
		twice, changed := Value(once)
		if diff := cmp.Diff(once, twice); diff != "" || changed {
			t.Fatalf("changed %v:\n%s", changed, diff)
		}
	})
}

// TestText_RepeatedPieces_TakeLinearWork repeats unterminated values, quotes and brackets. If a step read from each
// piece to the end of the text, twice the text would take four times the work.
func TestText_RepeatedPieces_TakeLinearWork(t *testing.T) {
	work := 0
	countWork = func(bytes int) { work += bytes }
	t.Cleanup(func() { countWork = nil })
	workFor := func(text string) int {
		work = 0
		maskRepeatedly(text, findSecrets)
		return work
	}
	for _, piece := range []string{
		"secret:{", "secret:[\"", `token:\"`, `\`, `\"`, "://", "a://b:", "token:|", "token: |\n", "a,", "auth:bearer ",
		"-", "token", "'",
		"password='", "Cookie: ", "eyJ", "-----BEGIN PRIVATE KEY-----", "a=", " :", "password=a,", "<token>", "-u a:b ",
		"-u 'a:", "token: a\n", "\ntoken:", "&a", "[redacted]", "token:[" + `\"`,
	} {
		for _, start := range []string{"", "password="} {
			const short = 1 << 13
			once := workFor(start + strings.Repeat(piece, short/len(piece)))
			twice := workFor(start + strings.Repeat(piece, 2*short/len(piece)))
			if twice > 5*once/2+1000 {
				t.Errorf("%q: got %d steps for %d bytes and %d for twice as many, want at most 2.5 times", start+piece,
					once, short, twice)
			}
		}
	}
}

func FuzzValue(f *testing.F) {
	for _, c := range masked(f) {
		f.Add("note", c.text)
	}
	for _, text := range kept(f) {
		f.Add("text", text)
	}
	f.Add("password", "x")
	f.Fuzz(func(t *testing.T, name, text string) {
		value := map[string]any{name: text, "list": []any{text, name, map[string]any{"name": name, "value": text}}}
		once, changed := Value(value)
		if changed == cmp.Equal(any(value), once) {
			t.Errorf("changed %v: %q", changed, once)
		}
		clean().Purge() // the cache would hide a second mask
		twice, again := Value(once)
		if again || !cmp.Equal(once, twice) {
			t.Errorf("a second call changed %q to %q", once, twice)
		}
		if valid := strings.ToValidUTF8(text, "?"); valid == text {
			if clean, _ := Text(text); strings.ToValidUTF8(clean, "?") != clean {
				t.Errorf("%q became invalid UTF-8: %q", text, clean)
			}
		}
	})
}

func BenchmarkValue(b *testing.B) {
	value := map[string]any{
		"action":     "deploy the billing service to production",
		"category":   "operations",
		"confidence": 0.85,
		"stakes":     "high",
		"reason":     "the release has passed all tests: see https://ci.example.com/runs/1234 and the change at 2f1c9d0",
	}
	b.ReportAllocs()
	for b.Loop() {
		clean().Purge()
		Value(value)
	}
}

func BenchmarkValueWithSecret(b *testing.B) {
	value := map[string]any{"action": "deploy with password=" + secret + " to eu", "category": "operations",
		"api_key": secret, "stakes": "high", "confidence": 0.85}
	b.ReportAllocs()
	for b.Loop() {
		clean().Purge()
		Value(value)
	}
}

func BenchmarkTextLong(b *testing.B) {
	text := strings.Repeat("The release has passed all tests: see https://ci.example.com/runs/1234 and a=b. ", 125)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		clean().Purge()
		Text(text)
	}
}

func BenchmarkTextKnown(b *testing.B) {
	text := strings.Repeat("The release has passed all tests: see https://ci.example.com/runs/1234 and a=b. ", 125)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text)
	}
}

func BenchmarkTextShort(b *testing.B) {
	for _, c := range []struct {
		name  string
		again bool
	}{{"first", false}, {"again", true}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if !c.again {
					clean().Purge()
				}
				Text("operations")
			}
		})
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	out := graphtest.Must(json.Marshal(value))(t)
	return string(out)
}
