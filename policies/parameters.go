package policies

// Nullable returns the value of an optional parameter, null for nil.
func Nullable[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
