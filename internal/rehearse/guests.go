package rehearse

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// withoutEffect is what claims say and what runs does not have, by machine, without a condition that says so: the function has written all that it can, and
// all is well, which is not what everybody expects who edits a host name, an address or a version.
func withoutEffect(p *play) []Wait {
	return slices.Concat(keptReleases(p), heldBack(p), keptByGuests(p))
}

// keptByGuests is what guests keep although Proxmox has another value. What a condition of the machine names is said there.
func keptByGuests(p *play) (out []Wait) {
	waits := p.waits()

	for _, m := range p.cluster.Machines {
		label := p.labelOf(m)
		named := func(c change.Change) bool {
			return slices.ContainsFunc(waits, func(w Wait) bool {
				return w.Machine == label && strings.Contains(w.Message, cluster.Typed(m.Composite, c.Field))
			})
		}

		for _, id := range slices.Sorted(maps.Keys(m.Proxmox.VMs)) {
			if !world.Owns(m, m.Proxmox.VMs[id]) {
				continue
			}

			for _, k := range keptBy(p, m, id) {
				if !named(k.change) {
					out = append(out, Wait{Machine: label, Message: cluster.Typed(m.Composite, k.String())})
				}
			}
		}
	}

	return out
}

// A kept value is one that a guest has in place of the one that is configured.
type kept struct {
	change  change.Change
	forGood bool // Whether the guest reads it at its first boot only, and keeps it at a power cycle.
}

// keptBy a VM's guest.
func keptBy(p *play, m *world.Machine, id int) (out []kept) {
	was, is := m.Proxmox.VMs[id].InGuest(id)
	has, configured := parametersOf(p, was), parametersOf(p, is)

	for _, c := range change.Compare(has, configured) {
		if change.IsGuests(c.Field) {
			out = append(out, kept{change: c, forGood: change.ReadsDriveOnce(configured)})
		}
	}

	return out
}

// String says how long the guest keeps what it has, and what ends that.
func (k kept) String() string {
	does := "The guest has it from its next power cycle on"

	switch {
	case k.forGood:
		return k.change.String() + ". The guest read its cloud-init drive at its first boot, and keeps what it has: change it in the guest too, or replace the VM with " +
			"a new value of spec.lifecycle.replace."
	case strings.HasSuffix(k.change.Field, "mac"):
		does = "The guest, whose network is bound to the MAC address, has none on this interface until its next power cycle"
	}

	return k.change.String() + ". " + does + ": set spec.lifecycle.reboot to a new value."
}

// parametersOf a VM, as the world has them.
func parametersOf(p *play, config map[string]any) (out proxmox.VMParameters) {
	text, err := json.Marshal(config)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}

	if err != nil {
		p.fault("cannot read the parameters of a VM: %s", err)
	}

	return out
}
