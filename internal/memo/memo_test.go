package memo

import (
	"errors"
	"sync"
	"testing"
)

// TestOf: a value is made once for a key, a failure every time, and a full memo forgets.
func TestOf(t *testing.T) {
	m, made := New[string, int](2), 0
	value := func() (int, error) { made++; return made, nil }

	for i, tc := range []struct {
		reason, key string
		want, made  int
	}{
		{"The first time it is made.", "a", 1, 1},
		{"And not again.", "a", 1, 1},
		{"Another key is another value.", "b", 2, 2},
		{"The memo is full, and forgets.", "c", 3, 3},
		{"So the first one is made again.", "a", 4, 4},
		{"What was made since is known.", "c", 3, 4},
		{"Another one takes the place of what nobody asked for longest.", "d", 5, 5},
		{"And not of what somebody asked for.", "c", 3, 5},
		{"It was made five times.", "a", 6, 6},
	} {
		if got, err := m.Of(tc.key, value); err != nil || got != tc.want || made != tc.made {
			t.Errorf("%d, %s: got %d, %v, made %d times; want %d, made %d times", i, tc.reason, got, err, made, tc.want, tc.made)
		}
	}

	fails := errors.New("fails")
	for range 2 {
		if _, err := m.Of("e", func() (int, error) { made++; return 0, fails }); !errors.Is(err, fails) {
			t.Errorf("got %v, want the error of who makes it", err)
		}
	}

	if made != 8 {
		t.Errorf("a failure was remembered: made %d times", made)
	}
}

// TestOfManyCallers: several calls at once get one value each time.
func TestOfManyCallers(t *testing.T) {
	m := New[int, int](8)

	var wg sync.WaitGroup

	for caller := range 8 {
		wg.Go(func() {
			for n := range 1000 {
				key := (n + caller) % 16
				if got, _ := m.Of(key, func() (int, error) { return 2 * key, nil }); got != 2*key {
					t.Errorf("got %d of %d", got, key)
				}
			}
		})
	}

	wg.Wait()
}
