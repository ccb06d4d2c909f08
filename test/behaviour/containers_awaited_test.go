package behaviour

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAnAddressThatWaitsForARestartIsTaken: an edit brings an address of the site's pool to a container that runs. Until the restart the container has its old
// address, and nobody else gets either of them; after it the old one is free, and so is the new one where the edit is taken back.
func TestAnAddressThatWaitsForARestartIsTaken(t *testing.T) {
	t.Parallel()

	const reserved = "homelab.io/reserved-address"

	cases := map[string]struct {
		reason string
		edit   string // Of the container.
		also   string // Before the machine comes.
		wants  string // Of the machine.
		marks  string // On the container.
	}{
		"NoEdit":    {reason: "At rest, the lowest address is free.", edit: `{}`, wants: "192.168.4.50/24"},
		"First":     {reason: "It is to be that of the first interface.", edit: `{network: {dhcp: null, ip: 192.168.4.50/24}}`, wants: "192.168.4.51/24", marks: "192.168.4.50"},
		"Further":   {reason: "Or of another one.", edit: `{nics: [{bridge: vmbr0, ip: 192.168.4.50/24}]}`, wants: "192.168.4.51/24", marks: "192.168.4.50"},
		"Both":      {reason: "Or both.", edit: `{network: {dhcp: null, ip: 192.168.4.50/24}, nics: [{bridge: vmbr0, ip: 192.168.4.51/24}]}`, wants: "192.168.4.52/24", marks: "192.168.4.50,192.168.4.51"},
		"Restarted": {reason: "It is written.", edit: `{network: {dhcp: null, ip: 192.168.4.50/24}}`, also: `{lifecycle: {reboot: "1"}}`, wants: "192.168.4.51/24"},
		"TakenBack": {reason: "It is free again.", edit: `{network: {dhcp: null, ip: 192.168.4.50/24}}`, also: `{network: {dhcp: true, ip: null}}`, wants: "192.168.4.50/24"},
		"Approval":  {reason: "It may be approved.", edit: `{network: {dhcp: null, ip: 192.168.4.50/24}, lifecycle: {approval: Always}}`, wants: "192.168.4.51/24", marks: "192.168.4.50"},
	}

	for name, tc := range cases {
		for _, in := range withContainers() {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				t.Parallel()

				ct := containersTogether(t, in, 1, map[string]string{"pve1": "", "pve2": ""}, nil)[0]
				ct.withPool("192.168.4.50-192.168.4.59")

				cts := []*machine{ct}
				ct.says(inTurns(cts)[0], map[string]string{"MachineReady": "Running"})

				for _, edit := range []string{tc.edit, tc.also} {
					if edit != "" {
						world.Merge(ct.Spec(), world.FromYAML(t, edit))
						inTurns(cts)
					}
				}

				ct.says(inTurns(cts)[0], map[string]string{"MachineReady": "Running"})

				if got := world.Annotation(ct.Observed["container"], reserved); got != tc.marks {
					t.Errorf("%s\nthe container reserves %q, want %q", tc.reason, got, tc.marks)
				}

				vm := pooledMachine(ct, in)
				both := []*machine{ct, vm}
				inTurns(both)

				if got := vm.address(); got != tc.wants {
					t.Errorf("%s\nthe machine has %q, want %q", tc.reason, got, tc.wants)
				}

				if has := strings.Join(ct.Proxmox.Done, "\n"); strings.Count(has, "make ") != 2 {
					t.Errorf("%s\nsomething else was made:\n%s", tc.reason, has)
				}
			})
		}
	}
}
