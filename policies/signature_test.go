package policies_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/fault"
	"nomograph/policies"
	"nomograph/tools/toolstest"
)

// signer makes a key and gives the private half and the public one as a setting takes it.
func signer(t *testing.T) (ed25519.PrivateKey, string) {
	t.Helper()
	private, _, err := policies.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := policies.SigningKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return key, policies.KeyText(key.Public().(ed25519.PublicKey))
}

func TestWhereSigningIsRequiredOnlySignedPacksAreApplied(t *testing.T) {
	g, env := toolstest.Open(t)
	ana, anaPublic := signer(t)
	ben, benPublic := signer(t)
	signed := func(key ed25519.PrivateKey, text string) policies.PackSource {
		return policies.PackSource{Name: "small.yaml", Text: text, Signature: policies.Sign(key, []byte(text)) + "\n"}
	}
	right := signed(ana, toolstest.SmallPack)
	with := func(change func(*policies.PackSource)) policies.PackSource {
		source := right
		change(&source)
		return source
	}
	before := toolstest.Fingerprint(t, g)
	refused := map[string]struct {
		source  policies.PackSource
		message string
	}{
		"no signature":       {with(func(s *policies.PackSource) { s.Signature = "" }), "small.yaml has no signature"},
		"an empty signature": {with(func(s *policies.PackSource) { s.Signature = " \n" }), "small.yaml has no signature"},
		"an unknown key":     {signed(ben, toolstest.SmallPack), "small.yaml was made by an unknown key or over another text"},
		"one byte changed":   {with(func(s *policies.PackSource) { s.Text = strings.Replace(s.Text, "value: 1,", "value: 2,", 1) }), "over another text"},
		"one byte more":      {with(func(s *policies.PackSource) { s.Text += "\n" }), "over another text"},
		"other line ends":    {with(func(s *policies.PackSource) { s.Text = strings.ReplaceAll(s.Text, "\n", "\r\n") }), "over another text"},
		"a signature of another pack": {with(func(s *policies.PackSource) { s.Signature = policies.Sign(ana, []byte("other")) }),
			"over another text"},
		"no base64":        {with(func(s *policies.PackSource) { s.Signature = "!" + s.Signature[1:] }), "malformed: it is not the base64 of 64 bytes"},
		"a cut signature":  {with(func(s *policies.PackSource) { s.Signature = s.Signature[:40] }), "malformed"},
		"a long signature": {with(func(s *policies.PackSource) { s.Signature = strings.Repeat("AAAA", 30) }), "malformed"},
		"broken and unsigned": {policies.PackSource{Name: "small.yaml", Text: "pack: [\n"},
			"small.yaml has no signature"},
		"under a shipped pack's name": {policies.PackSource{Name: "core", Text: toolstest.SmallPack}, "core has no signature"},
	}
	env.Policies.RequireSignatures([]string{anaPublic})
	for name, tt := range refused {
		for _, dry := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				request := policies.ApplyRequest{Packs: []policies.PackSource{{Name: "core"}, tt.source}, ApplyOptions: policies.ApplyOptions{DryRun: dry}}
				_, err := env.Policies.Apply(t.Context(), request)
				got := toolstest.Fault(t, err, fault.PermissionDenied)
				if !strings.Contains(got.Message, tt.message) || !strings.Contains(got.Hint, "nomograph policy sign") {
					t.Errorf("message %q, want %q; hint %q", got.Message, tt.message, got.Hint)
				}
				if toolstest.Fingerprint(t, g) != before {
					t.Error("something was applied")
				}
			})
		}
	}
	t.Run("a setting that is broken refuses all", func(t *testing.T) {
		for _, trusted := range [][]string{nil, {"./no-such.pub"}, {anaPublic, "x"}} {
			env.Policies.RequireSignatures(trusted)
			for _, source := range []policies.PackSource{right, {Name: "core"}} {
				_, err := env.Policies.Apply(t.Context(), policies.ApplyRequest{Packs: []policies.PackSource{source}})
				toolstest.Fault(t, err, fault.Validation)
			}
		}
		if toolstest.Fingerprint(t, g) != before {
			t.Error("something was applied")
		}
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
			env.Policies.RequireSignatures(tt.trusted)
			for who, key := range map[string]ed25519.PrivateKey{"ana": ana, "ben": ben} {
				_, err := env.Policies.Apply(t.Context(), policies.ApplyRequest{Packs: []policies.PackSource{signed(key, toolstest.SmallPack)}, ApplyOptions: policies.ApplyOptions{DryRun: true}})
				if (err == nil) != tt.applied[who] {
					t.Errorf("%s, signed by %s: %v", name, who, err)
				}
			}
		}
	})
	t.Run("what is signed is applied, and what is shipped", func(t *testing.T) {
		env.Policies.RequireSignatures([]string{anaPublic})
		result := toolstest.Apply(t, env, policies.ApplyRequest{Packs: []policies.PackSource{right, {Name: "core"}}})
		if len(result.Packs) != 2 || result.Packs[0].Pack != "small" || len(result.Packs[0].Changes) != 8 {
			t.Errorf("%+v", result)
		}
	})
}

func TestKeysAreReadFromTextAndFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, blocks ...[]byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		var text []byte
		for _, block := range blocks {
			text = append(text, block...)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	private, public, err := policies.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := policies.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := policies.SigningKey(private)
	if err != nil {
		t.Fatal(err)
	}
	text := policies.KeyText(key.Public().(ed25519.PublicKey))
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	otherPublic, err := x509.MarshalPKIXPublicKey(other.Public())
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.Split(string(private), "\n")[1]
	tests := map[string]struct {
		list    []string
		keys    int
		message string
	}{
		"base64":                   {[]string{text}, 1, ""},
		"a file":                   {[]string{file("one.pub", public)}, 1, ""},
		"a file of two":            {[]string{file("two.pub", public, second)}, 2, ""},
		"both forms":               {[]string{text, file("second.pub", second)}, 2, ""},
		"nothing":                  {nil, 0, "There is no key"},
		"31 bytes":                 {[]string{text, base64.StdEncoding.EncodeToString(make([]byte, 31))}, 0, "Key 2 of 2 for the signatures of packs is neither"},
		"no such file":             {[]string{filepath.Join(dir, "none.pub")}, 0, "none.pub') is neither a file that can be read"},
		"a private key":            {[]string{file("one.key", private)}, 0, "one.key') holds a private key"},
		"a private key as text":    {[]string{string(private)}, 0, "packs is neither"},
		"another kind of key":      {[]string{file("rsa.pub", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: otherPublic}))}, 0, "does not hold an Ed25519 public key"},
		"a damaged key":            {[]string{file("bad.pub", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")}))}, 0, "does not hold an Ed25519 public key"},
		"a good key, then rubbish": {[]string{file("tail.pub", public, []byte("rubbish"))}, 0, "is not a PEM file"},
		"an empty file":            {[]string{file("empty.pub")}, 0, "is an empty file"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			keys, err := policies.ParseKeys(tt.list)
			if tt.message == "" {
				if err != nil || len(keys) != tt.keys || !keys[0].Equal(key.Public()) {
					t.Errorf("%v %v", keys, err)
				}
				return
			}
			got := toolstest.Fault(t, err, fault.Validation)
			if !strings.Contains(got.Message, tt.message) || strings.Contains(got.Error(), secret) {
				t.Errorf("message %q, want %q", got.Message, tt.message)
			}
		})
	}
	for name, text := range map[string][]byte{"no PEM text": []byte("x"), "the type PUBLIC KEY": public,
		"damaged": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}), "the type ENCRYPTED PRIVATE KEY": pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY"})} {
		_, err := policies.SigningKey(text)
		if got := toolstest.Fault(t, err, fault.Validation); !strings.Contains(got.Message, name) {
			t.Errorf("%s: %s", name, got.Message)
		}
	}
}

func TestOpenSSLReadsAndMakesTheSameKeysAndSignatures(t *testing.T) {
	program, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("there is no openssl here")
	}
	dir := t.TempDir()
	openssl := func(args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("openssl %v: %v\n%s", args, err, out)
		}
	}
	write := func(name string, text []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	write("pack.yaml", []byte(toolstest.SmallPack))

	openssl("genpkey", "-algorithm", "ed25519", "-out", "theirs.key")
	openssl("pkey", "-in", "theirs.key", "-pubout", "-out", "theirs.pub")
	openssl("pkeyutl", "-sign", "-rawin", "-inkey", "theirs.key", "-in", "pack.yaml", "-out", "theirs.sig")
	theirs, err := policies.ParseKeys([]string{filepath.Join(dir, "theirs.pub")})
	if err != nil {
		t.Fatal(err)
	}
	source := policies.PackSource{Name: "pack.yaml", Text: toolstest.SmallPack, Signature: base64.StdEncoding.EncodeToString(read("theirs.sig"))}
	if err := policies.CheckSignature(theirs, source); err != nil {
		t.Errorf("what openssl signed: %v", err)
	}
	key, err := policies.SigningKey(read("theirs.key"))
	if err != nil {
		t.Fatal(err)
	}
	if got := policies.Sign(key, []byte(toolstest.SmallPack)); got != source.Signature { // Ed25519 is deterministic
		t.Errorf("with openssl's key we sign %s, openssl %s", got, source.Signature)
	}

	private, public, err := policies.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	write("ours.pub", public)
	if key, err = policies.SigningKey(private); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(policies.Sign(key, []byte(toolstest.SmallPack)))
	if err != nil {
		t.Fatal(err)
	}
	write("ours.sig", raw)
	openssl("pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "ours.pub", "-sigfile", "ours.sig", "-in", "pack.yaml")
}
