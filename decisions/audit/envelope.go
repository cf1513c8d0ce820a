package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/policies/pack"
)

// PayloadType is the type of the payload in the envelope.
const PayloadType = "application/vnd.nomograph.audit+json"

// MaxBytes is the maximum size of a bundle's file.
const MaxBytes = 128 << 20

// envelope is a DSSE envelope. The library of its authors brings an SSH implementation and writes to standard output,
// so its few lines are here.
type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     []byte      `json:"payload"` // base64
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid"` // the public key as policy keygen prints it; only a hint
	Sig   []byte `json:"sig"`
}

// authenticated returns the bytes that a signature covers: DSSE's pre-authentication encoding.
func authenticated(payloadType string, payload []byte) []byte {
	return append(fmt.Appendf(nil, "DSSEv1 %d %s %d ", len(payloadType), payloadType, len(payload)), payload...)
}

// seal returns the envelope of a payload. A nil key leaves it unsigned.
func seal(payload []byte, key ed25519.PrivateKey) ([]byte, error) {
	e := envelope{PayloadType, payload, []signature{}}
	if key != nil {
		public, _ := key.Public().(ed25519.PublicKey)
		e.Signatures = []signature{{pack.KeyText(public), ed25519.Sign(key, authenticated(PayloadType, payload))}}
	}
	text, err := json.Marshal(e)
	return append(text, '\n'), err
}

// unseal returns the payload, the key that signed it ("" if none of the keys did), and what is wrong with the
// signatures. It returns a validation_error for a text that is no envelope of a bundle.
func unseal(ctx context.Context, text []byte, keys []ed25519.PublicKey) (payload []byte, by string, wrong []Problem,
	err error) {
	var e envelope
	if err := decode(ctx, text, &e); err != nil {
		return nil, "", nil, notABundle("This is not an audit bundle: %v", err)
	}
	if e.PayloadType != PayloadType {
		return nil, "", nil, notABundle("The payload type is '%.100s', not '%s'", e.PayloadType, PayloadType)
	}
	signed := authenticated(e.PayloadType, e.Payload)
	if len(e.Signatures) == 0 {
		wrong = append(wrong, Problem{"signatures", "not_signed", "Nobody signed the bundle"})
	}
	for i, s := range e.Signatures {
		at := slices.IndexFunc(keys, func(key ed25519.PublicKey) bool { return ed25519.Verify(key, signed, s.Sig) })
		place := fmt.Sprintf("signatures[%d]", i)
		switch {
		case at >= 0:
			if by = pack.KeyText(keys[at]); s.KeyID != by {
				wrong = append(wrong, Problem{place, "key_mismatch", "The signature names another key than its own"})
			}
		case slices.ContainsFunc(keys, func(key ed25519.PublicKey) bool { return pack.KeyText(key) == s.KeyID }):
			wrong = append(wrong, Problem{place, "signature_mismatch", "The payload or its signature was changed"})
		default:
			wrong = append(wrong, Problem{place, "unknown_key",
				fmt.Sprintf("The key '%.100s' is not trusted", s.KeyID)})
		}
	}
	return e.Payload, by, wrong, nil
}

func notABundle(format string, args ...any) error {
	return apperr.Newf(apperr.Validation, format, args...).
		WithHint("Export bundles with `export_audit`, and pass the file unchanged")
}

// decode reads untrusted JSON without unknown fields.
func decode(ctx context.Context, text []byte, into any) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return fmt.Errorf("it is empty")
	}
	if err := document.JSON(ctx, text, document.Limits{Bytes: MaxBytes, Depth: 100, Nodes: MaxBytes / 8}); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[decoder.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("it goes on after its end: '%.20s'", rest)
	}
	return nil
}
