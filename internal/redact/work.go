package redact

// countWork receives the number of bytes that a step reads. Only tests set it, to show that the work is linear in the
// length of the text.
var countWork func(bytes int)

func recordWork(bytes int) {
	if countWork != nil {
		countWork(bytes)
	}
}
