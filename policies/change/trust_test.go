package change_test

import (
	"crypto/ed25519"
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// signer creates a key pair. It returns the private key and the public key in the format of a setting.
func signer(t *testing.T) (ed25519.PrivateKey, string) {
	t.Helper()
	private, _, err := pack.NewKey()
	graphtest.OK(t, err)
	key := graphtest.Must(pack.SigningKey(private))(t)
	return key, pack.KeyText(key.Public().(ed25519.PublicKey))
}

func TestApply_SigningRequired_RefusesUnsignedPack(t *testing.T) {
	g, env := toolstest.Open(t)
	ana, anaPublic := signer(t)
	ben, benPublic := signer(t)
	signed := func(key ed25519.PrivateKey, text string) pack.Source {
		return pack.Source{Name: "small.yaml", Text: text, Signature: pack.Sign(key, []byte(text)) + "\n"}
	}
	right := signed(ana, toolstest.SmallPack)
	with := func(change func(*pack.Source)) pack.Source {
		source := right
		change(&source)
		return source
	}
	before := toolstest.Fingerprint(t, g)
	refused := map[string]struct {
		source  pack.Source
		message string
	}{
		"no signature":       {with(func(s *pack.Source) { s.Signature = "" }), "small.yaml is not signed"},
		"an empty signature": {with(func(s *pack.Source) { s.Signature = " \n" }), "small.yaml is not signed"},
		"an unknown key":     {signed(ben, toolstest.SmallPack), "small.yaml has an unknown key or another text"},
		"one byte changed": {with(func(s *pack.Source) {
			s.Text = strings.Replace(s.Text, "value: 1,", "value: 2,", 1)
		}), "another text"},
		"one byte more": {with(func(s *pack.Source) { s.Text += "\n" }), "another text"},
		"other line ends": {with(func(s *pack.Source) { s.Text = strings.ReplaceAll(s.Text, "\n", "\r\n") }),
			"another text"},
		"a signature of another pack": {with(func(s *pack.Source) { s.Signature = pack.Sign(ana, []byte("other")) }),
			"another text"},
		"no base64": {with(func(s *pack.Source) { s.Signature = "!" + s.Signature[1:] }),
			"is not the base64 of 64 bytes"},
		"a cut signature": {with(func(s *pack.Source) { s.Signature = s.Signature[:40] }), "is not the base64"},
		"a long signature": {with(func(s *pack.Source) { s.Signature = strings.Repeat("AAAA", 30) }),
			"is not the base64"},
		"broken and unsigned": {pack.Source{Name: "small.yaml", Text: "pack: [\n"},
			"small.yaml is not signed"},
		"under a shipped pack's name": {pack.Source{Name: "core", Text: toolstest.SmallPack}, "core is not signed"},
	}
	env.Change.RequireSignatures([]string{anaPublic})
	for name, tt := range refused {
		for _, dry := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				request := change.ApplyRequest{Packs: []pack.Source{{Name: "core"}, tt.source},
					ApplyOptions: change.ApplyOptions{DryRun: dry}}
				_, err := env.Change.Apply(t.Context(), request)
				got := toolstest.ErrorWithCode(t, err, apperr.PermissionDenied)
				if !strings.Contains(got.Message, tt.message) || !strings.Contains(got.Hint, "`sign_pack`") {
					t.Errorf("message %q, want %q; hint %q", got.Message, tt.message, got.Hint)
				}
				golden.Equal(t, "the graph", toolstest.Fingerprint(t, g), before)
			})
		}
	}
	t.Run("a setting that is broken refuses all", func(t *testing.T) {
		for _, trusted := range [][]string{nil, {"./no-such.pub"}, {anaPublic, "x"}} {
			env.Change.RequireSignatures(trusted)
			for _, source := range []pack.Source{right, {Name: "core"}} {
				_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: []pack.Source{source}})
				toolstest.ErrorWithCode(t, err, apperr.Validation)
			}
		}
		golden.Equal(t, "the graph", toolstest.Fingerprint(t, g), before)
	})
	t.Run("keys are replaced", func(t *testing.T) {
		for name, tt := range map[string]struct {
			trusted []string
			applied map[string]bool
		}{
			"only the old": {[]string{anaPublic}, map[string]bool{"ana": true}},
			"both":         {[]string{anaPublic, benPublic}, map[string]bool{"ana": true, "ben": true}},
			"only the new": {[]string{benPublic}, map[string]bool{"ben": true}},
		} {
			env.Change.RequireSignatures(tt.trusted)
			for who, key := range map[string]ed25519.PrivateKey{"ana": ana, "ben": ben} {
				_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: []pack.Source{signed(key,
					toolstest.SmallPack)}, ApplyOptions: change.ApplyOptions{DryRun: true}})
				golden.Equal(t, fmt.Sprint(name, ", signed by ", who, ": ", err), (err == nil), tt.applied[who])
			}
		}
	})
	t.Run("signed and shipped packs are applied", func(t *testing.T) {
		env.Change.RequireSignatures([]string{anaPublic})
		result := toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{right, {Name: "core"}}})
		if len(result.Packs) != 2 || result.Packs[0].Pack != "small" || len(result.Packs[0].Changes) != 8 {
			t.Errorf("got %+v, want len(Packs)=2, Pack=small, len(Changes)=8", result)
		}
	})
}
