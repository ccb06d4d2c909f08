package world

import "testing"

// TestFingerprintInOrder: two values that differ in moments alone are the same if the order of these is.
func TestFingerprintInOrder(t *testing.T) {
	t.Parallel()

	base := []any{"began 2026-01-01T00:01:00Z", map[string]any{"at": "2026-01-01T00:02:00Z, again 2026-01-01T00:01:00Z."}, "no moment"}

	for name, tc := range map[string]struct {
		value []any
		same  bool
	}{
		"Later": {
			same:  true,
			value: []any{"began 2026-01-01T05:00:00Z", map[string]any{"at": "2026-01-03T00:00:00Z, again 2026-01-01T05:00:00Z."}, "no moment"},
		},
		"OtherOrder": {value: []any{"began 2026-01-01T00:03:00Z", map[string]any{"at": "2026-01-01T00:02:00Z, again 2026-01-01T00:03:00Z."}, "no moment"}},
		"AtOnce":     {value: []any{"began 2026-01-01T00:01:00Z", map[string]any{"at": "2026-01-01T00:01:00Z, again 2026-01-01T00:01:00Z."}, "no moment"}},
		"TextBefore": {value: []any{"ended 2026-01-01T00:01:00Z", map[string]any{"at": "2026-01-01T00:02:00Z, again 2026-01-01T00:01:00Z."}, "no moment"}},
		"TextBehind": {value: []any{"began 2026-01-01T00:01:00Z", map[string]any{"at": "2026-01-01T00:02:00Z, again 2026-01-01T00:01:00Z!"}, "no moment"}},
		"OneLess":    {value: []any{"began 2026-01-01T00:01:00Z", map[string]any{"at": "2026-01-01T00:02:00Z, again "}, "no moment"}},
		"Cut":        {value: []any{"began 2026-01-", map[string]any{"at": "2026-01-01T00:02:00Z, again 2026-01-01T00:01:00Z."}, "no moment"}},
		"OtherText":  {value: []any{"began 2026-01-01T00:01:00Z", map[string]any{"at": "2026-01-01T00:02:00Z, again 2026-01-01T00:01:00Z."}, "a moment"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if same := fingerprintInOrder(base) == fingerprintInOrder(tc.value); same != tc.same {
				t.Errorf("the same: got %t, want %t", same, tc.same)
			}
		})
	}
}
