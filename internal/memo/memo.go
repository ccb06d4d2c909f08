// Package memo remembers what follows from a key alone, so that nobody can tell by an answer whether it was remembered.
package memo

import "sync"

// A Memo remembers values by their keys, at most so many at once: when it is full, it forgets all. It may be used by several calls at once.
type Memo[K comparable, V any] struct {
	most int

	mu sync.Mutex
	by map[K]V
}

// New returns a Memo of at most so many values.
func New[K comparable, V any](most int) *Memo[K, V] { return &Memo[K, V]{most: most} }

// Of a key is the value that somebody makes of it now, or made of it before. A value that cannot be made is not remembered. Nobody may change a value.
func (m *Memo[K, V]) Of(key K, makeValue func() (V, error)) (V, error) {
	m.mu.Lock()
	value, known := m.by[key]
	m.mu.Unlock()

	if known {
		return value, nil
	}

	value, err := makeValue()
	if err != nil {
		return value, err
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if m.by == nil || len(m.by) >= m.most {
		m.by = map[K]V{}
	}

	m.by[key] = value

	return value, nil
}
