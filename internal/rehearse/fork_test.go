package rehearse

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestFork: a copy of a world in the middle of an edit comes to the same end, whether the world that it is of went on before or not.
func TestFork(t *testing.T) {
	for _, name := range []string{"Drain", "Replace", "Removal", "Upgrade", "Everything"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := edited(t, scenes[name].claim, scenes[name].edit)
			p := playedTo(t, in, 6)
			copied := p.fork(context.Background())

			want := rested(t, p)
			if diff := cmp.Diff(want, rested(t, copied)); diff != "" {
				t.Errorf("-world, +copy:\n%s", diff)
			}
		})
	}
}

// playedTo a round after the edit.
func playedTo(t *testing.T, in Input, round int) *play {
	t.Helper()

	p, err := begin(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}

	p.settle()
	p.edit()

	for p.round = 1; p.round <= round; p.round++ {
		p.once()
	}

	return p
}

// rested is how a world is in the end, and what was done in it.
func rested(t *testing.T, p *play) []string {
	t.Helper()

	for range MaxRounds {
		if p.once() {
			return append([]string{world.Compact(p.cluster.Snapshot())}, p.proxmoxes()[0].Done...)
		}
	}

	t.Fatal("it does not come to rest")

	return nil
}
