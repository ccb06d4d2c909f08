package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// controlledBy is the metadata of a managed resource of a composite, created at a second.
func controlledBy(kind, name, second string) proxmox.ObservedMetadata {
	return proxmox.ObservedMetadata{
		Name: name + "-" + kind, CreationTimestamp: "2026-01-01T00:00:" + second + "Z",
		OwnerReferences: []proxmox.OwnerReference{{Kind: kind, Name: name, Controller: true}},
		Metadata:        proxmox.Metadata{Labels: map[string]string{proxmox.MachineLabel: name, proxmox.NamespaceLabel: "infra"}},
	}
}

// aVMOf a claim on a node.
func aVMOf(kind, name, second, node string) proxmox.ObservedVM {
	out := proxmox.ObservedVM{Metadata: controlledBy(kind, name, second)}
	out.Spec.ForProvider.NodeName = node

	return out
}

// aCheckOf a VMID, that a claim has before its VM or its container is created.
func aCheckOf(kind, name, second, node string) proxmox.ObservedVM {
	out := aVMOf(kind, name, second, node)
	out.Spec.ManagementPolicies = proxmox.ObserveOnly()

	return out
}

// aContainerOf a claim on a node.
func aContainerOf(name, second, node string) proxmox.ObservedContainer {
	out := proxmox.ObservedContainer{Metadata: controlledBy("Container", name, second)}
	out.Spec.ForProvider.NodeName = node

	return out
}

// TestSpreadOfContainers: where containers are, or are about to be, for a machine and for a container that choose a node.
func TestSpreadOfContainers(t *testing.T) {
	vms := func(all ...proxmox.ObservedVM) []proxmox.ObservedVM { return all }
	containers := func(all ...proxmox.ObservedContainer) []proxmox.ObservedContainer { return all }
	looking := func(c proxmox.ObservedContainer) proxmox.ObservedContainer {
		c.Spec.ManagementPolicies = proxmox.ObserveOnly()
		return c
	}
	moved := func(c proxmox.ObservedContainer, node string) proxmox.ObservedContainer {
		c.Status.AtProvider.NodeName = node
		return c
	}

	cases := map[string]struct {
		reason string
		all    Neighbours
		want   map[string][]string
	}{
		"There":   {"It is where it was created.", Neighbours{Containers: containers(aContainerOf("web", "01", "n1"))}, map[string][]string{"n1": {"web"}}},
		"Moved":   {"The provider knows better.", Neighbours{Containers: containers(moved(aContainerOf("web", "01", "n1"), "n2"))}, map[string][]string{"n2": {"web"}}},
		"Looking": {"The looks for a container on each node say nothing.", Neighbours{Containers: containers(looking(aContainerOf("web", "01", "n1")), looking(aContainerOf("web", "01", "n2")))}, map[string][]string{}},
		"Earlier": {"The look for a VM says which node was chosen.", Neighbours{VMs: vms(aCheckOf("Container", "web", "01", "n1"))}, map[string][]string{"n1": {"web"}}},
		"Later":   {"Who asks later goes elsewhere.", Neighbours{VMs: vms(aCheckOf("Container", "web", "09", "n1"))}, map[string][]string{}},
		"Both":    {"What is there counts, and no longer what was chosen for it.", Neighbours{VMs: vms(aCheckOf("Container", "web", "01", "n1")), Containers: containers(aContainerOf("web", "02", "n2"))}, map[string][]string{"n2": {"web"}}},
		"Own":     {"What is its own is no other one's.", Neighbours{Containers: containers(aContainerOf("self", "01", "n1"))}, map[string][]string{}},
		"OneName": {
			"A machine that is to be created is another one than the container with its name, which is there.",
			Neighbours{VMs: vms(aCheckOf("Machine", "web", "01", "n1")), Containers: containers(aContainerOf("web", "02", "n2"))},
			map[string][]string{"n1": {"web"}, "n2": {"web"}},
		},
		"OneNameOneNode": {
			"So are both on one node.", Neighbours{VMs: vms(aVMOf("Machine", "web", "01", "n1")), Containers: containers(aContainerOf("web", "02", "n1"))}, map[string][]string{"n1": {"web", "web"}},
		},
		"OwnName": {"A machine with the own name is another one.", Neighbours{VMs: vms(aVMOf("Machine", "self", "01", "n1"))}, map[string][]string{"n1": {"self"}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			owner := Owner{Composite: "self", Kind: "Container", ClaimNamespace: "infra"}
			own := proxmox.State{VMs: map[string]proxmox.ObservedVM{"check": aCheckOf("Container", "self", "05", "n3")}}

			got := owner.Spread(tc.all, "check", own)
			if diff := cmp.Diff(tc.want, got.Others); diff != "" {
				t.Errorf("%s\nSpread(...): -want, +got:\n%s", tc.reason, diff)
			}

			if got.Chosen != "n3" {
				t.Errorf("%s\nit chose n3 before, and not %q", tc.reason, got.Chosen)
			}
		})
	}
}

// TestMeetingOfContainers: a VM and a container of one group meet, and each counts for the other nodes, too.
func TestMeetingOfContainers(t *testing.T) {
	nodes := []string{"n1", "n2", "n3"}
	owner := Owner{Composite: "self", Kind: "Container", ClaimNamespace: "infra"}
	elsewhere := aContainerOf("web", "01", "n1")
	elsewhere.Spec.ProviderConfigRef.Name = "lab"

	cases := map[string]struct {
		reason string
		apart  Apart
		want   Meeting
	}{
		"Own":       {"It is not kept apart from itself.", Apart{Containers: []proxmox.ObservedContainer{aContainerOf("self", "01", "n1")}, Nodes: nodes}, Meeting{}},
		"Another":   {"A container of the group is there, too.", Apart{Containers: []proxmox.ObservedContainer{aContainerOf("web", "01", "n1")}, Nodes: nodes}, Meeting{Node: "n1", With: []string{"infra/web"}, Free: "n2"}},
		"Elsewhere": {"A node of the name is one of another Proxmox.", Apart{Containers: []proxmox.ObservedContainer{elsewhere}, Nodes: nodes}, Meeting{}},
		"OnEach": {
			"Nodes with a container of the group have as many as would be left.",
			Apart{
				Group: []proxmox.ObservedVM{aVMOf("Machine", "vm", "01", "n1")}, Nodes: nodes,
				Containers: []proxmox.ObservedContainer{aContainerOf("a", "01", "n2"), aContainerOf("b", "01", "n3")},
			},
			Meeting{Node: "n1", With: []string{"infra/vm"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, owner.Meeting("n1", tc.apart)); diff != "" {
				t.Errorf("%s\nMeeting(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
