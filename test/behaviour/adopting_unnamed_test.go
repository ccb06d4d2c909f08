package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestWhatNoClaimCanSay of an adopted VM survives the takeover and every later call: what is left out the provider takes away.
func TestWhatNoClaimCanSay(t *testing.T) {
	rest := map[string]string{
		"kvmArguments": "kvmArguments: -cpu host,+invtsc",
		"smbios":       "smbios: [{uuid: 0c9d5a7e-1111-2222-3333-444455556666, manufacturer: '${ACME}'}]",
		"hostpci":      "hostpci: [{device: hostpci1, id: '0000:01:00', pcie: true, rombar: true, xvga: true}]",
		"usb":          "usb: [{host: '10c4:ea60', usb3: true}]",
		"rng":          "rng: [{source: /dev/urandom}]",
		"watchdog":     "watchdog: [{enabled: true, model: i6300esb, action: reset}]",
		"cpu":          "cpu: [{cores: 3, sockets: 1, type: host, flags: [+aes], limit: 2, affinity: 0-1}]",
		"networkDevice": "networkDevice: [{bridge: vmbr0, model: virtio, macAddress: 'BC:24:11:AA:BB:CC', mtu: 9000, queues: 4, rateLimit: 10}," +
			" {bridge: vmbr0, model: virtio, macAddress: 'BC:24:11:AA:BB:CD', mtu: 1400}]",
		"vga": "vga: [{type: virtio, memory: 64, clipboard: vnc}]",
	}

	var edits []string
	for _, e := range rest {
		edits = append(edits, e)
	}

	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, nics: [{bridge: vmbr0}]}", fake.HandMade(t, edits...))
	before := world.Object(world.Copy(m.Proxmox.VMs[108].Config))
	m.approved()
	m.did("adopt 108", "change description, tags of 108")

	for _, edit := range []string{"{}", "{tags: [new]}", "{size: {cores: 4}}", "{power: Unmanaged}", "{onBoot: false}"} {
		world.Merge(m.Spec(), world.FromYAML(t, edit))
		m.Rest()

		for name := range rest {
			want, got := world.Copy(before[name]), m.Proxmox.VMs[108].Config[name]
			if name == "cpu" && m.Spec()["size"] != nil {
				world.Object(world.List(want)[0])["cores"] = 4.0
			}

			if diff := cmp.Diff(world.Essence(want), world.Essence(got)); diff != "" {
				t.Errorf("%s after %s: -had, +has:\n%s", name, edit, diff)
			}
		}
	}
}
