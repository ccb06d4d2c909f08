package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// leftBehind is a machine whose claim was deleted with --cascade=orphan and committed again: the managed resource of its VM is there, and nobody's.
func leftBehind(t *testing.T, born func(t *testing.T) *machine) (m *machine, left map[string]any) {
	t.Helper()

	m = born(t)
	left = world.Object(world.Copy(m.Observed[m.guest()]))
	delete(world.Object(left["metadata"]), "ownerReferences")
	world.Object(left["metadata"])["name"] = "left"

	m.Neighbours = append(m.Neighbours, left)
	m.Observed = map[string]map[string]any{}
	m.Proxmox.Done = nil
	delete(m.Composite, "status")

	// The claim that comes back asks for nothing.
	delete(m.Spec(), "lifecycle")

	return m, left
}

// TestAManagedResourceIsLeftBehind: no second VM is made beside the one that it goes on with, whoever chose its VMID, and the claim is told how to get it.
func TestAManagedResourceIsLeftBehind(t *testing.T) {
	t.Parallel()

	for _, guest := range []string{"Chosen", "Fixed", "Agent", "Server", "Replaced", "Unmanaged"} {
		t.Run(guest, func(t *testing.T) {
			t.Parallel()

			m, left := leftBehind(t, guests[guest])
			id := world.Object(world.Object(left["spec"])["forProvider"])["vmId"]

			if id == nil {
				id = world.Annotation(left, world.ExternalName)
			}

			last := m.Rest()
			m.says(last, map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"})
			m.did()

			msg := world.Message(last, "VMIDInUse")
			for _, want := range []string{fmt.Sprintf("set spec.adopt.vmId: %v. Then take", id), "/left", `"managementPolicies":["Observe"]`} {
				if !strings.Contains(msg, want) {
					t.Errorf("want %q in: %s", want, msg)
				}
			}
		})
	}
}

// TestWhatIsLeftBehindIsAdopted as the message says. Two managed resources of one VM would undo each other's changes, and the deletion of the old one could
// destroy it.
func TestWhatIsLeftBehindIsAdopted(t *testing.T) {
	t.Parallel()

	m, left := leftBehind(t, guests["Chosen"])
	m.Spec()["adopt"] = map[string]any{"vmId": 100.0}

	m.says(m.Rest(), map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"})

	world.Object(left["spec"])["managementPolicies"] = []any{"Observe"}
	m.says(m.Rest(), map[string]string{"MachineReady": "WaitingForApproval", "VMIDInUse": "NumberAdopted"})

	m.Neighbours = nil
	m.Proxmox.VMs[100].Owner = ""
	m.did()
	m.says(m.approved(), map[string]string{"MachineReady": "Running"})
	m.did("adopt 100", "change networkDevice of 100")
}

// TestOthersAreNotLeftBehind: a managed resource of another claim, of another kind or of another Proxmox, one that somebody composes, and one that only looks
// for a VMID keep nobody from making a VM.
func TestOthersAreNotLeftBehind(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		edit func(left map[string]any)
		want string // Of MachineReady.
	}{
		"AnotherKind": {want: "Running", edit: func(left map[string]any) {
			world.Object(world.Object(left["spec"])["forProvider"])["description"] = "K3sNode infra-machines/dns01 (homelab.io), managed by Crossplane."
		}},
		"AnotherProxmox": {want: "Running", edit: func(left map[string]any) {
			world.Object(world.Object(left["spec"])["providerConfigRef"])["name"] = "other"
		}},
		// The other machine has the address.
		"AnotherNamespace": {want: "AddressInUse", edit: func(left map[string]any) { world.Object(left["metadata"])["namespace"] = "other" }},
		"Composed": {want: "AddressInUse", edit: func(left map[string]any) {
			world.Object(left["metadata"])["ownerReferences"] = []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "name": "dns01", "uid": "x", "controller": true}}
		}},
		"Looks": {want: "Running", edit: func(left map[string]any) {
			world.Object(left["spec"])["managementPolicies"] = []any{"Observe"}
			world.Object(world.Object(left["metadata"])["annotations"])[world.ExternalName] = "pve/100"
			world.Object(world.Object(left["spec"])["forProvider"])["vmId"] = 100.0
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m, left := leftBehind(t, guests["Chosen"])
			tc.edit(left)
			delete(m.Proxmox.VMs, 100)

			m.says(m.Rest(), map[string]string{"MachineReady": tc.want})
		})
	}
}
