package check

import "context"

// CircuitsRead returns the number of circuits with a state in this rule set.
func (set *RuleSet) CircuitsRead() int {
	set.circuits.mu.Lock()
	defer set.circuits.mu.Unlock()
	return len(set.circuits.answers)
}

// DeleteExpired deletes as PruneRegularly does, without a dry run first.
func (s *Store) DeleteExpired(ctx context.Context) error {
	_, err := s.prune(ctx, false)
	return err
}
