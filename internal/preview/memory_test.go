package preview

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// forgetful begins each turn with nothing, as Crossplane does.
type forgetful struct{ InProcess }

func (f forgetful) Turn(ctx context.Context, in Input) (Turn, error) {
	in.memory = nil

	return f.InProcess.Turn(ctx, in)
}

// TestMemory: what a turn begins with saves calls of the function, and changes nothing in any example.
func TestMemory(t *testing.T) {
	r := rendering{flavour: FlavourNamespaced, standIns: true}
	all := filepath.Join(repository, "example")

	if diff := cmp.Diff(r.texts(t, forgetful{}, all), r.texts(t, InProcess{}, all)); diff != "" {
		t.Errorf("-from nothing, +from the turn before:\n%s", diff)
	}
}

// counting counts the turns that begin with something.
type counting struct {
	InProcess

	remembered *int
}

func (c counting) Turn(ctx context.Context, in Input) (Turn, error) {
	if in.memory.recall() != nil {
		*c.remembered++
	}

	return c.InProcess.Turn(ctx, in)
}

// TestMemoryIsUsed: but for the first one, each turn of a machine begins with what the one before it asked for.
func TestMemoryIsUsed(t *testing.T) {
	remembered := 0
	rendering{}.texts(t, counting{remembered: &remembered}, filepath.Join(repository, "example", "k3s-cluster", "server-2.yaml"))

	if remembered == 0 {
		t.Error("no turn remembers what was asked for")
	}
}
