package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

func TestIdleAdopt(t *testing.T) {
	cases := map[string]struct {
		reason  string
		claimed *v1alpha1.Adopt
		has     Present
		want    string
	}{
		"NoAdopt": {reason: "Most claims.", has: Present{Guest: "VM", VMID: 108}},
		"NoVM":    {reason: "It is to be adopted.", claimed: &v1alpha1.Adopt{VMID: 108}, has: Present{Guest: "VM"}},
		"Adopted": {reason: "People leave it in the claim.", claimed: &v1alpha1.Adopt{VMID: 108}, has: Present{Guest: "VM", VMID: 108, Adopted: true}},
		"Made": {
			reason: "There is nothing to take over.", claimed: &v1alpha1.Adopt{VMID: 108}, has: Present{Guest: "VM", VMID: 108},
			want: "spec.adopt has no effect: VM 108 was made for this claim already. Leave adopt out.",
		},
		"AnotherThanMade": {
			reason: "The claim has its VM.", claimed: &v1alpha1.Adopt{VMID: 109}, has: Present{Guest: "VM", VMID: 108},
			want: "spec.adopt.vmId has no effect: the claim has VM 108 already, and takes over no other one. To take over VM 109, write a claim of another name with this adopt; here, leave adopt out.",
		},
		"AnotherThanAdopted": {
			reason: "Nor is an adopted one given up for another.", claimed: &v1alpha1.Adopt{VMID: 109}, has: Present{Guest: "container", VMID: 108, Adopted: true},
			want: "spec.adopt.vmId has no effect: the claim has container 108 already, and takes over no other one. To take over container 109, write a claim of another name with this adopt; here, leave adopt out.",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IdleAdopt(tc.claimed, tc.has); got != tc.want {
				t.Errorf("%s\n-want %s\n+got  %s", tc.reason, tc.want, got)
			}
		})
	}
}
