package status

import "testing"

// TestNamesFields: what is compared without a secret counts where it is known what differs.
func TestNamesFields(t *testing.T) {
	for message, want := range map[string]bool{
		differsFrom + ": spec.bootstrap.userData (packages). The VM": true,
		differsFrom + ". The VM keeps running with its old data.":    false,
		"": false,
	} {
		if got := NamesFields(message); got != want {
			t.Errorf("%q: want %t", message, want)
		}
	}
}

// TestWithoutField: it goes with its comma, wherever it stands among others; alone, it stays.
func TestWithoutField(t *testing.T) {
	for message, want := range map[string]string{
		"made with: a, b, c. The VM": "made with: a, c. The VM",
		"made with: b, c. The VM":    "made with: c. The VM",
		"made with: a, b. The VM":    "made with: a. The VM",
		"made with: b. The VM":       "made with: b. The VM",
		"made with: a, b.c. The VM":  "made with: a, b.c. The VM",
	} {
		if got := WithoutField(message, "b"); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}
