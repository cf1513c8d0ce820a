package pack_test

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

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

func TestParseKeys_TextAndFiles_AreRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, blocks ...[]byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		var text []byte
		for _, block := range blocks {
			text = append(text, block...)
		}
		graphtest.OK(t, os.WriteFile(path, text, 0o600))
		return path
	}
	private, public, err := pack.NewKey()
	graphtest.OK(t, err)
	_, second, err := pack.NewKey()
	graphtest.OK(t, err)
	key := graphtest.Must(pack.SigningKey(private))(t)
	text := pack.KeyText(key.Public().(ed25519.PublicKey))
	other := graphtest.Must(rsa.GenerateKey(rand.Reader, 2048))(t)
	otherPublic := graphtest.Must(x509.MarshalPKIXPublicKey(other.Public()))(t)
	secret := strings.Split(string(private), "\n")[1]
	tests := map[string]struct {
		list    []string
		keys    int
		message string
	}{
		"base64":        {[]string{text}, 1, ""},
		"a file":        {[]string{file("one.pub", public)}, 1, ""},
		"a file of two": {[]string{file("two.pub", public, second)}, 2, ""},
		"both forms":    {[]string{text, file("second.pub", second)}, 2, ""},
		"nothing":       {nil, 0, "No key is configured"},
		"31 bytes": {[]string{text, base64.StdEncoding.EncodeToString(make([]byte, 31))}, 0,
			"Key 2 of 2 for the signatures of packs is neither"},
		"no such file": {[]string{filepath.Join(dir, "none.pub")}, 0,
			"none.pub') is neither a readable file"},
		"a private key":         {[]string{file("one.key", private)}, 0, "one.key') contains a private key"},
		"a private key as text": {[]string{string(private)}, 0, "packs is neither"},
		"another kind of key": {[]string{file("rsa.pub",
			pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: otherPublic}))}, 0,
			"does not contain an Ed25519 public key"},
		"a damaged key": {[]string{file("bad.pub",
			pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")}))}, 0,
			"does not contain an Ed25519 public key"},
		"a good key, then rubbish": {[]string{file("tail.pub", public, []byte("rubbish"))}, 0, "is not a PEM file"},
		"an empty file":            {[]string{file("empty.pub")}, 0, "is an empty file"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			keys, err := pack.ParseKeys(tt.list)
			if tt.message == "" {
				if err != nil || len(keys) != tt.keys || !keys[0].Equal(key.Public()) {
					t.Errorf("got %v %v, want len(keys)=%v, keys[0].Equal(key.Public())=true", keys, err, tt.keys)
				}
				return
			}
			got := toolstest.ErrorWithCode(t, err, apperr.Validation)
			if !strings.Contains(got.Message, tt.message) || strings.Contains(got.Error(), secret) {
				t.Errorf("message %q, want %q", got.Message, tt.message)
			}
		})
	}
	for name, text := range map[string][]byte{"not PEM": []byte("x"), "type PUBLIC KEY": public,
		"damaged":                    pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}),
		"type ENCRYPTED PRIVATE KEY": pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY"})} {
		_, err := pack.SigningKey(text)
		golden.Contains(t, "the message", toolstest.ErrorWithCode(t, err, apperr.Validation).Message, name)
	}
}

func TestSign_OpenSSL_IsCompatible(t *testing.T) {
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
		graphtest.OK(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	read := func(name string) []byte {
		t.Helper()
		text := graphtest.Must(os.ReadFile(filepath.Join(dir, name)))(t)
		return text
	}
	write("pack.yaml", []byte(toolstest.SmallPack))

	openssl("genpkey", "-algorithm", "ed25519", "-out", "theirs.key")
	openssl("pkey", "-in", "theirs.key", "-pubout", "-out", "theirs.pub")
	openssl("pkeyutl", "-sign", "-rawin", "-inkey", "theirs.key", "-in", "pack.yaml", "-out", "theirs.sig")
	theirs := graphtest.Must(pack.ParseKeys([]string{filepath.Join(dir, "theirs.pub")}))(t)
	source := pack.Source{Name: "pack.yaml", Text: toolstest.SmallPack,
		Signature: base64.StdEncoding.EncodeToString(read("theirs.sig"))}
	if err := pack.CheckSignature(theirs, source); err != nil {
		t.Errorf("signature of openssl: got %v, want no error", err)
	}
	key := graphtest.Must(pack.SigningKey(read("theirs.key")))(t)
	if got := pack.Sign(key, []byte(toolstest.SmallPack)); got != source.Signature { // Ed25519 is deterministic
		t.Errorf("with openssl's key we sign %s, openssl %s", got, source.Signature)
	}

	private, public, err := pack.NewKey()
	graphtest.OK(t, err)
	write("ours.pub", public)
	if key, err = pack.SigningKey(private); err != nil {
		t.Fatal(err)
	}
	raw := graphtest.Must(base64.StdEncoding.DecodeString(pack.Sign(key, []byte(toolstest.SmallPack))))(t)
	write("ours.sig", raw)
	openssl("pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "ours.pub", "-sigfile", "ours.sig", "-in", "pack.yaml")
}
