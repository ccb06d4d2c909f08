package proxmox

import "testing"

// TestIsPaused: an object is paused by one word alone.
func TestIsPaused(t *testing.T) {
	for name, tc := range map[string]struct {
		reason      string
		annotations map[string]string
		want        bool
	}{
		"None":   {reason: "Nobody paused it."},
		"Paused": {reason: "Somebody did.", annotations: map[string]string{PausedAnnotation: "true"}, want: true},
		"Ended":  {reason: "It goes on again.", annotations: map[string]string{PausedAnnotation: "false"}},
		"Other":  {reason: "Crossplane reads no other word.", annotations: map[string]string{PausedAnnotation: "yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := IsPaused(tc.annotations); got != tc.want {
				t.Errorf("%s\ngot %t", tc.reason, got)
			}
		})
	}
}
