package container

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestNothingGoesUnannounced: whatever a claim says and the provider reports, a container is left out only where its managed resource has the
// announcement, the policies are those of today, and nothing protects it. A claim that asks for no replacement never leaves one out.
func TestNothingGoesUnannounced(t *testing.T) {
	removed := 0

	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 11)) //nolint:gosec // A test that can be repeated.
		some := func() bool { return r.IntN(2) == 0 }

		m := aContainer(func(c *machine.Container) {
			c.Lifecycle.Replace = []string{"", "a", "b"}[r.IntN(3)]
			c.Lifecycle.Approval = []v1alpha1.Approval{"", v1alpha1.ApprovalOnRisk}[r.IntN(2)]
			c.DeletionPolicy = []v1alpha1.DeletionPolicy{v1alpha1.DeletionDelete, v1alpha1.DeletionOrphan}[r.IntN(2)]
			c.Protection = r.IntN(4) == 0
			c.Placement.VMID = 150 + int64(r.IntN(2))
		})
		o := living(aContainer(nil), func(o *proxmox.ObservedContainer) {
			annotated(o, map[string]string{proxmox.ReplacingAnnotation: []string{"", "a", "b"}[r.IntN(3)], proxmox.ReplaceTriggersAnnotation: []string{"", "a"}[r.IntN(2)]})

			if some() {
				o.Spec.ManagementPolicies = []string{"Observe", "Create"}
			}

			if r.IntN(4) == 0 {
				o.Status.AtProvider.Parameters.Protection = new(true)
			}

			if some() {
				o.Status.AtProvider.Started, o.Spec.ForProvider.Started = false, false
			}
		})

		req := request(m, map[string]proxmox.ObservedContainer{Name: o})
		req.NamedVMID = m.Placement.VMID

		if some() {
			req = heired(downloaded(req))
		}

		p := Decide(req)
		if Render(p).Container != nil {
			continue
		}

		removed++

		has, destroys := o.Metadata.Annotations, m.DeletionPolicy == v1alpha1.DeletionDelete

		switch {
		case m.Lifecycle.Replace == "", has[proxmox.ReplacingAnnotation] != m.Lifecycle.Replace, has[proxmox.ReplaceTriggersAnnotation] == m.Lifecycle.Replace:
			t.Fatalf("seed %d: it goes unannounced: %+v", seed, p.Replacement)
		case m.Lifecycle.Approval != "":
			t.Fatalf("seed %d: it goes unapproved", seed)
		case destroys != proxmox.MayDelete(o.Spec.ManagementPolicies):
			t.Fatalf("seed %d: it goes with the policies of before", seed)
		case destroys && (m.Protection || is(o.Status.AtProvider.Parameters.Protection)):
			t.Fatalf("seed %d: a protected container is destroyed", seed)
		case !destroys && o.Status.AtProvider.Started:
			t.Fatalf("seed %d: it is let go of while it runs", seed)
		}
	}

	if removed == 0 {
		t.Error("no container was ever replaced")
	}
}

// heired is a request whose check of the VMID has what the container leaves.
func heired(r Request) Request {
	check := proxmox.ObservedVM{}
	check.Spec.ManagementPolicies = proxmox.ObserveOnly()
	check.Metadata.Annotations = map[string]string{proxmox.ReplacingAnnotation: r.Container.Lifecycle.Replace}
	r.Observed.VMs["vmid-heir"] = check

	return r
}

// TestNoReplacement: a claim that has no word of a replacement and of approval leaves no trace of them, also where it had.
func TestNoReplacement(t *testing.T) {
	p := Decide(request(aContainer(nil), map[string]proxmox.ObservedContainer{Name: living(aContainer(nil), nil)}))
	out := Render(p)

	if p.Replacement != nil || len(out.Checks.VMs) > 0 || len(out.Templates) > 0 {
		t.Errorf("replacement %+v, checks %v, templates %v", p.Replacement, out.Checks, out.Templates)
	}

	for _, name := range []string{proxmox.ReplaceTriggersAnnotation, proxmox.ReplacingAnnotation, proxmox.LeftAnnotation, proxmox.ApprovalAnnotation} {
		if diff := cmp.Diff("", out.Container.Metadata.Annotations[name]); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}
