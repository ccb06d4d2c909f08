package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	nodesUUID = "7f3c8f0e-5a44-5b39-9d0e-5f7c2f2f8a11"
	otherUUID = "00112233-4455-6677-8899-aabbccddeeff"
)

func TestOwnerOf(t *testing.T) {
	id := machine.Identity{Kind: "K3sNode", Namespace: "infra", Name: "server-1", UID: "3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a13"}
	candidate := nameFor(id, "a")

	// vm that lives, with the UUID that was written, the one that Proxmox has, and an address.
	vm := func(written, seen, address string) proxmox.ObservedVM {
		var o proxmox.ObservedVM

		o.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "100"}
		o.Status.AtProvider.ID = "100"
		o.Status.Conditions = []proxmox.Condition{{Type: proxmox.ConditionReady, Status: "True"}}

		if written != "" {
			o.Spec.ForProvider.SMBIOS = []proxmox.SMBIOS{{UUID: written}}
		}

		if seen != "" {
			o.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: seen}}
		}

		if address != "" {
			o.Status.AtProvider.NetworkDevice = []proxmox.ObservedDevice{{MACAddress: "BC:24:11:00:00:53"}}
			o.Status.AtProvider.MACAddresses = []string{"bc:24:11:00:00:53"}
			o.Status.AtProvider.IPv4Addresses = [][]string{{address}}
		}

		return o
	}
	observing := func(o proxmox.ObservedVM) proxmox.ObservedVM {
		o.Spec.ManagementPolicies = proxmox.ObserveOnly()

		return o
	}
	aNode := func(systemUUID, label, address string) *node.Node {
		n := &node.Node{}
		n.Status.NodeInfo.SystemUUID = systemUUID

		if label != "" {
			n.Metadata.Labels = map[string]string{node.UIDLabel: label}
		}

		if address != "" {
			n.Status.Addresses = []node.Address{{Type: "InternalIP", Address: address}}
		}

		return n
	}
	first := func(o proxmox.ObservedVM) map[string]proxmox.ObservedVM {
		return map[string]proxmox.ObservedVM{FirstVM: o}
	}

	cases := map[string]struct {
		reason string
		node   *node.Node
		vms    map[string]proxmox.ObservedVM
		roles  Roles
		adopt  *v1alpha1.Adopt
		want   NodeOwner
	}{
		"NoNode": {reason: "There is none of the name.", vms: first(vm(nodesUUID, nodesUUID, "")), want: NodeOwner{Ownership: OwnershipNone}},
		"NoVM": {
			reason: "Before there is a VM, a Node of its name is another machine's, whatever it says.", node: aNode("", id.UUID(FirstVM), ""),
			want: NodeOwner{Ownership: OwnershipOther, Proof: ProofNoVM},
		},
		"OnlyChecked": {
			reason: "A VM that has the VMID that is checked is somebody else's.", node: aNode(nodesUUID, "", ""), vms: first(observing(vm("", nodesUUID, ""))),
			want: NodeOwner{Ownership: OwnershipOther, Proof: ProofNoVM},
		},
		"ToBeAdopted": {
			reason: "A VM that is to be adopted is a node already.", node: aNode(nodesUUID, "", ""), vms: first(observing(vm("", nodesUUID, ""))),
			adopt: &v1alpha1.Adopt{VMID: 100}, want: NodeOwner{OwnershipOurs, ProofUUID, FirstVM},
		},
		"UUID": {
			reason: "The kubelet reports the UUID of the VM, in whatever case.", node: aNode("7F3C8F0E-5A44-5B39-9D0E-5F7C2F2F8A11", "", ""),
			vms: first(vm(nodesUUID, nodesUUID, "")), want: NodeOwner{OwnershipOurs, ProofUUID, FirstVM},
		},
		"UUIDNotReported": {
			reason: "Before the provider has reported the VM, what was written counts.", node: aNode(nodesUUID, "", ""),
			vms: first(vm(nodesUUID, "", "")), want: NodeOwner{OwnershipOurs, ProofUUID, FirstVM},
		},
		"UUIDOfAVMOfAnEarlierRelease": {
			reason: "Nothing was written for it, and Proxmox has one.", node: aNode(nodesUUID, "", ""),
			vms: first(vm("", nodesUUID, "")), want: NodeOwner{OwnershipOurs, ProofUUID, FirstVM},
		},
		"OtherUUID": {
			reason: "Another UUID decides, also where label and address are the VM's: a stale Node keeps both.",
			node:   aNode(otherUUID, id.UUID(FirstVM), "192.168.4.211"), vms: first(vm(nodesUUID, nodesUUID, "192.168.4.211")),
			want: NodeOwner{Ownership: OwnershipOther, Proof: ProofUUID},
		},
		"UUIDEditedInProxmox": {
			reason: "Nobody can tell with which of two it runs: the label decides.", node: aNode(nodesUUID, id.UUID(FirstVM), ""),
			vms: first(vm(nodesUUID, otherUUID, "")), want: NodeOwner{OwnershipOurs, ProofLabel, FirstVM},
		},
		"MachineID": {
			reason: "A guest without SMBIOS reports its machine ID, which is no UUID of a VM.", node: aNode("7f3c8f0e5a445b399d0e5f7c2f2f8a12", id.UUID(FirstVM), ""),
			vms: first(vm(nodesUUID, nodesUUID, "")), want: NodeOwner{OwnershipOurs, ProofLabel, FirstVM},
		},
		"NoUUID": {
			reason: "Nor are zeros.", node: aNode("00000000-0000-0000-0000-000000000000", id.UUID(FirstVM), ""),
			vms: first(vm(nodesUUID, nodesUUID, "")), want: NodeOwner{OwnershipOurs, ProofLabel, FirstVM},
		},
		"OtherLabel": {
			reason: "The label of another VM decides before the address, which the VM may have taken from it.", node: aNode("", otherUUID, "192.168.4.211"),
			vms: first(vm(nodesUUID, nodesUUID, "192.168.4.211")), want: NodeOwner{Ownership: OwnershipOther, Proof: ProofLabel},
		},
		"Address": {
			reason: "An adopted VM has neither, and its address tells.", node: aNode("", "", "192.168.4.211"), vms: first(vm("", "", "192.168.4.211")),
			want: NodeOwner{OwnershipOurs, ProofAddress, FirstVM},
		},
		"OtherAddress": {
			reason: "Another address proves nothing: K3s may use an interface that the guest agent does not report.",
			node:   aNode("", "", "192.168.4.212"), vms: first(vm("", "", "192.168.4.211")), want: NodeOwner{Ownership: OwnershipUnproven},
		},
		"Silent": {
			reason: "Without any of them nobody can tell.", node: aNode("", "", ""), vms: first(vm("", "", "")), want: NodeOwner{Ownership: OwnershipUnproven},
		},
		"Candidate": {
			reason: "While a VM is replaced, the Node may be its candidate's.", node: aNode(otherUUID, "", ""), roles: Roles{Candidate: candidate},
			vms:  map[string]proxmox.ObservedVM{FirstVM: vm(nodesUUID, nodesUUID, ""), candidate: vm(otherUUID, otherUUID, "")},
			want: NodeOwner{OwnershipOurs, ProofUUID, candidate},
		},
		"Retired": {
			reason: "The Node of a VM that was replaced keeps the name from the VM that replaced it.", node: aNode(nodesUUID, "", ""),
			roles: Roles{Active: candidate, Retired: []string{FirstVM}},
			vms:   map[string]proxmox.ObservedVM{FirstVM: vm(nodesUUID, nodesUUID, ""), candidate: vm(otherUUID, otherUUID, "")},
			want:  NodeOwner{OwnershipOther, ProofUUID, FirstVM},
		},
		"RetiredAddress": {
			reason: "Both have the same address, which tells nothing of the one that retires.", node: aNode("", "", "192.168.4.211"),
			roles: Roles{Active: candidate, Retired: []string{FirstVM}},
			vms:   map[string]proxmox.ObservedVM{FirstVM: vm("", "", "192.168.4.211"), candidate: vm("", "", "")},
			want:  NodeOwner{Ownership: OwnershipUnproven},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.roles.Active == "" {
				tc.roles.Active = FirstVM
			}

			got := OwnerOf(tc.node, id, tc.adopt, tc.roles, tc.vms)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nOwnerOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNodeName(t *testing.T) {
	for host, want := range map[string]string{"server-1": "server-1", "Server-1": "server-1", "server-1.lan.home.arpa": "server-1"} {
		if got := NodeName(&machine.Machine{Hostname: host, Domain: "home.arpa"}); got != want {
			t.Errorf("NodeName(%s): want %s, got %s", host, want, got)
		}
	}
}
