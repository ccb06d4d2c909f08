package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestWarnDevices: VMs that Proxmox does not move while they run.
func TestWarnDevices(t *testing.T) {
	const stays = "spec.proxmox.migrate: Proxmox moves no running VM with devices of its node, but with PCI devices whose mapping is live migration capable: " +
		"set power: Stopped before the VM is to move, or remove migrate."

	gpu, stick := v1alpha1.Devices{PCI: []v1alpha1.Device{{Mapping: "gpu0"}}}, v1alpha1.Devices{USB: []v1alpha1.Device{{Mapping: "zigbee"}}}
	moves := v1alpha1.Placement{Node: "pve2", Migrate: true}

	cases := map[string]struct {
		reason string
		spec   v1alpha1.MachineFields
		want   []string
	}{
		"None":    {"It has no devices.", v1alpha1.MachineFields{Proxmox: moves}, nil},
		"Stays":   {"It is not to move.", v1alpha1.MachineFields{Devices: gpu}, nil},
		"Stopped": {"One that is off moves to a node with the mapping.", v1alpha1.MachineFields{Proxmox: moves, Devices: gpu, Power: v1alpha1.PowerStopped}, nil},
		"PCI":     {"A GPU.", v1alpha1.MachineFields{Proxmox: moves, Devices: gpu}, []string{stays}},
		"USB":     {"A stick.", v1alpha1.MachineFields{Proxmox: moves, Devices: stick, Power: v1alpha1.PowerRunning}, []string{stays}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := &notes{}
			warnDevices(n, &tc.spec)

			if diff := cmp.Diff(tc.want, n.warnings); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
