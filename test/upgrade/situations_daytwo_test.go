package upgrade

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// dayTwoSituations need what v0.1.0 had not, and are in the stores of later releases.
var dayTwoSituations = []situation{
	{name: "number-looked-at", example: "appliance/haos", arrange: func(_ *testing.T, m *world.Machine) {
		m.Apply(m.Call())
	}},
	{name: "number-taken", example: "appliance/haos", arrange: func(t *testing.T, m *world.Machine) {
		m.Proxmox.ByHand(116, fake.StrangeVM(t, 116))
		m.Settle()
	}},
	{name: "adoption-planned", example: adoptingMachine, arrange: func(t *testing.T, m *world.Machine) {
		m.Proxmox.ByHand(170, fake.StrangeVM(t, 170))
		m.Settle()
	}},
	{name: "adopted", example: adoptingMachine, arrange: func(t *testing.T, m *world.Machine) {
		m.Proxmox.ByHand(170, fake.StrangeVM(t, 170))
		m.Settle()
		m.Approve()
		m.Settle()
	}},
	{name: "nothing-to-adopt", example: adoptingMachine, arrange: func(_ *testing.T, m *world.Machine) { m.Settle() }},
	{name: "replacing", example: "plain-debian/files01", arrange: func(t *testing.T, m *world.Machine) {
		m.Settle()
		world.Merge(m.Spec(), world.FromYAML(t, `{lifecycle: {replace: again}, proxmox: {vmId: null}}`))
		m.Apply(m.Call())
		m.Provide()
	}},
	{name: "replaced", example: "nixos/docker01", arrange: func(t *testing.T, m *world.Machine) {
		m.Settle()
		world.Merge(m.Spec(), world.FromYAML(t, `{lifecycle: {replace: again}, proxmox: {vmId: null}}`))
		m.Settle()
		m.Settle()
	}},
	{name: "replacement-blocked", example: "nixos/dns01", arrange: settledWith(`{lifecycle: {replace: again}}`)},
	{name: "reboot-pending", example: "plain-debian/files01", arrange: func(t *testing.T, m *world.Machine) {
		settledWith(`{size: {cores: 6}}`)(t, m)
		m.Settle()
	}},
	{name: "rebooting", example: "plain-debian/files01", arrange: settledWith(`{size: {cores: 6}, lifecycle: {reboot: now}}`)},
	{name: "unmanaged", example: "nixos/dns01", arrange: func(t *testing.T, m *world.Machine) {
		settledWith(`{power: Unmanaged}`)(t, m)
		m.Settle()
	}},
	{name: "migrating", example: "k3s-cluster/server-3", arrange: settledWith(`{proxmox: {node: pve1, migrate: true}}`)},
	{name: "protected", example: "appliance/haos", arrange: settledWith(`{protection: true}`)},
	{name: "highly-available", example: "nixos/dns01", arrange: highlyAvailable(``)},
	{name: "highly-available-rebooting", example: "nixos/dns01", arrange: highlyAvailable(`{lifecycle: {reboot: now}}`)},
	{name: "paused", example: "nixos/docker01", arrange: func(t *testing.T, m *world.Machine) {
		settledAnd(func(vm, _ map[string]any) {
			world.Report(vm, "True", "False", "False", "update failed: async update failed: cannot schedule native Terraform provider process: Instance cannot be destroyed")
		})(t, m)
		m.Apply(m.Call())
	}},
}

const adoptingMachine = "spec: {class: small, image: debian-13, proxmox: {node: pve}, adopt: {vmId: 170}}"

// highlyAvailable is a machine in HA, whose claim is edited then.
func highlyAvailable(patch string) func(t *testing.T, m *world.Machine) {
	return func(t *testing.T, m *world.Machine) {
		t.Helper()

		m.SetSite("home", "sharedDatastores", []any{"local", "local-zfs"})
		m.Spec()["ha"] = map[string]any{"enabled": true}
		m.Settle()

		if patch != "" {
			world.Merge(m.Spec(), world.FromYAML(t, patch))
			m.Turn()
		}
	}
}
