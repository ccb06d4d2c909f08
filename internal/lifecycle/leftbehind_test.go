package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestLeftBehind holds that no second VM is made beside one that a managed resource of the claim still has, although nobody composes it any more.
func TestLeftBehind(t *testing.T) {
	left := settledVM(func(vm *proxmox.ObservedVM) {
		vm.APIVersion, vm.Metadata.Name, vm.Metadata.Namespace = "m.example.org/v1", "db-old", "infra"
		vm.Status.AtProvider.NodeName = "pve1"
	})
	elsewhere := left
	elsewhere.Metadata.Namespace = "web"

	check := &VMIDCheck{VMID: 100, Outcome: OutcomeLeftBehind, Name: proxmox.ResourceOf(left.APIVersion, proxmox.VMKind) + "/db-old -n infra", Node: "pve1"}

	cases := map[string]struct {
		reason   string
		left     []proxmox.ObservedVM
		replaced int64
		want     *VMIDCheck
	}{
		"None":      {reason: "There is nothing in its way."},
		"Left":      {reason: "A second VM would have its name and address.", left: []proxmox.ObservedVM{left}, want: check},
		"Elsewhere": {reason: "Who may write in another namespace keeps nobody from a VM.", left: []proxmox.ObservedVM{elsewhere}},
		"Behind":    {reason: "A stranger's does not hide the machine's own.", left: []proxmox.ObservedVM{elsewhere, left}, want: check},
		"Replaces":  {reason: "The candidate has the name of the VM that it replaces anyway.", left: []proxmox.ObservedVM{left}, replaced: 100},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := vmidQuestion{owner: Owner{Namespace: "infra"}, left: tc.left, replaced: tc.replaced}.leftBehind()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
