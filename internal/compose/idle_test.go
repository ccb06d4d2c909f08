package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestIdle: who writes adopt into the claim of a VM or container that exists is told that nothing is taken over.
func TestIdle(t *testing.T) {
	const (
		other = " already, and takes over no other one. To take over "
		leave = ", write a claim of another name with this adopt; here, leave adopt out."
	)

	cases := map[string]struct {
		reason  string
		exists  bool
		adopted bool
		want    func(guest string) []string
	}{
		"New": {reason: "It is to be adopted.", want: func(string) []string { return nil }},
		"Made": {reason: "It has another one.", exists: true, want: func(guest string) []string {
			return []string{"spec.adopt.vmId has no effect: the claim has " + guest + " 108" + other + guest + " 109" + leave}
		}},
		"Adopted": {reason: "An edit of the number takes over no second one.", exists: true, adopted: true, want: func(guest string) []string {
			return []string{"spec.adopt.vmId has no effect: the claim has " + guest + " 108" + other + guest + " 109" + leave}
		}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			annotations := map[string]string{proxmox.ExternalNameAnnotation: "108"}
			if tc.adopted {
				annotations[proxmox.AdoptedAnnotation] = "true"
			}

			vm, o := proxmox.ObservedVM{}, proxmox.ObservedContainer{}
			vm.Metadata.Annotations, o.Metadata.Annotations = annotations, annotations
			vm.Status.AtProvider.ID, o.Status.AtProvider.ID = "108", "108"

			c := &call{claim: claim.Claim{Machine: &v1alpha1.MachineSpec{}}}
			c.claim.Machine.Adopt = &v1alpha1.Adopt{VMID: 109}
			c.facts.Roles = lifecycle.Roles{Active: lifecycle.FirstVM}

			if tc.exists {
				c.facts.Observed.VMs = map[string]proxmox.ObservedVM{lifecycle.FirstVM: vm}
			}

			if diff := cmp.Diff(tc.want("VM"), idleOf(c)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			spec := v1alpha1.ContainerSpec{Adopt: &v1alpha1.Adopt{VMID: 109}}
			of := containerCall{&call{claim: claim.Claim{Container: &spec}}}

			if tc.exists {
				of.call.facts.Observed.Containers = map[string]proxmox.ObservedContainer{of.roles().Active: o}
			}

			if diff := cmp.Diff(tc.want("container"), of.idle(spec)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
