package rehearse

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPerformance: played round by round it is the same rehearsal, and what was shown of it on the way is where it was shown, but for waits.
func TestPerformance(t *testing.T) {
	for _, name := range []string{"Nothing", "Servers", "StopTwo", "Refused", "Machine"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := edited(t, scenes[name].claim, scenes[name].edit)

			f, err := Perform(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}

			var shown []Step

			for !f.Over() {
				if steps := f.Rehearsal().Steps; !f.Began() && len(steps) > 0 || f.Began() != (f.Start() != nil) {
					t.Fatalf("before the edit there are %d steps, and a start: %t", len(steps), f.Start() != nil)
				}

				shown = f.Rehearsal().Steps

				if err := f.Next(); err != nil {
					t.Fatal(err)
				}
			}

			want := rehearsed(t, in)
			if diff := cmp.Diff(want, f.Rehearsal()); diff != "" {
				t.Errorf("-at once, +round by round:\n%s", diff)
			}

			at := map[int]Step{}
			for _, s := range want.Steps {
				at[s.Round] = s
			}

			for _, s := range shown {
				if diff := cmp.Diff(at[s.Round].Done, s.Done); diff != "" {
					t.Errorf("round %d: -in the end, +shown:\n%s", s.Round, diff)
				}
			}
		})
	}
}
