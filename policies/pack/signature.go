package pack

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
)

// SignatureSuffix is appended to the name of a pack's file for its signature.
const SignatureSuffix = ".sig"

// CheckSignature returns permission_denied unless one of the keys signed exactly this text.
func CheckSignature(keys []ed25519.PublicKey, source Source) error {
	file := source.Name
	if file == "-" { // standard input has no signature file
		file = "FILE"
	}
	if strings.TrimSpace(source.Signature) == "" {
		return apperr.Newf(apperr.PermissionDenied, "%s is not signed, and this server requires signed packs",
			source.Name).
			WithHint("Sign it with `sign_pack` and keep %s%s beside it. Over MCP or REST, pass the text of that file as `signature`", file, SignatureSuffix)
	}
	signature, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(source.Signature))
	if err != nil || len(signature) != ed25519.SignatureSize {
		return apperr.Newf(apperr.PermissionDenied, "The signature of %s is not the base64 of %d bytes", source.Name,
			ed25519.SignatureSize).
			WithHint("Sign it again with `sign_pack`")
	}
	for _, key := range keys {
		if ed25519.Verify(key, []byte(source.Text), signature) {
			return nil
		}
	}
	return apperr.Newf(apperr.PermissionDenied, "The signature of %s has an unknown key or another text", source.Name).
		WithHint("If the change is intended, sign the file again with `sign_pack`. The key must be in packs.trusted_keys. The signature covers line ends")
}

// Sign returns the signature of a pack's text, in base64.
func Sign(key ed25519.PrivateKey, text []byte) string {
	return base64.StdEncoding.EncodeToString(ed25519.Sign(key, text))
}

// KeyText returns a public key in the form of ParseKeys: the base64 of its 32 bytes.
func KeyText(key ed25519.PublicKey) string { return base64.StdEncoding.EncodeToString(key) }

// NewKey generates a signing key, as PEM of both halves (PKCS#8 and PKIX, as in OpenSSL).
func NewKey() (private, public []byte, err error) {
	publicKey, privateKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	secret, secretErr := x509.MarshalPKCS8PrivateKey(privateKey)
	open, openErr := x509.MarshalPKIXPublicKey(publicKey)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
		pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: open}), errors.Join(secretErr, openErr)
}

// SigningKey parses a private key in PEM. It returns a validation_error that names the type of the content, never the
// content.
func SigningKey(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, notAKey("it is not PEM")
	}
	if block.Type != "PRIVATE KEY" {
		return nil, notAKey("it contains a PEM block of type %s", block.Type)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, notAKey("its PKCS#8 text is damaged")
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, notAKey("it is a key of another type")
	}
	return private, nil
}

func notAKey(format string, args ...any) error {
	return apperr.Newf(apperr.Validation, "This is not the private key that signs packs: "+format, args...).
		WithHint("Use an unencrypted Ed25519 key in PKCS#8 PEM; create one with `create_pack_key`")
}

// ParseKeys parses packs.trusted_keys: each entry is the base64 of the 32 bytes of a public key, or the path of a PEM
// file with public keys only. It returns a validation_error that names the wrong entry; an empty list is an error, too.
func ParseKeys(list []string) ([]ed25519.PublicKey, error) {
	if len(list) == 0 {
		return nil, apperr.New(apperr.Validation, "No key is configured to verify pack signatures").
			WithHint("Add one to packs.trusted_keys (NOMOGRAPH_PACK_KEYS); create one with `create_pack_key`")
	}
	var keys []ed25519.PublicKey
	for i, entry := range list {
		found, problem := parseKey(entry)
		if problem != "" {
			return nil, apperr.Newf(apperr.Validation, "Key %d of %d for the signatures of packs%s %s", i+1, len(list),
				shortenEntry(entry), problem).
				WithHint("Use the path of an Ed25519 public key in PEM, or its 32 bytes in base64 as `create_pack_key` prints")
		}
		keys = append(keys, found...)
	}
	return keys, nil
}

func parseKey(entry string) (keys []ed25519.PublicKey, problem string) {
	if raw, err := base64.StdEncoding.Strict().DecodeString(entry); err == nil && len(raw) == ed25519.PublicKeySize {
		return []ed25519.PublicKey{raw}, ""
	}
	rest, err := disk.Read(entry, 64<<10)
	if err != nil {
		return nil, "is neither a readable file nor the base64 of 32 bytes"
	}
	for len(bytes.TrimSpace(rest)) > 0 {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, "is not a PEM file"
		}
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return nil, "contains a private key, which only the signer may have"
		}
		parsed, _ := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := parsed.(ed25519.PublicKey)
		if block.Type != "PUBLIC KEY" || !ok {
			return nil, "does not contain an Ed25519 public key"
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, "is an empty file"
	}
	return keys, ""
}

// shortenEntry shows an entry that cannot be key material: neither base64 nor PEM has a dot, and most paths do.
func shortenEntry(entry string) string {
	if !strings.Contains(entry, ".") || strings.Contains(entry, "-----") {
		return ""
	}
	return " ('" + entry + "')"
}
