package status

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// Fields of a claim that a VM can hold back, as package render names them.
const (
	imageField = "spec.image"
	nodeField  = "spec.proxmox.node"
)

// status is the composite's status. What it repeats of the spec is what the VM has or gets: a claim hides an update that
// failed, and Flux sees it by comparing the two. So a change that is held back is not repeated, either.
func (s reporter) status() v1alpha1.Status {
	m := s.in.Machine
	out := v1alpha1.Status{
		Phase:          s.phase(),
		VMID:           s.vmID(),
		Node:           s.node(),
		PrimaryAddress: s.addresses.primary,
		Addresses:      slices.Clone(s.addresses.all),
		Class:          m.Class,
		Size:           s.size(),
		Image:          m.Boot.Image,
		Hostname:       m.FullHostname(),
		Power:          m.Power,
		Bootstrap:      s.bootstrapStatus(),
		PendingReboot:  changes(s.in.Plan.Pending),
		Adoption:       s.adoptionStatus(),
		Replacement:    s.replacementStatus(),
	}

	if m.K3s != nil {
		out.K3sVersion = m.K3s.Version
	}

	before := s.before
	if s.held(imageField) {
		out.Image = before.Image
	}

	if s.outdated() {
		// Both are written into the guest once, when the VM is made.
		out.K3sVersion = before.K3sVersion
		if before.Hostname != "" {
			out.Hostname = before.Hostname
		}
	}

	return out
}

// phase is the machine's life in one word. An error that may pass does not change it.
func (s reporter) phase() v1alpha1.Phase {
	fatal := slices.ContainsFunc(s.blocking(), func(f finding) bool { return !f.row.Retryable })

	switch {
	case fatal && !s.vmReady():
		return v1alpha1.PhaseFailed
	case s.in.Plan.Adoption != nil:
		return v1alpha1.PhaseAdopting
	case s.replacing() != nil:
		return v1alpha1.PhaseReplacing
	case !s.made:
		return s.phaseBefore()
	}

	at := s.vm.Status.AtProvider

	switch {
	case !s.exists() || at.ID == "":
		return v1alpha1.PhaseCreating
	case at.Started && s.addressed():
		return v1alpha1.PhaseRunning
	case at.Started, s.wantsRunning(), s.in.Plan.Restarting:
		return v1alpha1.PhaseStarting
	}

	return v1alpha1.PhaseStopped
}

// phaseBefore is the phase of a machine whose VM is still to be made. A number that is another's, where no other one is
// tried, is as bad as an error that does not pass.
func (s reporter) phaseBefore() v1alpha1.Phase {
	l := s.in.Plan.Check

	switch {
	case l != nil && l.Outcome.InUse() && l.Next == 0:
		return v1alpha1.PhaseFailed
	case s.in.Bootstrap.Lacks != "", len(s.in.Plan.Waiting) > 0, l != nil && l.Outcome != lifecycle.OutcomeFree:
		return v1alpha1.PhasePending
	}

	return v1alpha1.PhaseCreating
}

// node is the node that the VM is on, as Proxmox says, or, while the VM is made, where it is made.
func (s reporter) node() string {
	switch {
	case !s.made && s.in.Plan.Check != nil && s.in.Plan.Check.Outcome.InUse():
		return ""
	case !s.made && s.in.Plan.Adoption == nil && s.phaseBefore() == v1alpha1.PhaseCreating:
		return s.in.Machine.Placement.Node
	case !s.made:
		return ""
	}

	if node := s.vm.Status.AtProvider.NodeName; node != "" {
		return node
	}

	return s.vm.Spec.ForProvider.NodeName
}

// size is what is rendered. A disk that the claim shrinks is rendered as it is.
func (s reporter) size() *v1alpha1.ResolvedSize {
	m := s.in.Machine
	out := &v1alpha1.ResolvedSize{Cores: m.Cores, MemoryMiB: m.MemoryMiB, DiskGiB: m.Boot.DiskGiB}

	p := s.in.Desired.VMs[s.name].Spec.ForProvider
	if i := change.BootDisk(p); s.made && i >= 0 && p.Disk[i].Size > 0 {
		out.DiskGiB = p.Disk[i].Size
	}

	// Of a VM that somebody else made, the claim need not say a size.
	if s.in.Plan.Adopted && len(p.CPU) > 0 && len(p.Memory) > 0 && p.CPU[0].Cores > 0 {
		out.Cores, out.MemoryMiB = p.CPU[0].Cores, p.Memory[0].Dedicated
	}

	return out
}

func (s reporter) held(field string) bool {
	return slices.ContainsFunc(s.in.Plan.Held, func(h change.Change) bool { return h.Field == field })
}
