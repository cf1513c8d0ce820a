package check

import "context"

// DeleteExpired deletes as PruneRegularly does, without a dry run first.
func (s *Store) DeleteExpired(ctx context.Context) error {
	_, err := s.prune(ctx, false)
	return err
}
