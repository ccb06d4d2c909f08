package k3s

import "testing"

// TestMajority: more than half, so that two parts of a cluster that do not see each other never both write.
func TestMajority(t *testing.T) {
	for members, want := range []int{1, 1, 2, 2, 3, 3, 4, 4} {
		if got := Majority(members); got != want {
			t.Errorf("Majority(%d): got %d, want %d", members, got, want)
		}
	}
}
