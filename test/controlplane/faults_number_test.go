package controlplane

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// TestTakenNumber has two claims for one VM: the second one says so, and the first one's VM stays as it is. When the first
// one goes with its VM, the second one has the number by itself.
func TestTakenNumber(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		const id = 5580

		owner, other := machine("owner", id), with(machine("other", id), "network.ip", "192.168.4.99")

		must(t, r.apply(t.Context(), owner))
		t.Cleanup(func() { must(t, r.remove(context.Background(), owner, other)) })
		must(t, r.ready(t.Context(), owner))

		before, err := r.desired(t.Context(), owner)
		must(t, err)

		told := r.told(id)

		must(t, r.apply(t.Context(), other))
		must(t, r.tells(t.Context(), other, taken...))
		plane.Rest(t.Context(), moment) // For what should not happen.
		must(t, r.tells(t.Context(), other, taken...))
		must(t, r.ready(t.Context(), owner))

		after, err := r.desired(t.Context(), owner)
		must(t, err)

		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("the owner's managed resources have changed: -before, +after:\n%s", diff)
		}

		if now := r.told(id); now != told {
			t.Errorf("Proxmox was told: %s", strings.TrimPrefix(now, told))
		}

		must(t, r.remove(t.Context(), owner))
		must(t, r.ready(t.Context(), other))

		life := fmt.Sprintf("create VM %[1]d on pve, start VM %[1]d", id)
		if got, want := r.told(id), fmt.Sprintf("%[2]s, stop VM %[1]d, destroy VM %[1]d, %[2]s", id, life); got != want {
			t.Errorf("Proxmox was told:\ngot  %s\nwant %s", got, want)
		}
	})
}

// taken is what a claim says whose number is another machine's.
var taken = []word{{"VMIDInUse", "True", "NumberClaimed", "Choose another VMID"}, {"MachineReady", "False", "VMIDInUse", ""}, {"Ready", "not True", "", ""}}

// TestOneNumberAtOnce applies claims for one VM at the same instant: one of them has it, and the others say so.
func TestOneNumberAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		const id = 5585

		var all []*unstructured.Unstructured
		for i := range 4 {
			all = append(all, with(machine(fmt.Sprintf("at-once%d", i), id), "network.ip", fmt.Sprintf("192.168.4.%d", 200+i)))
		}

		t.Cleanup(func() { must(t, r.remove(context.Background(), all...)) })

		g, ctx := errgroup.WithContext(t.Context())
		for _, claim := range all {
			g.Go(func() error { return r.apply(ctx, claim) })
		}

		must(t, g.Wait())

		settled := func(ctx context.Context) (owners, others []string, why string) {
			for _, claim := range all {
				now, err := r.now(ctx, claim)
				if err != nil {
					return nil, nil, err.Error()
				}

				switch {
				case condition(now, "Ready").status == "True":
					owners = append(owners, claim.GetName())
				case condition(now, "VMIDInUse").status == "True":
					others = append(others, claim.GetName())
				}

				why += fmt.Sprintf("%s: %s\n", claim.GetName(), conditions(now))
			}

			return owners, others, why
		}

		must(t, r.until(t.Context(), "one claim has the number and the others say so", func(ctx context.Context) (bool, string) {
			owners, others, why := settled(ctx)

			return len(owners) == 1 && len(others) == len(all)-1, why
		}))
		plane.Rest(t.Context(), moment) // For what should not happen.

		if owners, others, why := settled(t.Context()); len(owners) != 1 || len(others) != len(all)-1 {
			t.Errorf("ready are %v, without a number are %v:\n%s", owners, others, why)
		}

		if got, want := r.told(id), fmt.Sprintf("create VM %[1]d on pve, start VM %[1]d", id); got != want {
			t.Errorf("Proxmox was told:\ngot  %s\nwant %s", got, want)
		}
	})
}
