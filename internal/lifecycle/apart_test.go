package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// apartVM is a VM of a machine on a node of Proxmox.
func apartVM(namespace, machine, node string, edits ...func(*proxmox.ObservedVM)) proxmox.ObservedVM {
	out := proxmox.ObservedVM{}
	out.Metadata.Labels = map[string]string{proxmox.NamespaceLabel: namespace, proxmox.MachineLabel: machine, proxmox.CompositeLabel: namespace + "-" + machine}
	out.Spec.ForProvider.NodeName = "where it was created"
	out.Status.AtProvider.NodeName = node

	for _, edit := range edits {
		edit(&out)
	}

	return out
}

// TestMeetingOf: who is on the node of a machine's VM although they are kept apart, and where there are fewer.
func TestMeetingOf(t *testing.T) {
	checked := func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = []string{"Observe"} }
	elsewhere := func(vm *proxmox.ObservedVM) { vm.Spec.ProviderConfigRef.Name = "lab" }
	vms := func(all ...proxmox.ObservedVM) []proxmox.ObservedVM { return all }

	cases := map[string]struct {
		reason string
		apart  Apart
		absent bool
		want   Meeting
	}{
		"Alone":  {reason: "Nobody asked for others.", want: Meeting{}},
		"Apart":  {reason: "The other one is on another node.", apart: Apart{Group: vms(apartVM("infra", "b", "pve2"))}, want: Meeting{}},
		"Absent": {reason: "There is no VM that could meet another.", apart: Apart{Group: vms(apartVM("infra", "b", "pve1"))}, absent: true, want: Meeting{}},
		"Own":    {reason: "A machine's own VMs may be on one node.", apart: Apart{Group: vms(apartVM("infra", "a", "pve1"))}, want: Meeting{}},
		"Meets": {
			reason: "Node pve3 has none of them.", apart: Apart{Group: vms(apartVM("infra", "b", "pve1"), apartVM("infra", "c", "pve2")), Nodes: []string{"pve1", "pve2", "pve3"}},
			want: Meeting{Node: "pve1", With: []string{"infra/b"}, Free: "pve3"},
		},
		"Twice": {
			reason: "A machine that is replaced has two VMs, and is one machine.", apart: Apart{Group: vms(apartVM("infra", "b", "pve1"), apartVM("infra", "b", "pve1")), Nodes: []string{"pve1", "pve2"}},
			want: Meeting{Node: "pve1", With: []string{"infra/b"}, Free: "pve2"},
		},
		"AsMany": {
			reason: "A move would only take the meeting elsewhere.", apart: Apart{Group: vms(apartVM("infra", "b", "pve1"), apartVM("infra", "c", "pve2")), Nodes: []string{"pve1", "pve2"}},
			want: Meeting{Node: "pve1", With: []string{"infra/b"}},
		},
		"UnlistedNodes": {
			reason: "The catalogue lists no nodes: those with machines are known, and have as many.", apart: Apart{Group: vms(apartVM("infra", "b", "pve1"), apartVM("infra", "c", "pve2"))},
			want: Meeting{Node: "pve1", With: []string{"infra/b"}},
		},
		"Checked":   {reason: "What is asked about is somebody else's VM.", apart: Apart{Group: vms(apartVM("infra", "b", "pve1", checked))}, want: Meeting{}},
		"OtherSite": {reason: "Another Proxmox has a node of the same name.", apart: Apart{Group: vms(apartVM("infra", "b", "pve1", elsewhere))}, want: Meeting{}},
		"Servers": {
			reason: "Servers come first, those of other namespaces without their names, and strangers not at all.",
			apart: Apart{
				Servers: vms(apartVM("infra", "a", "pve1"), apartVM("infra", "b", "pve1"), apartVM("shop", "c", "pve1"), apartVM("strange", "d", "pve1")),
				Group:   vms(apartVM("infra", "e", "pve1")), Nodes: []string{"pve1", "pve2"},
			},
			want: Meeting{Node: "pve1", Servers: true, With: []string{"infra/b", AnotherClaim}, Free: "pve2"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Request{
				Roles: Roles{Active: FirstVM}, Apart: tc.apart, Kin: Kin{Namespace: "infra", Named: []string{"shop"}},
				Owner: Owner{Composite: "infra-a", ClaimNamespace: "infra"}, Observed: proxmox.State{VMs: map[string]proxmox.ObservedVM{FirstVM: apartVM("infra", "a", "pve1")}},
			}
			if tc.absent {
				r.Observed.VMs = nil
			}

			if diff := cmp.Diff(tc.want, MeetingOf(r)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
