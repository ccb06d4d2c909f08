package container

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestTheOldOneStays: whatever a claim says and the provider reports, the container that the claim has is never left out; and one that was replaced is left
// out only where it is off, the policies are those of its fate, nothing protects it, and the one in its place was seen to run.
func TestTheOldOneStays(t *testing.T) {
	t.Parallel()

	gone := 0

	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 11)) //nolint:gosec // A test that can be repeated.
		some := func() bool { return r.IntN(2) == 0 }

		m := aContainer(func(c *machine.Container) {
			c.Lifecycle.Replace = []string{"", "a", "b"}[r.IntN(3)]
			c.DeletionPolicy = []v1alpha1.DeletionPolicy{v1alpha1.DeletionDelete, v1alpha1.DeletionOrphan}[r.IntN(2)]
			c.Protection = r.IntN(4) == 0
		})

		vary := func(o *proxmox.ObservedContainer) {
			annotated(o, map[string]string{proxmox.ReplacingAnnotation: []string{"", "a", "b"}[r.IntN(3)], proxmox.FirstStartAnnotation: []string{"", "true"}[r.IntN(2)]})

			if some() {
				o.Spec.ManagementPolicies = []string{"Observe", "Create"}
			}

			if r.IntN(4) == 0 {
				o.Status.AtProvider.Parameters.Protection = new(true)
			}

			if some() {
				o.Status.AtProvider.Started, o.Spec.ForProvider.Started = false, false
			}
		}
		name := RolesOf(map[string]proxmox.ObservedContainer{replacement.First: living(aContainer(nil), nil)}, m.Identity, "a").Candidate
		all := map[string]proxmox.ObservedContainer{replacement.First: living(aContainer(nil), vary)}

		if some() {
			all[name] = living(aContainer(nil), func(o *proxmox.ObservedContainer) {
				vary(o)
				annotated(o, map[string]string{proxmox.ReplaceTriggersAnnotation: "a"})
			})
		}

		req := request(m, all)
		req.Roles = RolesOf(all, m.Identity, m.Lifecycle.Replace)
		req.Guest = req.Roles.Active
		out := Render(Decide(req))

		if _, there := out.Containers[req.Guest]; !there {
			t.Fatalf("seed %d: the container of the claim is left out", seed)
		}

		for _, old := range req.Roles.Retired {
			if _, there := out.Containers[old]; there {
				continue
			}

			gone++

			o, destroys := all[old], m.DeletionPolicy == v1alpha1.DeletionDelete

			switch {
			case o.Status.AtProvider.Started || o.Spec.ForProvider.Started:
				t.Fatalf("seed %d: it goes while it runs", seed)
			case destroys != proxmox.MayDelete(o.Spec.ManagementPolicies):
				t.Fatalf("seed %d: it goes with the policies of before", seed)
			case destroys && (m.Protection || is(o.Status.AtProvider.Parameters.Protection)):
				t.Fatalf("seed %d: a protected container is destroyed", seed)
			case all[req.Guest].Metadata.Annotations[proxmox.FirstStartAnnotation] != "":
				t.Fatalf("seed %d: it goes before the other one was seen to run", seed)
			case !destroys && !strings.Contains(out.Containers[req.Guest].Metadata.Annotations[proxmox.LeftAnnotation], "/150"):
				t.Fatalf("seed %d: nobody knows that it stayed", seed)
			}
		}
	}

	if gone == 0 {
		t.Error("no container was ever replaced")
	}
}

// TestNoReplacement: a claim that has no word of a replacement and of approval leaves no trace of them.
func TestNoReplacement(t *testing.T) {
	t.Parallel()

	p := Decide(request(aContainer(nil), map[string]proxmox.ObservedContainer{replacement.First: living(aContainer(nil), nil)}))
	out := Render(p)

	if p.Replacement != nil || len(out.Checks.VMs) > 0 || len(out.Templates) > 0 || len(out.Containers) != 1 {
		t.Errorf("replacement %+v, checks %v, templates %v", p.Replacement, out.Checks, out.Templates)
	}

	for _, name := range []string{
		proxmox.ReplaceTriggersAnnotation, proxmox.ReplacingAnnotation, proxmox.LeftAnnotation, proxmox.ApprovalAnnotation, proxmox.CandidateAnnotation,
	} {
		if diff := cmp.Diff("", rendered(out).Metadata.Annotations[name]); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}
