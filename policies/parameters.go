package policies

// Nullable is the parameter for what may be left out: what p points at, null for nil.
func Nullable[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
