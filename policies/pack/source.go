package pack

// Source is a pack to apply: the name of a shipped one, or the text of any other.
type Source struct {
	Name string `json:"name" jsonschema:"shipped pack name, or the file name shown in errors" rule:"minLength=1,maxLength=500"`
	Text string `json:"text,omitempty" jsonschema:"the pack's YAML; empty for a shipped pack"`
	// Signature may be long: any file can be called FILE.sig, and it is ignored unless a signature is required.
	Signature string `json:"signature,omitempty" jsonschema:"the text's detached Ed25519 signature in base64, where packs must be signed" rule:"maxLength=5000"`
}
