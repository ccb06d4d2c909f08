package controlplane

import (
	"context"
	"fmt"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// until looks at something until it is done, or until nothing moves any more on the plane. The error says what was waited for, what was there
// instead, and what moved last.
func (r *rig) until(ctx context.Context, what string, look func(ctx context.Context) (done bool, why string)) error {
	return r.untilWithin(ctx, plane.Ceiling, what, look)
}

// untilWithin does so for what moves for longer.
func (r *rig) untilWithin(ctx context.Context, ceiling time.Duration, what string, look func(ctx context.Context) (done bool, why string)) error {
	if err := r.Motion.Until(ctx, ceiling, look); err != nil {
		return fmt.Errorf("waited in vain until %s: %w", what, err)
	}

	return nil
}

// proxmoxMoves is a mover: what is written to Proxmox.
func (r *rig) proxmoxMoves() plane.Mover {
	lines := 0

	return func(context.Context) (string, error) {
		journal := r.world.Journal()
		if len(journal) == lines {
			return "", nil
		}

		lines = len(journal)

		return fmt.Sprintf("Proxmox (%s)", journal[lines-1]), nil
	}
}
