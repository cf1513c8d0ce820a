package check

// CircuitsRead returns the number of circuits with a state in this rule set.
func (set *RuleSet) CircuitsRead() int {
	set.circuits.mu.Lock()
	defer set.circuits.mu.Unlock()
	return len(set.circuits.answers)
}
