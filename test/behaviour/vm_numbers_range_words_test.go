package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestARangeIsNotUsedUpBefore all of its VMIDs were checked: not while the first one is another claim's, and nothing is known of the rest.
func TestARangeIsNotUsedUpBefore(t *testing.T) {
	m, first := withRange(t, 4000, 4019)

	// Other machines have six of the twenty.
	for i := range 6 {
		id := 4000 + (first-4000+i)%20
		number := fmt.Sprint(id)
		m.Neighbours = append(m.Neighbours, map[string]any{
			"apiVersion": world.Desired(m.Call(), "vm")["apiVersion"], "kind": world.VMKind,
			"metadata": map[string]any{
				"name": "other-" + number, "creationTimestamp": "2020-01-01T00:00:00Z",
				"labels":      map[string]any{"crossplane.io/composite": "other-" + number, "homelab.io/machine": "other", "homelab.io/namespace": "infra", "homelab.io/vm-id": number},
				"annotations": map[string]any{world.ExternalName: number},
			},
			"spec": map[string]any{
				"managementPolicies": []any{"Observe", "Create", "Update"}, "providerConfigRef": world.Object(world.Desired(m.Call(), "vm")["spec"])["providerConfigRef"],
				"forProvider": map[string]any{"vmId": float64(id)},
			},
		})
	}

	for range 12 {
		if msg := world.Message(m.Turn(), "VMIDInUse"); strings.Contains(msg, "All VMIDs") {
			t.Errorf("6 of 20 are in use, and the machine says: %s", msg)
		}
	}

	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.did(fmt.Sprintf("make %d", 4000+(first-4000+6)%20))
}

// TestTheVMThatHasTheVMIDIsNamed, and not a machine that asked for it first and never got it.
func TestTheVMThatHasTheVMIDIsNamed(t *testing.T) {
	first := example(t, "nixos/docker01")
	world.Object(first.Spec()["proxmox"])["vmId"] = 153.0
	first.Proxmox.ByHand(153, fake.HandMade(t))
	first.Rest()

	second := first.beside(example(t, "nixos/dns01").Machine)

	last := second.Rest()
	second.says(last, map[string]string{"VMIDInUse": "NumberTaken", "MachineReady": "VMIDInUse"})

	if msg := world.Message(last, "VMIDInUse"); !strings.Contains(msg, "`nas`") || strings.Contains(msg, "docker01") {
		t.Errorf("another than the VM is named: %s", msg)
	}

	if node := world.Status(last)["node"]; node != nil {
		t.Errorf("a machine without a VM is on node %v", node)
	}
}
