package status

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// ready says of every rendered resource whether it is ready.
func (s reporter) ready() map[string]bool {
	d := s.in.Desired
	out := make(map[string]bool, len(d.VMs)+len(d.Files)+len(d.DownloadFiles))

	// What a VM is made from is ready when all of it is there.
	complete := s.made || len(s.in.Plan.Waiting) == 0

	for name, vm := range d.VMs {
		out[name] = name == s.name && s.vmReady() || name != s.name && s.otherReady(name, vm)
	}

	for name := range d.Files {
		out[name] = complete && s.fileReady(name)
	}

	for name := range d.DownloadFiles {
		out[name] = complete && s.imageReady(name)
	}

	return out
}

// fileReady says whether a snippet is on its node.
func (s reporter) fileReady(name string) bool {
	f, ok := s.in.State.Files[name]
	return ok && f.Found() && f.Status.AtProvider.ID != ""
}

// imageReady says whether nothing waits for an image any more. A VM that was made has its disk, so its image may be gone.
func (s reporter) imageReady(name string) bool {
	f, ok := s.in.State.DownloadFiles[name]
	return s.allMade() || ok && (f.Found() || proxmox.AlreadyPresent(f))
}

// allMade says whether there is the VM, and the one that is to take its place where there is to be one.
func (s reporter) allMade() bool {
	r := s.replacing()
	if r == nil || r.New == s.name {
		return s.made
	}

	return s.made && lifecycle.Lives(s.in.State.VMs, r.New)
}

// vmReady says whether the VM is as asked. The provider's own Ready means no more than that it found the VM at some time.
// A VM that is stopped for a while, to restart it or to make way for another one, is as rendered and not as asked.
func (s reporter) vmReady() bool {
	asked := lifecycle.Readiness{Running: s.wantsRunning(), GuestAgent: s.hasGuestAgent(), AddressKnown: s.addressed()}

	return s.observed && lifecycle.Ready(s.vm, asked) && !s.failing(s.name) && !s.in.Plan.Restarting && !s.stoppedForReplacement() && !s.holdsStop()
}

// otherReady says whether a VM that is to take the machine's place, or has lost it, is as it is rendered.
func (s reporter) otherReady(name string, rendered proxmox.VM) bool {
	p := rendered.Spec.ForProvider
	asked := lifecycle.Readiness{Running: p.Started, GuestAgent: lifecycle.HasGuestAgent(p)}

	return !proxmox.OnlyObserves(rendered.Spec.ManagementPolicies) && lifecycle.Ready(s.in.State.VMs[name], asked) && !s.failing(name)
}

// addressed says whether all is known of the VM's addresses that there is to know. A guest agent that falls silent takes
// nothing back: an address that was known still counts, and so does a VM that ran without one, for instance since the
// agent belongs to bootstrap data that only a new VM will have.
func (s reporter) addressed() bool {
	if !s.wantsRunning() || !s.hasGuestAgent() {
		return true
	}

	return len(s.addresses.all) > 0 || s.addresses.silent && s.ran()
}

// ran says whether the machine ran as asked before, or did but for an error of the provider. While it is replaced its phase
// says nothing of that.
func (s reporter) ran() bool {
	switch s.before.Phase {
	case v1alpha1.PhaseRunning:
		return true
	case v1alpha1.PhaseReplacing:
		return slices.Contains([]string{ReasonRunning, ReasonWaitingForQuorum, ReasonProviderError}, previousReason(s.before, TypeMachineReady))
	case v1alpha1.PhasePending, v1alpha1.PhaseCreating, v1alpha1.PhaseAdopting, v1alpha1.PhaseStarting, v1alpha1.PhaseStopped, v1alpha1.PhaseFailed:
	}

	return false
}

// wantsRunning says whether the VM is rendered to run. It differs from the claim's power where that is Unmanaged, and while
// the VM restarts.
func (s reporter) wantsRunning() bool { return s.in.Desired.VMs[s.name].Spec.ForProvider.Started }

// hasGuestAgent says whether the rendered VM expects its guest agent to answer.
func (s reporter) hasGuestAgent() bool {
	return lifecycle.HasGuestAgent(s.in.Desired.VMs[s.name].Spec.ForProvider)
}
