package change

import (
	"crypto/ed25519"
	"nomograph/policies/pack"
)

// RequireSignatures makes Apply refuse every pack that none of the trusted keys signed, but for the shipped ones. Entries
// are as ParseKeys takes them. They are read at each Apply, so that a key file that was replaced counts at once, and one
// that cannot be read refuses all packs.
func (s *Store) RequireSignatures(trusted []string) {
	s.trusted = func() ([]ed25519.PublicKey, error) { return pack.ParseKeys(trusted) }
}

// CheckSignatures refuses before anything is parsed: text of unknown origin should meet as little code as possible.
func (s *Store) CheckSignatures(sources []pack.Source) error {
	if s.trusted == nil {
		return nil
	}
	keys, err := s.trusted()
	if err != nil {
		return err
	}
	for _, source := range sources {
		if source.Text == "" { // shipped, and as trusted as the program itself
			continue
		}
		if err := pack.CheckSignature(keys, source); err != nil {
			return err
		}
	}
	return nil
}
