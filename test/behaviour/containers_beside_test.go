package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// withContainers are the installations whose provider has containers.
func withContainers() []world.Installation {
	return []world.Installation{world.Installations[0], world.Installations[2]}
}

// containerOf another claim at the site of a machine, on node pve1: infra/web.
func containerOf(m *world.Machine, vm map[string]any, vmID int, memoryMiB float64) map[string]any {
	id := fmt.Sprint(vmID)
	metadata := map[string]any{
		"name": "web-" + id, "creationTimestamp": "2020-01-01T00:00:00Z",
		"labels":      map[string]any{"crossplane.io/composite": "web", "homelab.io/machine": "web", "homelab.io/namespace": "infra", "homelab.io/vm-id": id},
		"annotations": map[string]any{world.ExternalName: id},
	}

	if ns, ok := world.Object(m.Composite["metadata"])["namespace"]; ok {
		metadata["namespace"] = ns
	}

	return map[string]any{
		"apiVersion": strings.ReplaceAll(fmt.Sprint(vm["apiVersion"]), "environmentvm", "environmentcontainer"), "kind": "EnvironmentContainer", "metadata": metadata,
		"spec": map[string]any{
			"managementPolicies": []any{"Observe", "Create", "Delete"}, "providerConfigRef": world.Object(vm["spec"])["providerConfigRef"],
			"forProvider": map[string]any{"nodeName": "pve1", "vmId": float64(vmID), "memory": []any{map[string]any{"dedicated": memoryMiB, "swap": 0.0}}},
		},
	}
}

// TestAContainerHasTheVMID: a machine's VM is not created with the VMID of a container of another claim. Its claim is in another namespace, and not named. Where the API server
// does not serve containers, nobody asks for them.
func TestAContainerHasTheVMID(t *testing.T) {
	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			m := exampleIn(t, "nixos/dns01", in)
			m.Neighbours = append(m.Neighbours, containerOf(m.Machine, world.Desired(m.Call(), "vm"), 153, 512))

			last := m.Rest()
			m.says(last, map[string]string{"VMIDInUse": "NumberClaimed", "MachineReady": "VMIDInUse", "SpecValid": "Valid"})
			m.did()

			want := "VMID 153 belongs to another claim of this Proxmox, in another namespace. The provider creates no VM with this VMID, and does not change what has it."
			if msg := world.Message(last, "VMIDInUse"); !strings.HasPrefix(msg, want) {
				t.Errorf("want %q, got: %s", want, msg)
			}

			// The claim of the container is deleted.
			m.Neighbours = nil
			m.says(m.Rest(), map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})
			m.did("make 153")

			if asked := m.Call().GetRequirements().GetResources(); asked["container-kind"] != nil || asked["vm-id-containers"] != nil {
				t.Errorf("a machine with a VM asks for containers: %v", asked)
			}

			other := exampleIn(t, "nixos/dns01", in)
			other.Cluster().Containers.Missing = true
			other.says(other.Rest(), map[string]string{"MachineReady": "Running"})
		})
	}
}

// TestARangePassesContainersBy: VMIDs of a range that containers of other claims have are skipped.
func TestARangePassesContainersBy(t *testing.T) {
	m, first := withRange(t, 4000, 4019)
	next := 4000 + (first-4000+1)%20
	m.Neighbours = append(m.Neighbours, containerOf(m.Machine, world.Desired(m.Call(), "vm"), first, 512))

	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.did(fmt.Sprintf("make %d", next))
}

// TestContainersUseMemory: a node whose containers need its memory gets no VM.
func TestContainersUseMemory(t *testing.T) {
	cases := map[string]struct {
		reason    string
		container float64 // MiB, on node pve1.
		missing   bool
		want      map[string]int
	}{
		"Small": {reason: "There is more room on the node of the container all the same.", container: 512, want: map[string]int{"pve1": 1}},
		"Large": {reason: "The container needs what is left of its node.", container: 8192, want: map[string]int{"pve2": 1}},
		"NotServed": {
			reason: "Where the API server does not serve containers, nobody asks for them.", container: 8192, missing: true, want: map[string]int{"pve1": 1},
		},
	}

	for name, tc := range cases {
		for _, in := range withContainers() {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				all := agents(t, in, 1, func(m *world.Machine) { inventory(map[string]string{"pve1": "14Gi", "pve2": roomForTwo})(m) })
				m := all[0]
				m.Cluster().Containers.Missing = tc.missing
				m.Neighbours = append(m.Neighbours, containerOf(m.Machine, world.Desired(m.Call(), "vm"), 999, tc.container))
				m.Cluster().Rest()

				if diff := cmp.Diff(tc.want, nodesOf(all)); diff != "" {
					t.Errorf("%s\nmachines by node: -want, +got:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestAMachineAndAContainerWithOneVMID, committed together: one of the two gets it, whichever Crossplane takes up first, and the other one's claim is told.
func TestAMachineAndAContainerWithOneVMID(t *testing.T) {
	for _, in := range withContainers() {
		for _, machineFirst := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", in.Name, machineFirst), func(t *testing.T) {
				m := exampleIn(t, "nixos/dns01", in)
				claim := world.NewClaim("Container", "infra", "web", world.FromYAML(t, `{image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", class: micro,
					network: {ip: 192.168.4.77/24, gateway: 192.168.4.1}, proxmox: {node: pve, vmId: 153}}`))
				ct := &machine{Machine: m.Cluster().AddOn(m.Proxmox, world.NewMachine(claim, in)), t: t}
				ct.Catalogue = m.Catalogue

				both := []*machine{m, ct}
				if !machineFirst {
					both = []*machine{ct, m}
				}

				for range 12 {
					for _, one := range both {
						one.Turn()
					}
				}

				winner, loser := both[0], both[1]
				winner.says(winner.Call(), map[string]string{"MachineReady": "Running"})
				loser.says(loser.Call(), map[string]string{"VMIDInUse": "NumberClaimed", "MachineReady": "VMIDInUse"})

				if has := m.Proxmox.VMs[153] != nil; has != machineFirst || has == (m.Proxmox.Containers[153] != nil) {
					t.Errorf("done in Proxmox: %v", m.Proxmox.Done)
				}
			})
		}
	}
}
