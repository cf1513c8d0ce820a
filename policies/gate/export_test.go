package gate

// CircuitsRead returns how many circuits have an answer in this rule set.
func (set *RuleSet) CircuitsRead() int {
	set.circuits.mu.Lock()
	defer set.circuits.mu.Unlock()
	return len(set.circuits.answers)
}
