package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
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
			got := vmidQuestion{owner: Owner{Namespace: "infra"}, left: tc.left, replaced: tc.replaced}.checkVMID()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAdoptsNothingManaged: no claim takes over a VM that a managed resource which was left behind can still change or destroy.
func TestAdoptsNothingManaged(t *testing.T) {
	left := settledVM(func(vm *proxmox.ObservedVM) {
		vm.APIVersion, vm.Metadata.Name, vm.Metadata.Namespace = "m.example.org/v1", "db-old", "infra"
	})
	looks, withheld := left, left
	looks.Spec.ManagementPolicies, withheld.Withheld = proxmox.ObserveOnly(), true

	held := VMIDCheck{VMID: 100, Outcome: OutcomeLeftBehind, Name: proxmox.ResourceOf(left.APIVersion, proxmox.VMKind) + "/db-old -n infra"}
	free := func(id int64) VMIDCheck { return VMIDCheck{VMID: id, Outcome: OutcomeChecking} }

	for name, tc := range map[string]struct {
		reason string
		vmID   int64
		left   []proxmox.ObservedVM
		want   VMIDCheck
	}{
		"None":     {reason: "Nothing was left behind.", vmID: 100, want: free(100)},
		"Managed":  {reason: "Two managed resources would write one VM.", vmID: 100, left: []proxmox.ObservedVM{left}, want: held},
		"Other":    {reason: "It is another VM's.", vmID: 101, left: []proxmox.ObservedVM{left}, want: free(101)},
		"Looks":    {reason: "It only looks.", vmID: 100, left: []proxmox.ObservedVM{looks}, want: free(100)},
		"Withheld": {reason: "The claim is not told of it.", vmID: 100, left: []proxmox.ObservedVM{withheld}, want: free(100)},
	} {
		t.Run(name, func(t *testing.T) {
			s := Assess(Request{
				Machine: &machine.Machine{Identity: me, NICs: []machine.NIC{{}}, Adopt: &v1alpha1.Adopt{VMID: tc.vmID, Approve: "a000000000"}},
				Owner:   Owner{Namespace: "infra"}, Roles: Roles{Active: FirstVM}, LeftBehind: tc.left, Observed: proxmox.State{VMs: vms{}},
			})

			if diff := cmp.Diff(tc.want, adopt(&s, Description{}).adoption.VMIDCheck); diff != "" {
				t.Errorf("%s\nadopt(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
