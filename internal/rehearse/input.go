package rehearse

import (
	"context"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// MaxRounds until nothing changes any more.
const MaxRounds = 150

// An Input is an edit, and what it is an edit of.
type Input struct {
	// Machines that are played.
	Machines []Machine
	// Assumed is how long things take.
	Assumed Assumed
	// Memory that rehearsals share, such as those of an edit that somebody types. Nil: one of its own.
	Memory *world.Memory
	// Until is the step after which the rehearsal stops; 0: the end.
	Until int
}

// A Machine is a claim of any kind with its edit. Without Was it is born.
type Machine struct {
	Name string         // As people call it: K3sCluster infra-machines/home.
	Was  *preview.Scene // The claim as it was, where nothing is observed: it is born first. Nil: what is observed counts.
	Is   preview.Scene  // The edited claim.
	Fate Fate           // What the edit does to the claim.
}

// Rehearse an edit.
func Rehearse(ctx context.Context, in Input) (Rehearsal, error) {
	until := in.Until
	in.Until = 0

	whole, err := rehearseOnce(ctx, in)
	if err != nil || until == 0 || until >= len(whole.Steps) {
		return whole, err // Where nothing comes after the last step, the verdict is that on the whole.
	}

	in.Until = until

	return rehearseOnce(ctx, in)
}

func rehearseOnce(ctx context.Context, in Input) (Rehearsal, error) {
	p, err := begin(ctx, in)
	if err != nil {
		return Rehearsal{}, err
	}

	return p.play()
}
