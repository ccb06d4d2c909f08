package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Description is the VM that the claim describes, as package render would make it today.
type Description struct {
	Parameters        proxmox.VMParameters
	ProviderConfigRef proxmox.ProviderConfigRef
	// Missing names what the VM is made from and what is not there yet: snippets and images by composed resource name, and
	// the Secret with its token; sorted.
	Missing []string
	// MayMigrate says that the claim moves the VM to another node, and that its snippets are there.
	MayMigrate bool
	// Native says whether the claim leaves the user-data to Proxmox.
	Native bool
	// AgentAtFirstBoot says whether a snippet of the first boot decides on the guest agent, and not the image.
	AgentAtFirstBoot bool
}

// An edit is what the claim asks of a VM that exists, and what it may ask now.
type edit struct {
	// machine and decision are what all other decisions rest on: while an edit waits, the machine is what the VM has.
	machine  *machine.Machine
	decision Decision
	approval Approval
	guarded  change.Guarded
	// held are the changes that the VM cannot follow, and moves the one to the node that waits for its snippets there; nil where none does.
	held   []change.Change
	moves  *change.Change
	stands bool // The VM stays as it was last written, because the edit waits.
}

// judge the edit of a VM that exists, before anything else is decided about it.
func judge(s *Situation, d Description) edit {
	out := edit{machine: s.Machine, decision: s.Decision, guarded: change.Guard(d.Parameters, change.AsMade(s.vm), circumstances(s, d))}

	rest, moves := movesLater(s.Machine, out.guarded.Held)
	out.held, out.moves = slices.Concat(rest, otherProviderConfig(s, d), AddressLater(s.Machine)), moves

	var filter firewallEdit
	if AsksApproval(s.Machine) {
		filter = firewallPlannerOf(s).edit()
	}

	approver := approver{s}
	out.approval = approver.approval(d, out.guarded, out.held, filter)

	// While an approved replacement is blocked, no other part of the edit takes effect, either.
	out.stands = out.approval.Waits() || out.approval.Has(EffectReplace)
	if out.stands {
		out.machine, out.guarded, out.held = approver.stand(out.held)
		out.moves = nil
	}

	if out.approval.Waits() && asksReplacement(s) {
		out.decision = refuse(Blocker{Reason: BlockedByApproval})
	}

	return out
}

// circumstances of a change to the described VM.
func circumstances(s *Situation, d Description) change.Circumstances {
	return change.Circumstances{
		Native:           d.Native,
		AgentAtFirstBoot: d.AgentAtFirstBoot,
		Adopted:          s.Adopted,
		NICs:             s.vm.Status.AtProvider.NetworkDevice,
		FirmwareSaid:     s.Machine.Firmware != nil,
		// Where HA has moved the VM, it stays.
		NodeUnsaid:    s.Machine.Unsaid.Node || s.Machine.HA != nil,
		OnBootUnsaid:  s.Machine.Unsaid.OnBoot,
		BackupUnsaid:  s.Machine.Unsaid.Backup,
		SSDUnsaid:     s.Machine.Unsaid.SSD,
		AddressesStay: addressesStay(s.Machine),
		Migrate:       d.MayMigrate,
		OtherProxmox:  s.Machine.Placement.Elsewhere && len(otherProviderConfig(s, d)) > 0,
	}
}

// addressesStay says of a machine's interfaces which keep an address that the claim changes. One of a family that an interface does not have binds it nowhere.
func addressesStay(m *machine.Machine) (out []bool) {
	stays := func(a machine.Addressing) bool { return a.Refused != nil && a.Method != machine.MethodNone }

	for _, n := range m.NICs {
		out = append(out, stays(n.IPv4) || stays(n.IPv6))
	}

	return out
}

// movesLater are the refused changes without that of the node, where the claim moves the VM: it waits for its snippets there, and is not refused.
func movesLater(m *machine.Machine, held []change.Change) (rest []change.Change, moves *change.Change) {
	i := slices.IndexFunc(held, func(c change.Change) bool { return c.Field == nodeField })
	if i < 0 || !m.Placement.Migrate || m.Placement.Elsewhere {
		return held, nil
	}

	move := held[i]
	move.Effect = change.InPlace

	return slices.Delete(slices.Clone(held), i, i+1), &move
}

// otherProviderConfig is the change that another site, or another connection of the site, would be.
func otherProviderConfig(s *Situation, d Description) []change.Change {
	has, wanted := s.vm.Spec.ProviderConfigRef, d.ProviderConfigRef
	if has == wanted {
		return nil
	}

	return []change.Change{change.Connection(s.Machine.Placement.Reconnected, has.Name, wanted.Name)}
}
