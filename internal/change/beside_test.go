package change

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestBeside holds what the provider writes beside the changes of a claim. test/provider sees it write just that.
func TestBeside(t *testing.T) {
	vm := func(edits ...func(p *proxmox.VMParameters)) proxmox.VMParameters {
		p := proxmox.VMParameters{
			Description:     "by hand",
			Agent:           []proxmox.Agent{{Enabled: true, Timeout: "15m", Type: "virtio"}},
			CPU:             []proxmox.CPU{{Cores: 2, Sockets: 1, Type: "qemu64"}},
			Memory:          []proxmox.Memory{{Dedicated: 4096}},
			ScsiHardware:    "lsi",
			OperatingSystem: []proxmox.OperatingSystem{{Type: "other"}},
		}

		for _, e := range edits {
			e(&p)
		}

		return p
	}
	option := func(name, was, is string) Change {
		return Change{Field: "option " + name, Has: was, Wanted: is, Effect: Reboot}
	}
	shorter := func(p *proxmox.VMParameters) {
		p.Description, p.Agent = "ours", []proxmox.Agent{{Enabled: true, Timeout: "15s", Type: "virtio"}}
	}
	noAgent := func(p *proxmox.VMParameters) { p.Agent = nil }
	larger := func(p *proxmox.VMParameters) { p.Memory = []proxmox.Memory{{Dedicated: 8192}} }
	ballooning := func(p *proxmox.VMParameters) { p.Memory = []proxmox.Memory{{Dedicated: 8192, Floating: 2048}} }
	more := func(p *proxmox.VMParameters) { p.CPU = []proxmox.CPU{{Cores: 4, Sockets: 1, Type: "qemu64"}} }
	typed := func(p *proxmox.VMParameters) { p.CPU = []proxmox.CPU{{Cores: 2, Sockets: 2, NUMA: true, Type: "host"}} }

	cases := map[string]struct {
		reason string
		has    proxmox.VMParameters
		wanted proxmox.VMParameters
		unset  []string
		want   []Change
	}{
		"Nothing":     {reason: "What is as it was is not written.", has: vm(), wanted: vm()},
		"Agent":       {reason: "The provider is to wait shorter, and writes the option.", has: vm(), wanted: vm(shorter), want: []Change{option("agent", "as set in Proxmox", "enabled=1,fstrim_cloned_disks=0,type=virtio")}},
		"AgentOfOurs": {reason: "It wrote the option before, in the same words.", has: vm(func(p *proxmox.VMParameters) { p.Description = "ours" }), wanted: vm(shorter)},
		"NoAgent":     {reason: "An option that is left out is not written.", has: vm(noAgent), wanted: vm(noAgent)},
		"Memory":      {reason: "The provider cannot tell 0 from not set.", has: vm(), wanted: vm(larger), want: []Change{option("balloon", "0 or not set", "0")}},
		"Ballooning":  {reason: "What is set, it writes as it was.", has: vm(), wanted: vm(ballooning)},
		"Cores": {
			reason: "It writes all of the processor.", has: vm(), wanted: vm(more),
			want: []Change{option("cpu", "qemu64 or not set", "qemu64"), option("numa", "0 or not set", "0"), option("sockets", "1 or not set", "1")},
		},
		"Type": {reason: "The type is in the plan as such, and the rest is set.", has: vm(typed), wanted: vm(typed, func(p *proxmox.VMParameters) {
			p.CPU = []proxmox.CPU{{Cores: 2, Sockets: 2, NUMA: true, Type: "x86-64-v2-AES"}}
		})},
		"Unset": {reason: "The provider's own defaults are others.", has: vm(), wanted: vm(), unset: []string{"ostype", "scsihw"}, want: []Change{option("ostype", "", "other"), option("scsihw", "", "lsi")}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Beside(tc.has, tc.wanted, tc.unset)); diff != "" {
				t.Errorf("%s\nBeside(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
