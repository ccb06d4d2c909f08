package upgrade

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// containerPrefix stands before the spec of a Container.
const containerPrefix = "container:"

const (
	aContainer = containerPrefix + `{image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", class: micro, size: {swap: 512, disk: 8}, role: dns, tags: [core], ` +
		`network: {ip: 192.168.4.50/24, gateway: 192.168.4.1, firewall: true, vlan: 20}, disks: [{path: /srv/data, size: 10, storage: tank}], features: {nesting: true}, ` +
		`startup: {order: 3}, proxmox: {node: pve, vmId: 150, storage: local-lvm}}`
	adoptedContainer = containerPrefix + `{tags: [nvr], size: {memory: 2Gi}, adopt: {vmId: 113}, proxmox: {node: pve}}`
)

// containerSituations of day two, for the stores of the releases that have containers.
var containerSituations = []situation{
	{name: "container-first", example: aContainer, arrange: func(*testing.T, *world.Machine) {}},
	{name: "container-checks", example: aContainer, arrange: func(_ *testing.T, m *world.Machine) { m.Turn() }},
	{name: "container-made", example: aContainer, arrange: func(_ *testing.T, m *world.Machine) {
		m.Turn()
		m.Turn()
	}},
	{name: "container-running", example: aContainer, arrange: settledWith(`{}`)},
	{name: "container-edited", example: aContainer, arrange: settledWith(`{tags: [core, more], onBoot: false, size: {cores: 2, disk: 16}}`)},
	{name: "container-waits", example: aContainer, arrange: settledWith(`{size: {memory: 2Gi}, network: {ip: 192.168.4.51/24}, features: {nesting: false}}`)},
	{name: "container-restarts", example: aContainer, arrange: settledWith(`{size: {memory: 2Gi}, lifecycle: {reboot: now}}`)},
	{name: "container-starts-again", example: aContainer, arrange: func(t *testing.T, m *world.Machine) {
		t.Helper()
		settledWith(`{size: {memory: 2Gi}, lifecycle: {reboot: now}}`)(t, m)
		m.Turn()
	}},
	{name: "container-held", example: aContainer, arrange: settledWith(`{unprivileged: false, features: null, disks: [], image: "local:vztmpl/debian-13-standard_13.1-1_amd64.tar.zst", proxmox: {node: pve2, storage: tank}}`)},
	{name: "container-stopping", example: aContainer, arrange: settledWith(`{power: Stopped}`)},
	{name: "container-orphaned", example: aContainer, arrange: settledWith(`{deletionPolicy: Orphan}`)},
	{name: "container-gone", example: aContainer, arrange: func(_ *testing.T, m *world.Machine) {
		m.Settle()
		world.SetConditions(m.Observed["container"], world.Condition("Ready", "False", "Creating", "", nil))
	}},
	{name: "container-number-taken", example: aContainer, arrange: func(t *testing.T, m *world.Machine) {
		t.Helper()
		m.Proxmox.ByHand(150, fake.HandMade(t))
		m.Turn()
	}},
	{name: "container-waits-for-approval", example: adoptedContainer, arrange: containerByHand(false)},
	{name: "container-adopted", example: adoptedContainer, arrange: containerByHand(true)},
}

// containerByHand is a container that somebody made, and that a claim adopts.
func containerByHand(approved bool) func(t *testing.T, m *world.Machine) {
	return func(t *testing.T, m *world.Machine) {
		t.Helper()

		m.Proxmox.Containers[113] = &world.Container{Config: world.FromYAML(t, `{nodeName: pve, description: "by hand\n", tags: [], started: true, startOnBoot: true, unprivileged: true,
			operatingSystem: [{type: debian}], cpu: [{cores: 2}], memory: [{dedicated: 1024, swap: 0}], features: [{nesting: true, keyctl: true}],
			disk: [{datastoreId: local-lvm, size: 8}], networkInterface: [{name: eth0, bridge: vmbr0, macAddress: "BC:24:11:00:00:71", firewall: false}],
			initialization: [{hostname: frigate, ipConfig: [{ipv4: [{address: dhcp}]}]}], devicePassthrough: [{path: /dev/dri/renderD128}]}`)}
		m.Turn()

		if approved {
			last := m.Call()
			world.Object(m.Spec()["adopt"])["approve"] = world.Object(world.Status(last)["adoption"])["plan"]
			m.Settle()
		}
	}
}

// TestContainerSituations: each situation is what its name says.
func TestContainerSituations(t *testing.T) {
	want := map[string]string{
		"container-first": "LookingAtVMID", "container-checks": "Creating", "container-made": "Starting", "container-running": "Running", "container-edited": "Running",
		"container-waits": "Running", "container-restarts": "Rebooting", "container-starts-again": "Rebooting", "container-held": "Running",
		"container-stopping": "Stopping", "container-orphaned": "Running", "container-gone": "Creating", "container-number-taken": "VMIDInUse",
		"container-waits-for-approval": "WaitingForApproval", "container-adopted": "Running",
	}

	for _, sit := range containerSituations {
		for _, in := range []world.Installation{world.Installations[0], world.Installations[2]} {
			m := fake.NewCluster(t, function).Add(sit.machine(t, in))
			sit.arrange(t, m)

			last := m.Call()
			if got := world.Reason(last, "MachineReady"); got != want[sit.name] {
				t.Errorf("%s, %s: want %q, got %q: %s %s", sit.name, in.Name, want[sit.name], got, world.Message(last, "MachineReady"), world.Fatal(last))
			}

			for id, c := range m.Proxmox.Containers {
				if c.Restarts > 0 {
					t.Errorf("%s, %s: the provider restarted container %d: %v", sit.name, in.Name, id, m.Proxmox.Done)
				}
			}
		}
	}
}
