package odpclient

// remembered are documents, or why they cannot be had, by what they were asked for with: the Actions of one Offering often share
// theirs, and nothing is asked for twice in one run.
type remembered[T any] map[string]result[T]

type result[T any] struct {
	value T
	err   error
}

// get returns what is remembered, and makes it where it is not.
func (r *remembered[T]) get(key string, make func() (T, error)) (T, error) {
	if known, ok := (*r)[key]; ok {
		return known.value, known.err
	}
	value, err := make()
	if *r == nil {
		*r = remembered[T]{}
	}
	(*r)[key] = result[T]{value, err}
	return value, err
}
