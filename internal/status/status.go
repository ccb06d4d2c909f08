package status

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/datadisks"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// Fields of a claim that a VM can hold back, as package render names them.
const (
	imageField = "spec.image"
	nodeField  = "spec.proxmox.node"
)

// status is the composite's status. What it repeats of the spec is what the VM has or gets: a claim hides an update that
// failed, and Flux sees it by comparing the two. So a change that is held back is not repeated, either.
func (s *reporter) status() v1alpha1.Status {
	m := s.machine
	out := v1alpha1.Status{
		Phase:          s.phase(),
		VMID:           s.vm.id(),
		Node:           s.vm.node(),
		Placement:      s.placement(),
		PrimaryAddress: s.addresses.primary,
		Addresses:      slices.Clone(s.addresses.all),
		Class:          m.Class,
		Size:           s.size(),
		Image:          m.Boot.Image,
		Hostname:       m.FullHostname(),
		Power:          m.Power,
		Bootstrap:      s.bootstrap.status(),
		PendingReboot:  changes(s.plan.Pending),
		Refused:        changes(s.plan.Held),
		Plan:           s.approval.status(),
		Rollout:        s.wave.status(),
		Adoption:       s.adoption.status(),
		Replacement:    s.replacement.status(),
		Kubernetes:     s.node.status(),
		Nix:            s.convergence.status(),
	}

	if m.Boot.OS == machine.OSNixOS {
		out.NixFileSystems = datadisks.Mounts(m.Mounts()).NixFileSystems()
	}

	before := s.before
	out.K3sVersion = s.bootstrap.k3sVersion(before.K3sVersion)

	if held(s.plan, imageField) || m.Keeps(machine.PartImage) {
		out.Image = before.Image
	}

	if m.Keeps(machine.PartSize) {
		out.Class = before.Class
	}

	if s.bootstrap.outdated() {
		// It is written into the guest once, when the VM is made.
		if before.Hostname != "" {
			out.Hostname = before.Hostname
		}
	}

	s.approval.asBefore(&out, before)

	return out
}

// phase is the machine's life in one word. An error that may pass does not change it.
func (s *reporter) phase() v1alpha1.Phase {
	fatal := slices.ContainsFunc(s.errors.blocking(), func(f Finding) bool { return !f.Row.Retryable })

	switch {
	case fatal && !s.ready.activeVM():
		return v1alpha1.PhaseFailed
	case s.plan.Adoption != nil:
		return v1alpha1.PhaseAdopting
	case replacing(s.plan) != nil:
		return v1alpha1.PhaseReplacing
	case !s.vm.made:
		return s.vm.phaseBefore()
	}

	at := s.vm.seen.Status.AtProvider

	switch {
	case !s.vm.exists() || at.ID == "" || s.vm.startsFirst():
		return v1alpha1.PhaseCreating
	case at.Started && s.ready.addressed():
		return v1alpha1.PhaseRunning
	case at.Started, s.vm.wantsRunning(), s.plan.Restarting:
		return v1alpha1.PhaseStarting
	}

	return v1alpha1.PhaseStopped
}

// size is what is rendered. A disk that the claim shrinks is rendered as it is.
func (s *reporter) size() *v1alpha1.ResolvedSize {
	m := s.machine
	out := &v1alpha1.ResolvedSize{Cores: m.Cores, MemoryMiB: m.MemoryMiB, DiskGiB: m.Boot.DiskGiB}

	p := *s.vm.wanted
	if i := change.BootDisk(p); s.vm.made && i >= 0 && p.Disk[i].Size > 0 {
		out.DiskGiB = p.Disk[i].Size
	}

	// Of a VM that somebody else made, the claim need not say a size.
	if s.plan.Adopted && len(p.CPU) > 0 && len(p.Memory) > 0 && p.CPU[0].Cores > 0 {
		out.Cores, out.MemoryMiB = p.CPU[0].Cores, p.Memory[0].Dedicated
	}

	return out
}
