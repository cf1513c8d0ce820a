package redact

// countWork receives how many bytes a step reads. Only tests set it, to show that the work grows as the text does and no
// faster.
var countWork func(bytes int)

func worked(bytes int) {
	if countWork != nil {
		countWork(bytes)
	}
}
