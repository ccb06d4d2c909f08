package container

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestProtection: a claim cannot be deleted while Proxmox would refuse to destroy its container.
func TestProtection(t *testing.T) {
	here := func(m *machine.Container, has *bool) map[string]proxmox.ObservedContainer {
		return map[string]proxmox.ObservedContainer{replacement.First: living(m, func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.Protection = has })}
	}

	// beingMade: the provider was asked to create it.
	beingMade := func(id string) func(*proxmox.ObservedContainer) {
		return func(o *proxmox.ObservedContainer) {
			annotated(o, map[string]string{proxmox.CreatingAnnotation: "none"})
			o.Spec.ManagementPolicies, o.Status.AtProvider.ID = proxmox.CreatePolicies(), id
		}
	}

	for name, tc := range map[string]struct {
		reason  string
		claim   *bool
		policy  v1alpha1.DeletionPolicy
		deletes bool // Whether spec.deletionProtection is off.
		has     *bool
		absent  bool
		also    func(*proxmox.ObservedContainer)
		want    Protection
	}{
		"None":         {reason: "Nobody protects it.", deletes: true, want: ProtectedByNothing},
		"Claim":        {reason: "The claim's own protection knows nothing of Proxmox's.", want: ProtectedByClaim},
		"Wanted":       {reason: "It is about to be on.", claim: new(true), deletes: true, has: new(false), want: ProtectedByProxmox},
		"New":          {reason: "It is created with it.", claim: new(true), deletes: true, absent: true, want: ProtectedByProxmox},
		"StillOn":      {reason: "The provider has not switched it off yet.", claim: new(false), deletes: true, has: new(true), want: ProtectedByProxmox},
		"Off":          {reason: "Now it has.", claim: new(false), deletes: true, has: new(false), want: ProtectedByNothing},
		"ByHand":       {reason: "Whoever set it in Proxmox means the same.", deletes: true, has: new(true), want: ProtectedByProxmox},
		"Both":         {reason: "Both are to be switched off.", claim: new(true), has: new(true), want: ProtectedByBoth},
		"Orphaned":     {reason: "Nothing is destroyed.", claim: new(true), policy: v1alpha1.DeletionOrphan, deletes: true, has: new(true), want: ProtectedByNothing},
		"Made":         {reason: "The provider may not destroy it before it has shown it.", deletes: true, also: beingMade(""), want: ProtectedByMaking},
		"MadeToStay":   {reason: "Nothing would be destroyed.", deletes: true, policy: v1alpha1.DeletionOrphan, also: beingMade(""), want: ProtectedByNothing},
		"MadeAndClaim": {reason: "One is enough.", also: beingMade(""), want: ProtectedByClaim},
		"OrphanedBoth": {reason: "The claim's own protection stays.", claim: new(true), policy: v1alpha1.DeletionOrphan, has: new(true), want: ProtectedByClaim},
	} {
		t.Run(name, func(t *testing.T) {
			m := aContainer(func(c *machine.Container) {
				c.ProxmoxProtection, c.Protection = tc.claim, !tc.deletes
				if tc.policy != "" {
					c.DeletionPolicy = tc.policy
				}
			})

			observed := here(m, tc.has)
			if o := observed[replacement.First]; tc.also != nil {
				tc.also(&o)
				observed[replacement.First] = o
			}

			if tc.absent {
				observed = nil
			}

			if got := ProtectionOf(Decide(request(m, observed))); got != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
