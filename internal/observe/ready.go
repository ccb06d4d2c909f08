package observe

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// ready says of every rendered resource whether it is ready.
func (s sight) ready() map[string]bool {
	out := make(map[string]bool, len(s.in.Rendered.Manifests))

	// What a VM is made from is ready when all of it is there.
	complete := s.made || len(s.in.Rendered.Waiting) == 0

	for name, m := range s.in.Rendered.Manifests {
		switch proxmox.KindOf(m) {
		case proxmox.VMKind:
			out[name] = name == s.name && s.vmReady() || name != s.name && s.otherReady(name, m)
		case proxmox.FileKind:
			out[name] = complete && s.fileReady(name)
		case proxmox.DownloadFileKind:
			out[name] = complete && s.imageReady(name)
		default:
			out[name] = false
		}
	}

	return out
}

// fileReady says whether a snippet is on its node.
func (s sight) fileReady(name string) bool {
	f, ok := s.in.State.Files[name]
	return ok && f.Found() && f.Status.AtProvider.ID != ""
}

// imageReady says whether nothing waits for an image any more. A VM that was made has its disk, so its image may be gone.
func (s sight) imageReady(name string) bool {
	f, ok := s.in.State.DownloadFiles[name]
	return s.allMade() || ok && (f.Found() || proxmox.AlreadyPresent(f))
}

// allMade says whether there is the VM, and the one that is to take its place where there is to be one.
func (s sight) allMade() bool {
	r := s.replacing()
	if r == nil || r.New == s.name {
		return s.made
	}

	next, ok := s.in.State.VMs[r.New]

	return s.made && ok && proxmox.Made(next)
}

// vmReady says whether the VM is as asked. The provider's own Ready means no more than that it found the VM at some time.
// A VM that is stopped for a while, to restart it or to make way for another one, is as rendered and not as asked.
func (s sight) vmReady() bool {
	at := s.vm.Status.AtProvider

	return s.observed && !s.vm.ObserveOnly() && s.vm.Found() && at.ID != "" && !s.failing(s.name) &&
		!s.in.Rendered.Restarting && !s.stoppedForReplacement() &&
		at.Started == s.wantsRunning() && s.addressed()
}

// otherReady says whether a VM that is to take the machine's place, or has lost it, is as it is rendered.
func (s sight) otherReady(name string, rendered proxmox.Manifest) bool {
	want, err := proxmox.ObserveVM(rendered)
	vm, ok := s.in.State.VMs[name]
	at := vm.Status.AtProvider

	if err != nil || !ok || want.ObserveOnly() || vm.ObserveOnly() || !vm.Found() || at.ID == "" || s.failing(name) {
		return false
	}

	p := want.Spec.ForProvider
	if at.Started != p.Started {
		return false
	}

	agent := slices.ContainsFunc(p.Agent, func(a proxmox.Agent) bool { return a.Enabled })

	return !p.Started || !agent || len(guestAddresses(vm, s.in.Machine.NICs, "").all) > 0
}

// addressed says whether all is known of the VM's addresses that there is to know. A guest agent that falls silent takes
// nothing back: an address that was known still counts, and so does a VM that ran without one, for instance since the
// agent belongs to bootstrap data that only a new VM will have.
func (s sight) addressed() bool {
	if !s.wantsRunning() || !s.in.Rendered.GuestAgent {
		return true
	}

	return len(s.addresses.all) > 0 || s.addresses.silent && s.ran()
}

// ran says whether the machine ran as asked before, or did but for an error of the provider. While it is replaced its phase
// says nothing of that.
func (s sight) ran() bool {
	switch s.before.Phase {
	case v1alpha1.PhaseRunning:
		return true
	case v1alpha1.PhaseReplacing:
		return slices.Contains([]string{ReasonRunning, ReasonProviderError}, previousReason(s.before, TypeMachineReady))
	case v1alpha1.PhasePending, v1alpha1.PhaseCreating, v1alpha1.PhaseAdopting, v1alpha1.PhaseStarting, v1alpha1.PhaseStopped, v1alpha1.PhaseFailed:
	}

	return false
}

// wantsRunning says whether the VM is to run. Where the claim leaves that to Proxmox, it is what it is.
func (s sight) wantsRunning() bool { return s.in.Rendered.Wanted }
