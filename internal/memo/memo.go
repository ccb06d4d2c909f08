// Package memo remembers what follows from a key alone, so that nobody can tell by an answer whether it was remembered.
package memo

import "sync"

// A Memo remembers values by their keys, at most so many at once: when it is full, it forgets those that nobody has asked for since it was half full. It may be
// used by several calls at once.
type Memo[K comparable, V any] struct {
	most int

	mu     sync.Mutex
	recent map[K]V // What was asked for since it was half full.
	older  map[K]V
}

// New returns a Memo of at most so many values.
func New[K comparable, V any](most int) *Memo[K, V] { return &Memo[K, V]{most: most} }

// Of a key is the value that somebody makes of it now, or made of it before. A value that cannot be made is not remembered. Nobody may change a value.
func (m *Memo[K, V]) Of(key K, makeValue func() (V, error)) (V, error) {
	if value, known := m.known(key); known {
		return value, nil
	}

	value, err := makeValue()
	if err != nil {
		return value, err
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	m.keep(key, value)

	return value, nil
}

// known value of a key.
func (m *Memo[K, V]) known(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if value, known := m.recent[key]; known {
		return value, true
	}

	value, known := m.older[key]
	if known {
		delete(m.older, key)
		m.keep(key, value)
	}

	return value, known
}

// keep a value as one that was asked for. The lock is held.
func (m *Memo[K, V]) keep(key K, value V) {
	if m.recent == nil || len(m.recent) >= (m.most+1)/2 {
		m.recent, m.older = map[K]V{}, m.recent
	}

	m.recent[key] = value
}
