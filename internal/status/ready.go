package status

import (
	"maps"
	"reflect"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A readyReport says what of a machine is ready.
type readyReport struct {
	plan      *lifecycle.Plan
	desired   proxmox.Desired
	state     proxmox.State
	vm        *activeVM
	errors    *providerErrors
	addresses addresses
	before    *v1alpha1.Status // As far as it is about the VM that the machine is now.
	active    bool             // Whether the VM is as asked: see asAsked.
}

// all says of every rendered resource whether it is ready.
func (r *readyReport) all() map[string]bool {
	d := r.desired
	out := make(map[string]bool, len(d.VMs)+len(d.Files)+len(d.DownloadFiles))

	// What a VM is made from is ready when all of it is there.
	complete := r.vm.made || len(r.plan.Waiting) == 0

	for name, vm := range d.VMs {
		out[name] = name == r.vm.name && r.activeVM() && lifecycle.ReadyAsNode(r.plan.Situation) || name != r.vm.name && r.otherVM(name, vm)
	}

	for name := range d.Files {
		out[name] = complete && r.file(name)
	}

	for name := range d.DownloadFiles {
		out[name] = complete && r.image(name)
	}

	// A machine is ready without HA, too: its condition HighlyAvailable says how far that is.
	for name := range d.HAResources {
		out[name] = true
	}

	maps.Copy(out, FirewallsReady(d.Firewalls, r.state.Firewalls))

	return out
}

// applied says whether the provider has applied what is rendered.
func applied[P, S any](o proxmox.Observed[P, S], wanted proxmox.Resource[P]) bool {
	return o.Resting() && reflect.DeepEqual(o.Spec.ForProvider, wanted.Spec.ForProvider)
}

// FirewallsReady says which managed resources of firewalls the provider has applied, by composed resource name.
func FirewallsReady(desired proxmox.Firewalls, has proxmox.ObservedFirewalls) map[string]bool {
	out := map[string]bool{}

	for name, wanted := range desired.Options {
		out[name] = applied(has.Options[name], wanted)
	}

	for name, wanted := range desired.Rules {
		out[name] = applied(has.Rules[name], wanted) && !proxmox.LooksForRules(has.Rules[name])
	}

	return out
}

// file says whether a snippet is on its node.
func (r *readyReport) file(name string) bool {
	f, ok := r.state.Files[name]
	return ok && f.Found()
}

// image says whether nothing waits for an image any more. A VM that was made has its disk, so its image may be gone.
func (r *readyReport) image(name string) bool {
	f, ok := r.state.DownloadFiles[name]
	return r.allMade() || ok && (f.Found() || proxmox.AlreadyPresent(f))
}

// allMade says whether there is the VM, and the one that is to take its place where there is to be one.
func (r *readyReport) allMade() bool {
	replacement := replacing(r.plan)
	if replacement == nil || replacement.New == r.vm.name {
		return r.vm.made
	}

	return r.vm.made && lifecycle.Lives(r.state.VMs, replacement.New)
}

// activeVM says whether the VM is as asked.
func (r *readyReport) activeVM() bool { return r.active }

// asAsked says whether the VM is as asked. The provider's own Ready means no more than that it found the VM at some time.
// A VM that is stopped for a while, to restart it or to replace it, is as rendered and not as asked.
func (r *readyReport) asAsked() bool {
	asked := lifecycle.Readiness{Running: r.vm.wantsRunning(), GuestAgent: r.vm.hasGuestAgent(), AddressKnown: r.addressed()}

	return r.vm.observed && lifecycle.Ready(r.vm.seen, asked) && !r.errors.has(r.vm.name) && !r.plan.Restarting && !r.vm.stoppedForReplacement() &&
		r.plan.Rival() == "" && !holds(r.plan, lifecycle.OutageStop)
}

// otherVM says whether a VM that is to take the machine's place, or has lost it, is as it is rendered.
func (r *readyReport) otherVM(name string, rendered proxmox.VM) bool {
	p := rendered.Spec.ForProvider
	asked := lifecycle.Readiness{Running: p.Started, GuestAgent: lifecycle.HasGuestAgent(p)}

	return !proxmox.OnlyObserves(rendered.Spec.ManagementPolicies) && lifecycle.Ready(r.state.VMs[name], asked) && !r.errors.has(name)
}

// addressed says whether all is known of the VM's addresses that there is to know. A guest agent that falls silent takes
// nothing back: an address that was known still counts, and so does a VM that ran without one, for instance since the
// agent belongs to bootstrap data that only a new VM will have.
func (r *readyReport) addressed() bool {
	if !r.vm.wantsRunning() || !r.vm.hasGuestAgent() {
		return true
	}

	return len(r.addresses.all) > 0 || r.addresses.silent && r.ran()
}

// ran says whether the machine ran as asked before, or did but for an error of the provider. While it is replaced its phase
// says nothing of that.
func (r *readyReport) ran() bool {
	switch r.before.Phase {
	case v1alpha1.PhaseRunning:
		return true
	case v1alpha1.PhaseReplacing:
		reasons := []string{ReasonRunning, ReasonRecreated, ReasonWaitingForQuorum, ReasonRunsCrossplane, ReasonWaitingForDrain, ReasonProviderError}

		return slices.Contains(reasons, previousReason(r.before, TypeMachineReady))
	case v1alpha1.PhasePending, v1alpha1.PhaseCreating, v1alpha1.PhaseAdopting, v1alpha1.PhaseStarting, v1alpha1.PhaseStopped, v1alpha1.PhaseFailed:
	}

	return false
}
