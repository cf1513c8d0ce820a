package change

import (
	"context"
	"crypto/ed25519"

	"nomograph/policies/pack"
)

// RequireSignatures makes Apply refuse every pack without a signature by a trusted key, except for shipped packs.
// Entries are as for ParseKeys. They are read at each Apply, so that a replaced key file is used immediately, and an
// unreadable key file refuses all packs.
func (s *Store) RequireSignatures(trusted []string) {
	s.trusted = func() ([]ed25519.PublicKey, error) { return pack.ParseKeys(trusted) }
}

// CheckSignatures checks signatures before anything is parsed, so that untrusted text reaches little code.
func (s *Store) CheckSignatures(sources []pack.Source) error {
	if s.trusted == nil {
		return nil
	}
	keys, err := s.trusted()
	if err != nil {
		return err
	}
	for _, source := range sources {
		if source.Text == "" { // shipped packs are as trusted as the program itself
			continue
		}
		if err := pack.CheckSignature(keys, source); err != nil {
			return err
		}
	}
	return nil
}

// parse checks the signatures of packs and parses them.
func (s *Store) parse(ctx context.Context, sources []pack.Source) ([]pack.Pack, error) {
	if err := s.CheckSignatures(sources); err != nil {
		return nil, err
	}
	return pack.ParseAll(ctx, sources)
}
